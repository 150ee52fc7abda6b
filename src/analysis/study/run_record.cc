// run_record.cc: run records as JSON.
#include "analysis/study/run_record.h"

#include <algorithm>
#include <array>

#include "base/json_value.h"
#include "base/json_writer.h"

namespace tare::study {
namespace {

constexpr std::uint64_t kRecordFormat = 1;

struct StateRow {
  RunState state;
  std::string_view name;
};
constexpr auto kStates = std::to_array<StateRow>({
    {RunState::kOk, "ok"},
    {RunState::kFailed, "failed"},
    {RunState::kKilled, "killed"},
    {RunState::kTimedOut, "timed-out"},
    {RunState::kNotStarted, "not-started"},
    {RunState::kNoMetric, "no-metric"},
    {RunState::kLost, "lost"},
});

void WriteFacts(const ConditionFacts& facts, JsonWriter& json) {
  json.Raw("{");
  bool first = true;
  for (const auto& [name, value] : facts) {
    if (!first) json.Raw(", ");
    first = false;
    json.Text(name);
    json.Raw(": ");
    json.Text(value);
  }
  json.Raw("}");
}

Result<int> SmallNumber(const JsonValue& root, const char* name) {
  TRY(const std::uint64_t number, root.WholeField(name));
  if (number > 1000) return root.Refuse("has a status that no program has");
  return static_cast<int>(number);
}

}  // namespace

std::string_view Name(RunState state) {
  return std::ranges::find(kStates, state, &StateRow::state)->name;
}

std::optional<RunState> ParseRunState(std::string_view name) {
  const auto row = std::ranges::find(kStates, name, &StateRow::name);
  if (row == kStates.end()) return std::nullopt;
  return row->state;
}

std::string FactsJson(const ConditionFacts& facts) {
  JsonWriter json;
  WriteFacts(facts, json);
  return json.Take();
}

Result<ConditionFacts> ParseFacts(std::string_view json) {
  TRY(const JsonFile file, JsonFile::Parse(json, "list of conditions"));
  return file.Root().TextMap();
}

std::string ToJson(const RunRecord& record) {
  JsonWriter json;
  json.Raw("{");
  json.WholeField("format", kRecordFormat);
  json.TextField("case", record.key);
  json.Key("repetition");
  json.Raw(std::to_string(record.repetition));
  json.WholeField("attempt", static_cast<std::uint64_t>(record.attempt));
  json.Key("started");
  json.Real(record.started);
  json.TextField("state", Name(record.state));
  if (record.exit_status) {
    json.WholeField("exit_status", static_cast<std::uint64_t>(*record.exit_status));
  }
  if (record.signal) json.WholeField("signal", static_cast<std::uint64_t>(*record.signal));
  json.Key("seconds");
  json.Real(record.seconds);
  json.Key("load");
  json.Real(record.load);
  json.TextField("node", record.node);
  json.Key("conditions");
  WriteFacts(record.conditions, json);
  json.TextField("message", record.message);
  json.Key("values");
  json.Inline(record.values, [&](const MetricValue& value) {
    json.Raw("{");
    json.TextField("metric", value.metric);
    json.TextField("unit", value.unit);
    json.Key("value");
    if (const auto* whole = std::get_if<std::int64_t>(&value.value)) {
      json.Raw(std::to_string(*whole));
    } else {
      json.Real(std::get<double>(value.value));
    }
    json.Raw("}");
  });
  json.Raw("}\n");
  return json.Take();
}

Result<RunRecord> ParseRunRecord(std::string_view text) {
  TRY(const JsonFile file, JsonFile::Parse(text, "result of a run"));
  const JsonValue root = file.Root();
  TRY_VOID(root.RequireFormat(kRecordFormat));
  RunRecord record;
  TRY(record.key, root.TextField("case"));
  TRY(const double repetition, root.RealField("repetition"));
  record.repetition = static_cast<std::int64_t>(repetition);
  TRY(const std::uint64_t attempt, root.WholeField("attempt"));
  record.attempt = static_cast<std::int64_t>(attempt);
  TRY(record.started, root.RealField("started"));
  TRY(const std::string state, root.TextField("state"));
  const auto known = ParseRunState(state);
  if (!known) return root.RefuseWord(state);
  record.state = *known;
  if (root.Has("exit_status")) {
    TRY(record.exit_status, SmallNumber(root, "exit_status"));
  }
  if (root.Has("signal")) {
    TRY(record.signal, SmallNumber(root, "signal"));
  }
  TRY(record.seconds, root.RealField("seconds"));
  TRY(record.load, root.RealField("load"));
  TRY(record.node, root.TextField("node"));
  TRY(const JsonValue conditions, root.Field("conditions"));
  TRY(record.conditions, conditions.TextMap());
  TRY(record.message, root.TextField("message"));
  TRY(record.values, root.ListField("values", [](const JsonValue& item) -> Result<MetricValue> {
    MetricValue value;
    TRY(value.metric, item.TextField("metric"));
    TRY(value.unit, item.TextField("unit"));
    TRY(const JsonValue number, item.Field("value"));
    TRY(value.value, number.Figure());
    return value;
  }));
  return record;
}

}  // namespace tare::study
