// metrics_file.cc: reads and checks the keys of a metrics file.
#include "compiler/metrics/metrics_file.h"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/enum_table.h"
#include "base/file.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/toml_table.h"
#include "compiler/metrics/frequent_functions.h"
#include "format/sampled_profile_file.h"
#include "report/json.h"

namespace tare::metrics {
namespace {

using format::MetricEvent;
using format::NameMatch;
using format::PlannedMetric;
using format::ValueOf;

constexpr std::uint64_t kMaxFileBytes = 1 << 20;
constexpr std::uint64_t kMaxProfileBytes = 1 << 28;
constexpr int kMaxArguments = 127;

constexpr std::array<std::string_view, 9> kTopKeys = {
    "programs", "metric", "functions", "blocks", "stream", "names", "atomic", "version", "events"};
constexpr std::array<std::string_view, 10> kMetricKeys = {
    "name", "call", "virtual", "update", "line", "loop", "block", "file", "value", "in"};
constexpr std::array<std::string_view, 9> kFunctionKeys = {
    "names",       "not_names", "files",     "not_files",   "min_instructions",
    "skip_inline", "profile",   "max_calls", "min_per_call"};
constexpr std::array<std::string_view, 2> kPatternKeys = {"glob", "regex"};
constexpr std::array<std::string_view, 4> kValueKeys = {"argument", "return", "of", "signed"};
constexpr std::array<std::string_view, 4> kValueKinds = {"sum", "minimum", "maximum", "histogram"};

struct EventKey {
  std::string_view key;
  MetricEvent event;
  std::string_view what;  // prefix of the default name
};

// In the order of MetricEvent.
constexpr std::array<EventKey, 6> kEvents = {{
    {"call", MetricEvent::kCall, "calls of"},
    {"virtual", MetricEvent::kVirtual, "virtual calls of"},
    {"update", MetricEvent::kUpdate, "updates of"},
    {"line", MetricEvent::kLine, "executions of line"},
    {"loop", MetricEvent::kLoop, "iterations of loop"},
    {"block", MetricEvent::kBlock, "executions of block"},
}};
static_assert(HasRowPerEnumerator(kEvents, &EventKey::event, MetricEvent::kBlock));

// Matches "compress.c:120" and "BZ2_compressBlock:3".
bool EndsInNumber(std::string_view text, int least) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view digits = text.substr(colon + 1);
  int number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && number >= least;
}

std::string RegexError(const std::string& text) {
  regex_t compiled;
  const int status = ::regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (status == 0) {
    ::regfree(&compiled);
    return "";
  }
  std::array<char, 200> message{};
  ::regerror(status, &compiled, message.data(), message.size());
  return message.data();
}

Result<void> ReadPattern(const TomlTable& pattern, PlannedMetric& metric) {
  TRY_VOID(pattern.OnlyKeys(kPatternKeys));
  TRY(const auto glob, pattern.Text("glob"));
  TRY(const auto regex, pattern.Text("regex"));
  if (glob.has_value() == regex.has_value()) return pattern.FailHere("needs either glob or regex");
  metric.match = glob ? NameMatch::kGlob : NameMatch::kRegex;
  metric.what = glob ? *glob : *regex;
  const std::string error = regex ? RegexError(*regex) : "";
  if (!error.empty()) {
    return pattern.FailAtKey("regex",
                             fmt::format("is not a POSIX extended regular expression: {}", error));
  }
  return {};
}

Result<void> ReadWhat(const TomlTable& table, const EventKey& key, PlannedMetric& metric) {
  metric.event = key.event;
  if (table.IsTable(key.key)) {
    TRY(const auto inner, table.Table(key.key));
    if (inner) TRY_VOID(ReadPattern(*inner, metric));
  } else {
    TRY(auto text, table.Text(key.key));
    metric.what = std::move(text).value_or("");
  }
  const bool is_place = key.event == MetricEvent::kLine || key.event == MetricEvent::kLoop;
  if (!is_place && key.event != MetricEvent::kBlock) return {};
  if (metric.match != NameMatch::kExact) {
    return table.FailAtKey(key.key, fmt::format("{} takes no patterns", key.key));
  }
  if (!EndsInNumber(metric.what, is_place ? 1 : 0)) {
    return table.FailAtKey(key.key, fmt::format("{} must be \"{}\"", key.key,
                                                is_place ? "FILE:LINE" : "FUNCTION:NUMBER"));
  }
  return {};
}

Result<void> ReadKinds(const TomlTable& table, ValueOf& value) {
  TRY(const auto kinds, table.Texts("of"));
  if (kinds.empty()) {
    return table.FailHere("value needs 'of': one or more of sum, minimum, maximum, histogram");
  }
  for (const std::string& kind : kinds) {
    if (kind == "sum") {
      value.sum = true;
    } else if (kind == "minimum") {
      value.minimum = true;
    } else if (kind == "maximum") {
      value.maximum = true;
    } else if (kind == "histogram") {
      value.histogram = true;
    } else {
      return table.FailAtKey(
          "of", fmt::format("{} is not one of sum, minimum, maximum, histogram{}", Printable(kind),
                            DidYouMean(kind, kValueKinds)));
    }
  }
  return {};
}

Result<ValueOf> ReadValue(const TomlTable& table) {
  TRY_VOID(table.OnlyKeys(kValueKeys));
  TRY(const auto argument, table.Number("argument", 1));
  TRY(const bool of_return, table.Flag("return"));
  if (argument.has_value() == of_return) {
    return table.FailHere("value needs either argument = NUMBER or return = true");
  }
  if (argument && *argument > kMaxArguments) {
    return table.FailAtKey("argument", fmt::format("argument must be at most {}", kMaxArguments));
  }
  ValueOf value;
  value.argument = argument ? static_cast<int>(*argument) : ValueOf::kReturn;
  TRY(value.is_signed, table.Flag("signed"));
  TRY_VOID(ReadKinds(table, value));
  return value;
}

Result<PlannedMetric> ReadMetric(const TomlTable& table) {
  TRY_VOID(table.OnlyKeys(kMetricKeys));
  const EventKey* event = nullptr;
  for (const EventKey& key : kEvents) {
    if (!table.Has(key.key)) continue;
    if (event != nullptr) {
      return table.FailAtKey(
          key.key,
          fmt::format("a metric has one event, but this one has {} and {}", event->key, key.key));
    }
    event = &key;
  }
  if (event == nullptr) {
    return table.FailHere("a metric needs one of call, virtual, update, line, loop, block");
  }
  PlannedMetric metric;
  TRY_VOID(ReadWhat(table, *event, metric));
  TRY(const auto name, table.Text("name"));
  metric.name = name ? *name : fmt::format("{} {}", event->what, metric.what);
  TRY(const auto file, table.Text("file"));
  metric.file = file.value_or("");
  TRY(const auto value, table.Table("value"));
  if (!value) return metric;
  if (metric.event != MetricEvent::kCall && metric.event != MetricEvent::kVirtual) {
    return table.FailAtKey("value", fmt::format("only calls have a value, not {}", event->key));
  }
  TRY(metric.value, ReadValue(*value));
  return metric;
}

Result<void> ReadMetricList(const TomlTable& top, MetricsFile& file) {
  TRY(const auto tables, top.Tables("metric"));
  std::set<std::string> names;
  for (const TomlTable& table : tables) {
    TRY(PlannedMetric metric, ReadMetric(table));
    if (!names.insert(metric.name).second) {
      const std::string_view place = table.Has("name") ? "name" : "";
      return table.FailAtKey(
          place, fmt::format("another metric is also named {}", Printable(metric.name)));
    }
    const auto event = table.PlaceOf(kEvents[static_cast<std::size_t>(metric.event)].key);
    MetricPlace place{.line = event.line, .column = event.column, .in = {}};
    TRY(place.in, table.Texts("in"));
    file.places.push_back(std::move(place));
    file.plan.metrics.push_back(std::move(metric));
  }
  return {};
}

Result<std::vector<std::string>> FromProfile(const std::filesystem::path& path,
                                             const TooOften& limits) {
  TRY(const std::string text, ReadFile(path, kMaxProfileBytes));
  if (text.starts_with(format::kProfileMagic)) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{} has samples of time, which do not show how often functions are "
                            "called; create it with tare profile --exact --save FILE",
                            Printable(path.string())));
  }
  const auto document = report::FromJson(text);
  auto names = document ? FunctionsCalledTooOften(*document, limits)
                        : Result<std::vector<std::string>>(std::unexpected(document.error()));
  if (names) return names;
  return Fail(names.error().kind, fmt::format("{} is not a profile: {}", Printable(path.string()),
                                              names.error().message));
}

