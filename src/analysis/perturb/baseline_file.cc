// baseline_file.cc: writes JSON, and reads it with full validation.
#include "analysis/perturb/baseline_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/printable.h"

namespace tare::perturb {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
constexpr std::string_view kKind = "tare baseline";
constexpr int kFormat = 3;

class Parser {
 public:
  explicit Parser(std::string_view name) : name_(name) {}

  Result<StoredBaseline> Parse(std::string_view text) const {
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object() || root.value("kind", json()) != kKind) {
      return Bad("it is not a baseline of tare perturb");
    }
    const json format = root.value("format", json());
    if (format != kFormat) {
      return Bad(fmt::format("it has format {}, and this tare reads format {}",
                             Printable(format.dump(-1, ' ', true)), kFormat));
    }
    StoredBaseline baseline;
    TRY(baseline.machine, Text(root, "machine"));
    TRY(baseline.varied, Flag(root, "varied"));
    TRY(baseline.code_moved, Flag(root, "code_moved"));
    TRY(const json* metrics, List(root, "metrics"));
    for (const json& metric : *metrics) {
      if (!metric.is_string()) return Bad("a metric's name is not a string");
      baseline.metrics.push_back(metric.get<std::string>());
    }
    TRY(const json* runs, List(root, "runs"));
    for (const json& run : *runs) {
      TRY(auto signals, Run(run));
      signals.machine = baseline.machine;
      baseline.runs.push_back(std::move(signals));
    }
    return baseline;
  }

 private:
  std::unexpected<Error> Bad(std::string_view what) const {
    return Fail(ErrorKind::kFormat, fmt::format("{}: {}", Printable(name_), what));
  }

  Result<std::string> Text(const json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) {
      return Bad(fmt::format("{} is missing or not a string", key));
    }
    return object[key].get<std::string>();
  }

  Result<bool> Flag(const json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_boolean()) {
      return Bad(fmt::format("{} is missing or not a boolean", key));
    }
    return object[key].get<bool>();
  }

  Result<const json*> List(const json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_array()) {
      return Bad(fmt::format("{} is missing or not a list", key));
    }
    return &object[key];
  }

  Result<TraceSignals> Run(const json& value) const {
    TraceSignals run;
    TRY(run.name, Text(value, "name"));
    TRY(run.program, Text(value, "program"));
    TRY(run.clock, Text(value, "clock"));
    TRY(const json* signals, List(value, "signals"));
    for (const json& one : *signals) {
      TRY(auto signal, OneSignal(one));
      if (!run.signals.empty() && signal.values.size() != run.length()) {
        return Bad(fmt::format("the signals of {} have different lengths", Printable(run.name)));
      }
      run.signals.push_back(std::move(signal));
    }
    if (run.length() < kMinLength) {
      return Bad(fmt::format("{} has too few records", Printable(run.name)));
    }
    TRY(const json* times, List(value, "times"));
    for (const json& time : *times) {
      if (!IsTime(time) || (!run.times.empty() && time.get<std::uint64_t>() < run.times.back())) {
        return Bad(fmt::format("the times of {} are not increasing numbers", Printable(run.name)));
      }
      run.times.push_back(time.get<std::uint64_t>());
    }
    if (run.times.size() != run.length()) {
      return Bad(fmt::format("{} has a different number of times and values", Printable(run.name)));
    }
    const json interval = value.value("interval", json());
    if (!IsTime(interval)) return Bad("an interval is not a number");
    run.interval = interval.get<std::uint64_t>();
    return run;
  }

  static bool IsTime(const json& value) {
    return value.is_number_unsigned() ||
           (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  }

  Result<Signal> OneSignal(const json& value) const {
    Signal signal;
    TRY(signal.name, Text(value, "name"));
    TRY(signal.group, Text(value, "group"));
    TRY(const std::string kind, Text(value, "kind"));
    if (kind != "total" && kind != "level") {
      return Bad(
          fmt::format("the kind of signal {} is neither total nor level", Printable(signal.name)));
    }
    signal.total = kind == "total";
    TRY(signal.unit, Text(value, "unit"));
    TRY(signal.exact, Flag(value, "exact"));
    TRY(const json* numbers, List(value, "values"));
    for (const json& number : *numbers) {
      if (!number.is_number() || !std::isfinite(number.get<double>())) {
        return Bad(fmt::format("the signal {} has a value that is not a finite number",
                               Printable(signal.name)));
      }
      signal.values.push_back(number.get<double>());
    }
    return signal;
  }

  std::string_view name_;
};

// Writes whole numbers without a decimal point.
json NumberOf(double value) {
  constexpr double kMaxWhole = 9e15;
  if (std::abs(value) < kMaxWhole && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace

Result<void> WriteBaseline(const std::filesystem::path& file, const StoredBaseline& baseline) {
  json runs = json::array();
  for (const TraceSignals& run : baseline.runs) {
    json signals = json::array();
    for (const Signal& signal : run.signals) {
      json values = json::array();
      for (const double value : signal.values) values.push_back(NumberOf(value));
      signals.push_back({{"name", signal.name},
                         {"group", signal.group},
                         {"kind", signal.total ? "total" : "level"},
                         {"unit", signal.unit},
                         {"exact", signal.exact},
                         {"values", values}});
    }
    runs.push_back({{"name", run.name},
                    {"program", run.program},
                    {"clock", run.clock},
                    {"interval", run.interval},
                    {"times", run.times},
                    {"signals", signals}});
  }
  const json root = {{"kind", kKind},
                     {"format", kFormat},
                     {"machine", baseline.machine},
                     {"varied", baseline.varied},
                     {"code_moved", baseline.code_moved},
                     {"metrics", baseline.metrics},
                     {"runs", runs}};
  return WriteFileAtomically(file,
                             root.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<StoredBaseline> ParseBaseline(std::string_view text, std::string_view name) {
  return Parser(name).Parse(text);
}

Result<StoredBaseline> ReadBaseline(const std::filesystem::path& file) {
  TRY(const auto text, ReadFile(file, kMaxBytes));
  return ParseBaseline(text, file.string());
}

}  // namespace tare::perturb
