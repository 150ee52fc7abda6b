// compiler_run.cc: runs clang with the plugin, the runtime and debug information.
#include "compiler/wrapper/compiler_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/printable.h"
#include "base/shell_words.h"
#include "machine/host/installed_program.h"

namespace tare::wrapper {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;
using format::StripDebug;

// Linux limits one environment string to 32 pages (MAX_ARG_STRLEN, execve(2)).
constexpr std::size_t kMaxPlanBytes = 100'000;

bool NeedsDebugInformation(const InstrumentPlan& plan) {
  return !plan.metrics.empty() || plan.functions || plan.names || !plan.list.empty();
}

// The arguments without those that postpone code generation. Response files are expanded only if
// they contain such an option.
std::vector<std::string> WithoutLinkTimeOptimisation(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = WithResponseFiles(arguments);
  if (std::erase_if(all, IsLinkTimeOptimisation) == 0) return arguments;
  return all;
}

// All arguments after "--" are inputs.
void AddOptions(std::vector<std::string>& arguments, std::span<const std::string> options) {
  const auto end = std::ranges::find(arguments, "--");
  arguments.insert(end, options.begin(), options.end());
}

void AddRuntime(CompilerRun& run, const CompilerArguments& arguments,
                const std::filesystem::path& runtime) {
  if (!arguments.Links() || runtime.empty()) return;
  // With -Xlinker the runtime stays after the inputs, and -x does not apply to it.
  const bool only_inputs = std::ranges::find(run.arguments, "--") != run.arguments.end();
  if (!only_inputs) run.arguments.emplace_back("-Xlinker");
  run.arguments.push_back(runtime.string());
}

CompilerRun RunOf(const WrapperOptions& options, const std::filesystem::path& program) {
  CompilerRun run;
  run.program = program;
  run.arguments = {options.compiler};
  const std::string name = program.filename().string();
  if (options.cxx && name.contains("clang") && !name.contains("++")) {
    run.arguments.emplace_back("--driver-mode=g++");
  }
  return run;
}

std::vector<std::string> DebugOptions(const CompilerArguments& arguments, InstrumentPlan& plan) {
  if (!NeedsDebugInformation(plan)) return {};
  const bool cxx = std::ranges::any_of(arguments.inputs, &CompilerInput::cxx);
  if (arguments.debug == DebugInformation::kFull) {
    // For C++, clang may describe a class only in the unit that has its constructor.
    if (!cxx) return {};
    return {"-fstandalone-debug"};
  }
  plan.strip_debug =
      arguments.debug == DebugInformation::kLines ? StripDebug::kToLines : StripDebug::kAll;
  return {"-Xclang", "-debug-info-kind=standalone"};
}

}  // namespace

Result<std::filesystem::path> FindCompiler(const std::string& compiler,
                                           std::string_view search_path,
                                           const std::filesystem::path& own) {
  std::optional<std::filesystem::path> program;
  if (compiler.contains('/')) {
    if (::access(compiler.c_str(), X_OK) == 0) program = compiler;
  } else {
    program = host::FindProgram(compiler, search_path);
  }
  if (!program) {
    return Fail(
        ErrorKind::kNotFound,
        fmt::format(
            "{} is not installed; install it, or name another with --tare-compiler=COMPILER",
            Printable(compiler)));
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(*program, own, ignored)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is tare-cc itself; name the compiler that it should call",
                            Printable(compiler)));
  }
  return *program;
}

CompilerRun PlainRun(const WrapperOptions& options, const std::filesystem::path& program) {
  CompilerRun run = RunOf(options, program);
  run.arguments.insert(run.arguments.end(), options.compiler_arguments.begin(),
                       options.compiler_arguments.end());
  return run;
}

Result<CompilerRun> InstrumentedRun(const WrapperOptions& options,
                                    const std::filesystem::path& program,
                                    const CompilerArguments& arguments,
                                    const metrics::MetricsFile& metrics,
                                    const WrapperFiles& files) {
  const bool compiles = arguments.HasSource() && arguments.last_step >= LastStep::kCompile;
  if (!compiles && !arguments.Links()) return PlainRun(options, program);
  InstrumentPlan plan = metrics.plan;
  plan.blocks = plan.blocks || options.blocks;
  plan.stream = std::max(plan.stream, options.stream);
  plan.placement = options.placement;
  if ((compiles && files.plugin.empty()) || (arguments.Links() && files.runtime.empty())) {
    return Fail(ErrorKind::kNotFound,
                fmt::format("tare's compiler plugin and runtime are not in {}; install them, or "
                            "set TARE_WRAPPER=off",
                            files.searched));
  }
  CompilerRun run = RunOf(options, program);
  std::vector<std::string> given = WithoutLinkTimeOptimisation(options.compiler_arguments);
  if (compiles) {
    std::vector<std::string> more = DebugOptions(arguments, plan);
    // Valgrind 3.19 cannot read all of clang's DWARF 5. A version that the user names is kept.
    if (arguments.debug != DebugInformation::kNone) more.push_back("-fdebug-default-version=4");
    more.push_back(fmt::format("-fpass-plugin={}", files.plugin.string()));
    AddOptions(given, more);
    run.plan = format::PlanText(plan);
    if (run.plan->size() > kMaxPlanBytes) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format(
              "the plan of {} has {} bytes, and the maximum is {}; use patterns, or fewer metrics",
              Printable(metrics.path.string()), run.plan->size(), kMaxPlanBytes));
    }
  }
  run.arguments.insert(run.arguments.end(), given.begin(), given.end());
  AddRuntime(run, arguments, files.runtime);
  run.to_check = arguments.Links() && !arguments.dry && !plan.metrics.empty();
  return run;
}

CompilerRun ProbeRun(const WrapperOptions& options, const std::filesystem::path& program,
                     const CompilerArguments& arguments, const WrapperFiles& files) {
  CompilerRun run = PlainRun(options, program);
  AddRuntime(run, arguments, files.runtime);
  return run;
}

std::string ShellLine(const CompilerRun& run) {
  std::string line;
  if (run.plan) line = fmt::format("{}={} ", format::kPlanVariable, ShellQuoted(*run.plan));
  line += ShellQuoted(run.program.string());
  for (std::size_t i = 1; i < run.arguments.size(); ++i) {
    line += " " + ShellQuoted(run.arguments[i]);
  }
  return line;
}

}  // namespace tare::wrapper