Result<void> ReadProfile(const TomlTable& table, const std::filesystem::path& path,
                         format::FunctionSelection& functions) {
  TRY(const auto profile, table.Text("profile"));
  TooOften limits;
  TRY(limits.max_calls, table.Number("max_calls", 0));
  TRY(const auto min_per_call, table.Number("min_per_call", 0));
  if (!profile) {
    for (const std::string_view key : {"max_calls", "min_per_call"}) {
      if (!table.Has(key)) continue;
      return table.FailAtKey(key, fmt::format("{} needs a profile", key));
    }
    return {};
  }
  limits.min_per_call = min_per_call.value_or(limits.min_per_call);
  auto names = FromProfile(path.parent_path() / *profile, limits);
  if (!names) return table.FailAtKey("profile", names.error().message);
  functions.too_often = std::move(*names);
  return {};
}

Result<format::FunctionSelection> ReadFunctions(const TomlTable& table,
                                                const std::filesystem::path& path) {
  TRY_VOID(table.OnlyKeys(kFunctionKeys));
  format::FunctionSelection functions;
  TRY(functions.names, table.Texts("names"));
  TRY(functions.not_names, table.Texts("not_names"));
  TRY(functions.files, table.Texts("files"));
  TRY(functions.not_files, table.Texts("not_files"));
  TRY(const auto min_instructions, table.Number("min_instructions", 0));
  functions.min_instructions = min_instructions.value_or(0);
  TRY(functions.skip_inline, table.Flag("skip_inline"));
  TRY_VOID(ReadProfile(table, path, functions));
  return functions;
}

