// compiler_run.h: builds the compiler command that tare-cc runs.
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

// The paths of tare's own parts; empty if missing.
struct WrapperFiles {
  std::filesystem::path plugin;
  std::filesystem::path runtime;
  std::string searched = {};  // where they were looked for: "/a or /b"
};

struct CompilerRun {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // including argv[0]
  std::optional<std::string> plan;     // for TARE_PLAN
  // Whether to check the linked file for the metrics after the compiler has succeeded.
  bool to_check = false;
};

// Finds the program with this name in the directories of `search_path`, or at this path. Fails with
// kNotFound, or with kUsage if it is `own`, which would call itself forever.
Result<std::filesystem::path> FindCompiler(const std::string& compiler,
                                           std::string_view search_path,
                                           const std::filesystem::path& own);

// Runs the compiler with unchanged arguments.
CompilerRun PlainRun(const WrapperOptions& options, const std::filesystem::path& program);

// Runs clang with the plugin. `metrics` are those of options.metrics, or none. Fails with kNotFound
// if a required part is missing, or with kUsage if the plan is too large.
Result<CompilerRun> InstrumentedRun(const WrapperOptions& options,
                                    const std::filesystem::path& program,
                                    const CompilerArguments& arguments,
                                    const metrics::MetricsFile& metrics, const WrapperFiles& files);

// For a probe of a build system: not instrumented, but linked with the runtime, because it may be
// linked with instrumented code.
CompilerRun ProbeRun(const WrapperOptions& options, const std::filesystem::path& program,
                     const CompilerArguments& arguments, const WrapperFiles& files);

// Runs gcc with its instrumentation hooks at function entry and the runtime. Fails like
// InstrumentedRun, or with kUnsupported for metrics that the hooks cannot count.
Result<CompilerRun> GccRun(const WrapperOptions& options, const std::filesystem::path& program,
                           const CompilerArguments& arguments, const metrics::MetricsFile& metrics,
                           const WrapperFiles& files);

// The equivalent shell command line.
std::string ShellLine(const CompilerRun& run);

}  // namespace tare::wrapper
