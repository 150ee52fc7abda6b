// standard_input.h: how runs of a program get tare's own standard input.
#pragma once

#include <cstdint>
#include <optional>

#include "base/private_directory.h"
#include "base/result.h"
#include "cli/command.h"
#include "measure/run/setting.h"

namespace tare::cli {

// Whether a command runs the prepared program once or several times.
enum class InputUse { kOneRun, kSeveralRuns };

// Maximum bytes of a pipe that are kept for several runs, unless --stdin-limit is given.
inline constexpr std::uint64_t kDefaultStdinLimit = std::uint64_t{1} << 30;

struct StandardInput {
  run::Input input;
  std::optional<PrivateDirectory>
      spool;  // contains the input read from a pipe, as long as it lives
};

// A file or device is reopened for each run. Anything else is passed to a single run. For several
// runs, a pipe is first read to its end, however long that takes; more than `limit` bytes are an
// error, and so is an interruption. A terminal cannot be read twice, so several runs get an empty
// input instead.
Result<StandardInput> ChooseStandardInput(InputUse use, std::uint64_t limit,
                                          const Session& session);

}  // namespace tare::cli
