// disturbance.h: a busy neighbour, and files that are not in memory.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::why {

// Processes that read and write memory as fast as they can, from the call to the end of the
// object's life. They end with this process too.
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

// The files that a run reads, as far as its command line tells: the program, its input, arguments
// that name regular files.
std::vector<std::filesystem::path> FilesOf(const run::ResolvedProgram& program,
                                           const run::Setting& setting);

// Asks the kernel to forget what it holds of them in memory. What others have mapped stays.
void Forget(const std::vector<std::filesystem::path>& files);

}  // namespace tare::why
