// event_verdicts.cc: the file of verdicts, and looking one up.
#include "machine/pmu/event_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "base/json_checksum.h"
#include "base/json_value.h"
#include "base/json_writer.h"
#include "base/state_directory.h"
#include "machine/pmu/event_names.h"
#include "machine/pmu/named_events.h"
#include "machine/pmu/program_metrics.h"

namespace tare::pmu {
namespace {

constexpr std::uint64_t kMaxVerdictsBytes = 1 << 20;

Result<EventVerdict> ReadVerdict(const JsonValue& place) {
  EventVerdict verdict;
  TRY(verdict.source, place.TextField("source"));
  TRY(verdict.event, place.TextField("event"));
  TRY(const std::string result, place.TextField("result"));
  if (result != "passed" && result != "failed") return place.Refuse("has an unknown result");
  verdict.passed = result == "passed";
  TRY(verdict.detail, place.TextField("detail"));
  TRY(verdict.code, place.TextField("code"));
  return verdict;
}

Result<EventVerdicts> ReadVerdictsRoot(const JsonValue& root) {
  TRY_VOID(root.RequireFormat(kVerdictsFormat));
  EventVerdicts verdicts;
  TRY(verdicts.machine, root.TextField("machine"));
  TRY(verdicts.kernel, root.TextField("kernel"));
  TRY(verdicts.boot, root.TextField("boot"));
  TRY(verdicts.time, root.TextField("time"));
  TRY(verdicts.events, root.ListField("events", ReadVerdict));
  return verdicts;
}

bool SameName(std::string_view a, std::string_view b) {
  const auto joined = [](char c) { return c == '_' || c == ' ' ? '-' : c; };
  return std::ranges::equal(a, b, {}, joined, joined);
}

// The codes of the events that may have this name here.
std::vector<std::string> CodesOf(const std::string& event) {
  std::vector<std::string> codes;
  // An unknown name takes long, because similar names are searched.
  if (event.size() > 64 || event.find_first_of(" /") != std::string::npos) return codes;
  const auto add = [&](std::string_view name) {
    if (const auto resolved = ResolveEvent(name)) codes.push_back(CodeText(resolved->code));
  };
  add(event);
  if (const NamedEvent* named = FindNamedEvent(event)) {
    for (const std::string_view candidate : named->candidates) add(candidate);
  }
  for (const MetricRow& row : HardwareMetrics()) {
    if (!SameName(row.metric, event)) continue;
    for (const std::string_view candidate : row.candidates) add(candidate);
  }
  return codes;
}

// Whether a number of one of `sources` is one of `tested`.
bool Covers(std::string_view tested, std::span<const std::string> sources) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(sources, name) != sources.end();
  };
  return has(tested) || (tested == "valgrind" && has("virtual"));
}

}  // namespace

Result<std::filesystem::path> VerdictsPath(const std::optional<std::string>& xdg_state_home,
                                           const std::optional<std::string>& home,
                                           std::string_view machine) {
  TRY(const auto directory, StateDirectory(xdg_state_home, home));
  return directory / fmt::format("self-test-{}.json", AsFileName(machine));
}

std::string CodeText(const EventCode& code) {
  return fmt::format("{:x}:{:x}:{:x}:{:x}", code.type, code.config, code.config1, code.config2);
}

std::string FormatVerdicts(const EventVerdicts& verdicts) {
  JsonWriter out;
  const auto line = [&](std::string_view name, std::string_view value) {
    out.LineKey(2, name);
    out.Text(value);
  };
  out.Raw("{");
  out.WholeField("format", kVerdictsFormat);
  line("machine", verdicts.machine);
  line("kernel", verdicts.kernel);
  line("boot", verdicts.boot);
  line("time", verdicts.time);
  out.LineKey(2, "events");
  out.Lines(verdicts.events, 2, [&](const EventVerdict& verdict) {
    const auto field = [&](std::string_view name, std::string_view value) {
      out.Key(name);
      out.Text(value);
    };
    out.Raw("{");
    field("source", verdict.source);
    field("event", verdict.event);
    field("result", verdict.passed ? "passed" : "failed");
    field("detail", verdict.detail);
    field("code", verdict.code);
    out.Raw("}");
  });
  out.NewLine(0);
  out.Raw("}\n");
  return out.Take();
}

Result<EventVerdicts> ParseVerdicts(std::string_view text) {
  TRY(const auto file, JsonFile::Parse(text, "result of tare doctor --self-test"));
  return ReadVerdictsRoot(file.Root());
}

Result<void> WriteVerdicts(const std::filesystem::path& path, const EventVerdicts& verdicts) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return std::unexpected(SystemError("create", path.parent_path(), error.value()));
  return WriteFileAtomically(path, WithChecksum(FormatVerdicts(verdicts)));
}

Result<EventVerdicts> ReadVerdicts(const std::filesystem::path& path) {
  TRY(const auto text, ReadFile(path, kMaxVerdictsBytes));
  return InFile(path, ParseVerdicts(text));
}

std::optional<std::string> FailedTest(const EventVerdicts& verdicts,
                                      std::span<const std::string> sources,
                                      std::string_view event) {
  std::optional<std::vector<std::string>> codes;
  for (const EventVerdict& verdict : verdicts.events) {
    if (verdict.passed || !Covers(verdict.source, sources)) continue;
    bool same = SameName(verdict.event, event);
    if (!same && !verdict.code.empty()) {
      if (!codes) codes = CodesOf(std::string(event));
      same = std::ranges::find(*codes, verdict.code) != codes->end();
    }
    if (!same) continue;
    return fmt::format("{} of {} counts {}", verdict.event, verdict.source, verdict.detail);
  }
  return std::nullopt;
}

}  // namespace tare::pmu