Result<void> ReadTop(const TomlTable& top, MetricsFile& file) {
  TRY_VOID(top.OnlyKeys(kTopKeys));
  TRY(const auto version, top.Number("version", 1));
  if (version && *version != 1) {
    return top.FailAtKey(
        "version", fmt::format("this file has version {}; this tare reads version 1", *version));
  }
  TRY(file.programs, top.Texts("programs"));
  TRY(file.events, top.Texts("events"));
  TRY(file.plan.blocks, top.Flag("blocks"));
  TRY(const bool streams, top.Flag("stream"));
  if (streams) file.plan.stream = format::StreamContent::kAddresses;
  TRY(file.plan.atomic, top.Flag("atomic"));
  if (top.Has("names")) {
    TRY(file.plan.names, top.Flag("names"));
  }
  TRY_VOID(ReadMetricList(top, file));
  TRY(const auto functions, top.Table("functions"));
  if (!functions) return {};
  TRY(file.plan.functions, ReadFunctions(*functions, file.path));
  return {};
}

}  // namespace

Result<MetricsFile> ParseMetrics(std::string_view text, const std::filesystem::path& path) {
  TRY(const auto toml, TomlFile::Parse(text, path));
  MetricsFile file;
  file.path = path;
  TRY_VOID(ReadTop(toml.Root(), file));
  return file;
}

Result<MetricsFile> ReadMetrics(const std::filesystem::path& path) {
  TRY(const std::string text, ReadFile(path, kMaxFileBytes));
  return ParseMetrics(text, path);
}

Result<MetricsFile> Only(MetricsFile file, std::span<const std::string> names) {
  MetricsFile only;
  only.path = file.path;
  only.programs = file.programs;
  only.events = file.events;
  only.plan.names = file.plan.names;
  only.plan.atomic = file.plan.atomic;
  for (std::size_t i = 0; i < file.plan.metrics.size(); ++i) {
    if (std::ranges::find(names, file.plan.metrics[i].name) == names.end()) continue;
    only.plan.metrics.push_back(file.plan.metrics[i]);
    only.places.push_back(file.places[i]);
  }
  for (const std::string& name : names) {
    const auto& metrics = file.plan.metrics;
    if (std::ranges::find(metrics, name, &format::PlannedMetric::name) != metrics.end()) continue;
    std::vector<std::string_view> known;
    for (const format::PlannedMetric& metric : metrics) known.push_back(metric.name);
    return Fail(ErrorKind::kUsage,
                fmt::format("{} has no metric {}{}", Printable(file.path.string()), Printable(name),
                            DidYouMean(name, known)));
  }
  return only;
}

}  // namespace tare::metrics
