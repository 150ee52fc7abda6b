// baseline_file.cc: writes JSON, and reads it with full validation.
#include "analysis/perturb/baseline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/json_checksum.h"
#include "base/json_value.h"
#include "base/json_writer.h"

namespace tare::perturb {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
constexpr std::string_view kKind = "tare baseline";
constexpr std::uint64_t kFormat = 3;

Result<bool> TruthField(const JsonValue& place, const char* name) {
  TRY(const JsonValue field, place.Field(name));
  return field.Truth();
}

Result<Signal> ReadSignal(const JsonValue& place) {
  Signal signal;
  TRY(signal.name, place.TextField("name"));
  TRY(signal.group, place.TextField("group"));
  TRY(const JsonValue kind, place.Field("kind"));
  TRY(const std::string word, kind.Text());
  if (word != "total" && word != "level") return kind.Refuse("is neither total nor level");
  signal.total = word == "total";
  TRY(signal.unit, place.TextField("unit"));
  TRY(signal.exact, TruthField(place, "exact"));
  TRY(signal.values,
      place.ListField("values", [](const JsonValue& value) { return value.Real(); }));
  return signal;
}

Result<TraceSignals> ReadRun(const JsonValue& place) {
  TraceSignals run;
  TRY(run.name, place.TextField("name"));
  TRY(run.program, place.TextField("program"));
  TRY(run.clock, place.TextField("clock"));
  TRY(run.signals, place.ListField("signals", ReadSignal));
  for (const Signal& signal : run.signals) {
    if (signal.values.size() != run.length()) {
      return place.Refuse("has signals of different lengths");
    }
  }
  if (run.length() < kMinLength) return place.Refuse("has too few records");
  TRY(const JsonValue times, place.Field("times"));
  TRY(run.times, times.List([](const JsonValue& time) { return time.Whole(); }));
  if (!std::ranges::is_sorted(run.times)) return times.Refuse("is not in increasing order");
  if (run.times.size() != run.length())
    return place.Refuse("has a different number of times and values");
  TRY(run.interval, place.WholeField("interval"));
  return run;
}

Result<StoredBaseline> ReadRoot(const JsonValue& root) {
  if (!root.HasText("kind", kKind))
    return root.Refuse(fmt::format("is not of the kind '{}'", kKind));
  TRY_VOID(root.RequireFormat(kFormat));
  StoredBaseline baseline;
  TRY(baseline.machine, root.TextField("machine"));
  TRY(baseline.varied, TruthField(root, "varied"));
  TRY(baseline.code_moved, TruthField(root, "code_moved"));
  TRY(baseline.metrics,
      root.ListField("metrics", [](const JsonValue& metric) { return metric.Text(); }));
  TRY(baseline.runs, root.ListField("runs", ReadRun));
  for (TraceSignals& run : baseline.runs) run.machine = baseline.machine;
  return baseline;
}

// Writes whole numbers without a decimal point.
void WriteNumber(JsonWriter& out, double value) {
  constexpr double kMaxWhole = 9e15;
  if (std::abs(value) < kMaxWhole && value == std::floor(value)) {
    return out.Raw(fmt::format("{}", static_cast<std::int64_t>(value)));
  }
  out.Real(value);
}

void WriteSignal(JsonWriter& out, const Signal& signal) {
  out.Raw("{");
  out.TextField("name", signal.name);
  out.TextField("group", signal.group);
  out.TextField("kind", signal.total ? "total" : "level");
  out.TextField("unit", signal.unit);
  out.TruthField("exact", signal.exact);
  out.Key("values");
  out.Inline(signal.values, [&](double value) { WriteNumber(out, value); });
  out.Raw("}");
}

void WriteRun(JsonWriter& out, const TraceSignals& run) {
  out.Raw("{");
  out.TextField("name", run.name);
  out.TextField("program", run.program);
  out.TextField("clock", run.clock);
  out.WholeField("interval", run.interval);
  out.Key("times");
  out.Inline(run.times, [&](std::uint64_t time) { out.Whole(time); });
  out.Key("signals");
  out.Lines(run.signals, 4, [&](const Signal& signal) { WriteSignal(out, signal); });
  out.Raw("}");
}

}  // namespace

Result<void> WriteBaseline(const std::filesystem::path& file, const StoredBaseline& baseline) {
  JsonWriter out;
  out.Raw("{");
  out.TextField("kind", kKind);
  out.WholeField("format", kFormat);
  out.TextField("machine", baseline.machine);
  out.TruthField("varied", baseline.varied);
  out.TruthField("code_moved", baseline.code_moved);
  out.Key("metrics");
  out.Inline(baseline.metrics, [&](const std::string& metric) { out.Text(metric); });
  out.Key("runs");
  out.Lines(baseline.runs, 2, [&](const TraceSignals& run) { WriteRun(out, run); });
  out.Raw("}\n");
  return WriteFileAtomically(file, WithChecksum(out.Take()));
}

Result<StoredBaseline> ParseBaseline(std::string_view text) {
  TRY(const auto file, JsonFile::Parse(text, "baseline of tare perturb"));
  return ReadRoot(file.Root());
}

Result<StoredBaseline> ReadBaseline(const std::filesystem::path& file) {
  TRY(const auto text, ReadFile(file, kMaxBytes));
  return InFile(file, ParseBaseline(text));
}

}  // namespace tare::perturb
