// predict_validate.h: `tare predict --validate`: predicts a program for this machine and measures
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "cli/program_options.h"
#include "machine/profile/machine_profile.h"

namespace tare::cli {

struct ValidateOptions : ProgramOptions {
  std::string profile;  // empty: the newest of this machine
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> top;
  bool verbose = false;
};

// The program of the session is signed, predicted and measured.
Result<Outcome> RunValidate(const ValidateOptions& options, Session& session);

}  // namespace tare::cli
