// prepare.h: all that a run needs, made before the first fork.
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

// What belongs to a run, and is given back at its end.
struct Prepared {
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::string path;
  std::string directory;
  std::optional<DirectoryPath> long_path;  // under which the program finds the directory
  Descriptor input;
  Descriptor output;
  Descriptor errors;
  Descriptor terminal;
  std::unique_ptr<Shared, void (*)(Shared*)> shared{
      nullptr, [](Shared* memory) { ::munmap(memory, sizeof(Shared)); }};
  Launch launch;
};

// Fills `run`, which must stay where it is: the launch points into it. Fails when the setting
// cannot be had here.
Result<void> Prepare(const ResolvedProgram& program, const Setting& setting, Prepared& run);

}  // namespace tare::run
