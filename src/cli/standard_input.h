// standard_input.h: tare's own standard input, as the program that is run once or often gets it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/private_directory.h"
#include "base/result.h"
#include "cli/command.h"
#include "measure/run/setting.h"

namespace tare::cli {

// Whether a command runs the program that it prepares once, or may do so several times.
enum class InputUse { kOneRun, kSeveralRuns };

// How much of a pipe is kept for several runs where --stdin-limit says nothing.
inline constexpr std::uint64_t kDefaultStdinLimit = std::uint64_t{1} << 30;

struct StandardInput {
  run::Input input;
  std::optional<PrivateDirectory> spool;  // holds what came in by a pipe, for as long as it lives
};

// A file or device is opened anew for each run. Everything else is passed on to a single run. For
// several runs a pipe is first read to its end, however long that takes; more than `limit` bytes
// are an error, and so is an interruption. A terminal cannot be read twice: several runs get an
// empty input instead.
Result<StandardInput> ChooseStandardInput(InputUse use, std::uint64_t limit,
                                          const Session& session);

}  // namespace tare::cli
