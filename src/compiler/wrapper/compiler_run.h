// compiler_run.h: the command that tare-cc makes of the one that it was given.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/metrics/metrics_file.h"
#include "compiler/wrapper/compiler_arguments.h"
#include "compiler/wrapper/wrapper_options.h"

namespace tare::wrapper {

// tare's own parts; empty paths where they are missing.
struct WrapperFiles {
  std::filesystem::path plugin;
  std::filesystem::path runtime;
};

struct CompilerRun {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // with the program's name in front
  std::optional<std::string> plan;     // for TARE_PLAN
  // What is linked is to be held against these metrics when the compiler has ended well.
  bool to_check = false;
};

// The program of this name in the directories of `search_path`, or the one at this path. Errors:
// kNotFound; kUsage when it is `own`, which would call itself for ever.
Result<std::filesystem::path> FindCompiler(const std::string& compiler,
                                           std::string_view search_path,
                                           const std::filesystem::path& own);

// The compiler with its arguments unchanged.
CompilerRun PlainRun(const WrapperOptions& options, const std::filesystem::path& program);

// With clang and the plugin; `metrics` are those of options.metrics or none. Errors: kNotFound when
// a part is missing that is needed; kUsage when there is more to count than fits.
Result<CompilerRun> InstrumentedRun(const WrapperOptions& options,
                                    const std::filesystem::path& program,
                                    const CompilerArguments& arguments,
                                    const metrics::MetricsFile& metrics, const WrapperFiles& files);

// A probe of a build system: not instrumented, but linked with the runtime, as it may be linked
// with what is.
CompilerRun ProbeRun(const WrapperOptions& options, const std::filesystem::path& program,
                     const CompilerArguments& arguments, const WrapperFiles& files);

// With gcc, its calls at the start of functions and the runtime. Errors as for InstrumentedRun;
// kUnsupported for metrics that this cannot count.
Result<CompilerRun> GccRun(const WrapperOptions& options, const std::filesystem::path& program,
                           const CompilerArguments& arguments, const metrics::MetricsFile& metrics,
                           const WrapperFiles& files);

// A line for a shell that does the same.
std::string ShellLine(const CompilerRun& run);

}  // namespace tare::wrapper
