// disturbance.h: memory load from neighbour processes, and files evicted from the page cache.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::why {

// Processes that read and write memory as fast as they can until this object is destroyed. They end
// with this process too.
class Neighbours {
 public:
  static Result<Neighbours> Start(unsigned count);
  ~Neighbours();
  Neighbours(Neighbours&& other) noexcept : processes_(std::move(other.processes_)) {
    other.processes_.clear();
  }
  Neighbours& operator=(Neighbours&&) = delete;

 private:
  Neighbours() = default;
  std::vector<pid_t> processes_;
};

// The files that a run reads, as far as the command line shows: the program, its input, and
// arguments that name regular files.
std::vector<std::filesystem::path> FilesOf(const run::ResolvedProgram& program,
                                           const run::Setting& setting);

// Asks the kernel to drop the files from the page cache (posix_fadvise(2), POSIX_FADV_DONTNEED).
// Pages that other processes have mapped stay.
void Forget(const std::vector<std::filesystem::path>& files);

}  // namespace tare::why
