// wrapper_options.h: what tare-cc itself is told, apart from what is the compiler's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tare::wrapper {

enum class Mode {
  kClang,  // clang with tare's plugin
  kGcc,    // gcc with calls at the start of functions
  kOff,    // the compiler alone
  kList,   // show what could be chosen
  kHelp,
};

// The variables that are looked at; empty ones count as not set.
struct WrapperEnvironment {
  std::string wrapper;         // TARE_WRAPPER: off or gcc
  std::string metrics;         // TARE_METRICS
  std::string only = {};       // TARE_ONLY: names in lines
  std::string placement = {};  // TARE_PLACEMENT
  std::string clang;           // TARE_CLANG
  std::string gcc;             // TARE_GCC
};

struct WrapperOptions {
  Mode mode = Mode::kClang;
  bool cxx = false;
  std::string compiler;           // a name to look for, or a path
  std::string metrics;            // path; empty: none
  std::vector<std::string> only;  // of its metrics; empty: all
  std::uint64_t placement = 0;    // as in format::InstrumentPlan
  bool blocks = false;
  bool stream = false;
  bool show = false;  // the command instead of what it does
  std::vector<std::string> compiler_arguments;
};

// `arguments` without the program's own name, of which `called` is the last part. Errors: kUsage,
// for unknown options that begin with --tare- and unknown values of TARE_WRAPPER.
Result<WrapperOptions> ParseWrapperOptions(std::string_view called,
                                           std::span<const std::string> arguments,
                                           const WrapperEnvironment& environment);

// The text of --tare-help.
std::string WrapperHelp();

}  // namespace tare::wrapper
