// prepare.h: allocates everything that a run needs, before the first fork.
#pragma once

#include <sys/mman.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "measure/run/directory_path.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"
#include "measure/run/supervisor.h"

namespace tare::run {

class StandingSupervisor;

// The resources of one run, released at its end.
struct Prepared {
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> word_pointers;
  std::vector<char*> variable_pointers;
  std::string path;
  std::string directory;
  // The path under which the program sees its working directory, and what keeps it.
  std::string long_path;
  std::optional<DirectoryPath> own_path;
  Descriptor input;
  Descriptor output;
  Descriptor output_read;  // for Output::kDigested
  Descriptor errors;
  Descriptor errors_read;
  Descriptor terminal;
  std::unique_ptr<Shared, void (*)(Shared*)> shared{
      nullptr, [](Shared* memory) { ::munmap(memory, sizeof(Shared)); }};
  Launch launch;
};

// Fills `run`, which must not move: the launch points into it. Fails if this machine does not
// support the setting. `standing` may be null.
Result<void> Prepare(const ResolvedProgram& program, const Setting& setting,
                     StandingSupervisor* standing, Prepared& run);

// The pipes and the shared memory of a supervisor for this run alone.
Result<void> PrepareSupervisor(Prepared& run);

}  // namespace tare::run
