// compiler_run_gcc.cc: runs gcc with its instrumentation hooks, and checks which metrics they
// support.
#include <algorithm>

#include <algorithm>

#include "base/printable.h"
#include "compiler/wrapper/compiler_run.h"

namespace tare::wrapper {
namespace {

using format::MetricEvent;
using format::NameMatch;
using format::PlannedMetric;
using metrics::MetricsFile;

std::unexpected<Error> Refuse(const MetricsFile& metrics, std::string_view what) {
  return Fail(ErrorKind::kUnsupported, fmt::format("{}: {}; with --gcc only calls of the program's "
                                                   "own functions, named exactly, can be counted",
                                                   Printable(metrics.path.string()), what));
}

Result<void> CheckMetrics(const MetricsFile& metrics) {
  for (std::size_t i = 0; i < metrics.plan.metrics.size(); ++i) {
    const PlannedMetric& metric = metrics.plan.metrics[i];
    if (metric.event == MetricEvent::kCall && metric.match == NameMatch::kExact && !metric.value &&
        metric.file.empty()) {
      continue;
    }
    return Refuse(metrics, fmt::format("line {}: the metric {} is not supported",
                                       metrics.places[i].line, Printable(metric.name)));
  }
  return {};
}

// gcc matches substrings of names and paths, not patterns.
Result<std::string> ExcludeList(const MetricsFile& metrics, const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) {
    if (part.find_first_of("*?[") != std::string::npos) {
      return Refuse(
          metrics,
          fmt::format("gcc excludes functions by parts of names, not by patterns such as {}",
                      Printable(part)));
    }
    if (!list.empty()) list += ',';
    for (const char letter : part) {
      if (letter == ',') list += '\\';
      list += letter;
    }
  }
  return list;
}

Result<void> CheckNotExcluded(const MetricsFile& metrics, const std::vector<std::string>& parts) {
  for (const PlannedMetric& metric : metrics.plan.metrics) {
    for (const std::string& part : parts) {
      if (!metric.what.contains(part)) continue;
      return Refuse(metrics, fmt::format("excluding {} also excludes {}, which is a metric",
                                         Printable(part), Printable(metric.what)));
    }
  }
  return {};
}

Result<std::vector<std::string>> Selection(const MetricsFile& metrics) {
  std::vector<std::string> options = {"-finstrument-functions"};
  if (!metrics.plan.functions) return options;
  const format::FunctionSelection& functions = *metrics.plan.functions;
  if (!functions.names.empty() || !functions.files.empty() || functions.min_instructions != 0 ||
      functions.skip_inline) {
    return Refuse(metrics, "in [functions] only not_names, not_files and profile are supported");
  }
  std::vector<std::string> names = functions.not_names;
  names.insert(names.end(), functions.too_often.begin(), functions.too_often.end());
  TRY_VOID(CheckNotExcluded(metrics, names));
  TRY(const std::string name_list, ExcludeList(metrics, names));
  TRY(const std::string file_list, ExcludeList(metrics, functions.not_files));
  if (!name_list.empty()) {
    options.push_back("-finstrument-functions-exclude-function-list=" + name_list);
  }
  if (!file_list.empty()) {
    options.push_back("-finstrument-functions-exclude-file-list=" + file_list);
  }
  return options;
}

}  // namespace

Result<CompilerRun> GccRun(const WrapperOptions& options, const std::filesystem::path& program,
                           const CompilerArguments& arguments, const MetricsFile& metrics,
                           const WrapperFiles& files) {
  CompilerRun run = PlainRun(options, program);
  const bool compiles = arguments.HasSource() && arguments.last_step >= LastStep::kCompile;
  if (!compiles && !arguments.Links()) return run;
  const bool streams =
      std::max(options.stream, metrics.plan.stream) != format::StreamContent::kNothing;
  if (options.blocks || metrics.plan.blocks || streams) {
    return Refuse(metrics, "blocks and streams are not supported");
  }
  TRY_VOID(CheckMetrics(metrics));
  if (arguments.Links() && files.runtime.empty()) {
    return Fail(ErrorKind::kNotFound,
                fmt::format("tare's runtime is not in {}; install it, or set TARE_WRAPPER=off",
                            files.searched));
  }
  if (compiles) {
    TRY(const auto selection, Selection(metrics));
    run.arguments.insert(run.arguments.end(), selection.begin(), selection.end());
  }
  if (arguments.Links()) {
    run.arguments.emplace_back("-Xlinker");
    run.arguments.push_back(files.runtime.string());
  }
  run.to_check = arguments.Links() && !arguments.dry && !metrics.plan.metrics.empty();
  return run;
}

}  // namespace tare::wrapper
