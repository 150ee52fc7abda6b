// wrapper_options.h: the options of tare-cc itself, separated from those of the compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/instrument_plan.h"

namespace tare::wrapper {

enum class Mode {
  kClang,  // clang with tare's plugin
  kGcc,    // gcc with hooks at function entry
  kOff,    // the unchanged compiler
  kList,   // list what metrics can select
  kHelp,
};

// The environment variables that are read; an empty one counts as unset.
struct WrapperEnvironment {
  std::string wrapper;         // TARE_WRAPPER: off or gcc
  std::string metrics;         // TARE_METRICS
  std::string only = {};       // TARE_ONLY: one name per line
  std::string placement = {};  // TARE_PLACEMENT
  std::string clang;           // TARE_CLANG
  std::string gcc;             // TARE_GCC
};

struct WrapperOptions {
  Mode mode = Mode::kClang;
  bool cxx = false;
  std::string compiler;           // a name to search for, or a path
  std::string metrics;            // path; empty: none
  std::vector<std::string> only;  // names of its metrics; empty: all
  std::uint64_t placement = 0;    // as in format::InstrumentPlan
  bool blocks = false;
  format::StreamContent stream = format::StreamContent::kNothing;
  bool show = false;  // show the command instead of running it
  std::vector<std::string> compiler_arguments;
};

// `arguments` does not include argv[0]; `called` is the last component of argv[0]. Fails (kUsage)
// on unknown options that start with --tare- and on unknown values of TARE_WRAPPER.
Result<WrapperOptions> ParseWrapperOptions(std::string_view called,
                                           std::span<const std::string> arguments,
                                           const WrapperEnvironment& environment);

// The text of --tare-help.
std::string WrapperHelp();

}  // namespace tare::wrapper
