// wrapper.cc: processes a command line of tare-cc from options to exit status.
#include "compiler/wrapper/wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/private_directory.h"
#include "compiler/wrapper/build_probe.h"
#include "compiler/wrapper/compiler_process.h"
#include "compiler/wrapper/counted_module.h"
#include "compiler/wrapper/link_check.h"
#include "compiler/wrapper/listing.h"

namespace tare::wrapper {
namespace {

using metrics::MetricsFile;

constexpr std::uint64_t kMaxListBytes = 1 << 28;
// The status of waitpid(2) for a compiler that exits with 1.
constexpr int kFailed = 1 << 8;

Result<MetricsFile> MetricsOf(const WrapperOptions& options) {
  if (options.metrics.empty()) {
    MetricsFile none;
    // Names are not needed if only blocks or streams are recorded.
    none.plan.names = !options.blocks && options.stream == format::StreamContent::kNothing;
    return none;
  }
  auto metrics = metrics::ReadMetrics(options.metrics);
  if (!metrics && metrics.error().kind != ErrorKind::kFormat &&
      !std::filesystem::path(options.metrics).is_absolute()) {
    return Fail(
        metrics.error().kind,
        fmt::format("{}; builds change directories, so set TARE_METRICS to an absolute path",
                    metrics.error().message));
  }
  if (!metrics || options.only.empty()) return metrics;
  return metrics::Only(*std::move(metrics), options.only);
}

WrapperEnding EndingOf(const LinkVerdict& verdict, const MetricsFile& metrics,
                       const CompilerArguments& arguments) {
  WrapperEnding ending;
  const std::string output = Printable(OutputOf(arguments).string());
  if (verdict.not_meant) {
    ending.notes.push_back(
        fmt::format("note: {1} has none of the metrics of {0}; name the intended programs with "
                    "programs = [...] in that file",
                    Printable(metrics.path.string()), output));
  }
  if (verdict.unknown.empty()) return ending;
  for (const std::string& sentence : verdict.unknown) ending.notes.push_back("error: " + sentence);
  std::error_code error;
  std::filesystem::remove(OutputOf(arguments), error);
  ending.notes.push_back(
      error ? fmt::format("{} could not be removed: {}", output, error.message())
            : fmt::format("{} was removed, because it would not count the requested metrics",
                          output));
  ending.wait_status = kFailed;
  return ending;
}

Result<WrapperEnding> Shown(const CompilerRun& run) {
  return WrapperEnding{.wait_status = 0, .output = ShellLine(run) + "\n", .notes = {}};
}

Result<WrapperEnding> Start(const WrapperOptions& options, const CompilerRun& run) {
  if (options.show) return Shown(run);
  return std::unexpected(BecomeCompiler(run));
}

Result<WrapperEnding> ListSource(const WrapperOptions& options,
                                 const std::filesystem::path& program,
                                 const CompilerArguments& arguments, const CompilerInput& source,
                                 const WrapperSetting& setting,
                                 const std::filesystem::path& scratch) {
  WrapperOptions one = options;
  one.compiler_arguments.clear();
  const auto all = WithResponseFiles(options.compiler_arguments);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = std::ranges::find(arguments.inputs, i, &CompilerInput::at);
    if (at == arguments.inputs.end() && all[i] != "--") one.compiler_arguments.push_back(all[i]);
  }
  const std::string object = (scratch / "object").string();
  one.compiler_arguments.insert(one.compiler_arguments.end(),
                                {"-Qunused-arguments", "-c", "-o", object, source.path});
  MetricsFile nothing;
  nothing.plan.list = (scratch / "list").string();
  TRY(const CompilerRun run,
      InstrumentedRun(one, program, Understand(one.compiler_arguments, options.cxx), nothing,
                      setting.files));
  if (options.show) return Shown(run);
  TRY(const int status, RunCompiler(run));
  return WrapperEnding{.wait_status = status, .output = {}, .notes = {}};
}

Result<WrapperEnding> List(const WrapperOptions& options, const std::filesystem::path& program,
                           const CompilerArguments& arguments, const WrapperSetting& setting) {
  if (arguments.inputs.empty()) {
    return Fail(ErrorKind::kUsage, "--list needs source files, or a program built by tare-cc");
  }
  TRY(const PrivateDirectory scratch, PrivateDirectory::MakeOnDisk());
  WrapperEnding ending;
  std::string text;
  for (const CompilerInput& input : arguments.inputs) {
    if (!input.source) {
      TRY(const CountedModule module, ReadCountedModule(input.path));
      if (!module.has_names) {
        return Fail(ErrorKind::kUnsupported,
                    fmt::format("{} was not built by tare-cc, or was built with names = false, so "
                                "it does not list what can be counted",
                                Printable(input.path)));
      }
      for (const format::Candidate& candidate : module.candidates)
        text += format::CandidateLine(candidate);
      continue;
    }
    TRY(WrapperEnding one, ListSource(options, program, arguments, input, setting, scratch.path()));
    ending.output += one.output;
    ending.wait_status = one.wait_status;
    if (one.wait_status != 0) return ending;
  }
  if (options.show) return ending;
  const auto listed = ReadFile(scratch.path() / "list", kMaxListBytes);
  if (listed) text += *listed;
  std::vector<format::Candidate> candidates = ParseCandidates(text);
  const std::string here = setting.directory.string() + "/";
  for (format::Candidate& candidate : candidates) {
    if (candidate.file.starts_with(here)) candidate.file.erase(0, here.size());
  }
  ending.output = ListingOf(candidates);
  return ending;
}

}  // namespace

Result<WrapperEnding> Wrap(const WrapperOptions& options, const WrapperSetting& setting) {
  if (options.mode == Mode::kHelp) {
    return WrapperEnding{.wait_status = 0, .output = WrapperHelp(), .notes = {}};
  }
  if (std::ranges::find(options.compiler_arguments, "--help") != options.compiler_arguments.end()) {
    return WrapperEnding{
        .wait_status = 0,
        .output = fmt::format("{}\n'{} --help' shows the options of the compiler.\n", WrapperHelp(),
                              options.compiler),
        .notes = {}};
  }
  TRY(const auto program, FindCompiler(options.compiler, setting.search_path, setting.own));
  if (options.mode == Mode::kOff) return Start(options, PlainRun(options, program));
  const CompilerArguments arguments =
      Understand(WithResponseFiles(options.compiler_arguments), options.cxx);
  if (options.mode == Mode::kList) return List(options, program, arguments, setting);
  if (arguments.last_step <= LastStep::kPreprocess || arguments.inputs.empty()) {
    return Start(options, PlainRun(options, program));
  }
  if (IsBuildProbe(arguments, setting.directory)) {
    return Start(options, ProbeRun(options, program, arguments, setting.files));
  }
  TRY(const MetricsFile metrics, MetricsOf(options));
  const bool gcc = options.mode == Mode::kGcc;
  TRY(const CompilerRun run,
      gcc ? GccRun(options, program, arguments, metrics, setting.files)
          : InstrumentedRun(options, program, arguments, metrics, setting.files));
  if (options.show || !run.to_check) return Start(options, run);
  TRY(const int status, RunCompiler(run));
  if (status != 0) return WrapperEnding{.wait_status = status, .output = {}, .notes = {}};
  TRY(const LinkVerdict verdict,
      gcc ? CheckLinkedByGcc(metrics, arguments) : CheckLinked(metrics, arguments));
  return EndingOf(verdict, metrics, arguments);
}

}  // namespace tare::wrapper
