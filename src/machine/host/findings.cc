// findings.cc: the groups in order, and the code that all rows share.
#include "machine/host/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/printable.h"
#include "base/units.h"
#include "machine/host/finding_rows.h"

namespace tare::host {
namespace {

// Truncates to `columns` and appends an ellipsis; never splits a character.
std::string Fitted(std::string text, std::size_t columns) {
  text = Printable(text);
  if (DisplayWidth(text) <= columns) return text;
  std::string fitted;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto length = std::max<std::size_t>(FirstCodePoint(rest).length, 1);
    const std::string longer = fitted + std::string(rest.substr(0, length));
    if (DisplayWidth(longer) + 1 > columns) break;
    fitted = longer;
    rest.remove_prefix(length);
  }
  return fitted + "…";
}

}  // namespace

std::string_view Name(Level level) {
  switch (level) {
    case Level::kOk:
      return "ok";
    case Level::kNote:
      return "note";
    case Level::kWarning:
      return "warning";
    case Level::kAbsent:
      return "absent";
  }
  return "absent";
}

std::string_view Title(Group group) {
  switch (group) {
    case Group::kMachine:
      return "Machine";
    case Group::kPermission:
      return "Permissions";
    case Group::kDisturbance:
      return "Disturbances";
    case Group::kSpace:
      return "Memory and space";
    case Group::kCounters:
      return "Counters";
    case Group::kEngines:
      return "Engines";
  }
  return "Machine";
}

Assessment NotAvailable(std::string reason, std::string advice) {
  return {.level = Level::kAbsent,
          .value = "not available",
          .meaning = std::move(reason),
          .advice = std::move(advice)};
}

Finding Named(Group group, std::string_view id, std::string_view what, Assessment assessment) {
  return {.group = group,
          .id = std::string(id),
          .what = Fitted(std::string(what), kMaxValueColumns),
          .value = Fitted(std::move(assessment.value), kMaxValueColumns),
          .level = assessment.level,
          .meaning = Fitted(std::move(assessment.meaning), kMaxSentenceColumns),
          .advice = Fitted(std::move(assessment.advice), kMaxSentenceColumns),
          .caveat = assessment.caveat};
}

void AddRows(Group group, std::span<const FindingRow> rows, const Machine& machine,
             std::vector<Finding>& findings) {
  for (const FindingRow& row : rows) {
    findings.push_back(Named(group, row.id, row.what, row.assess(machine)));
  }
}

std::string Bytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const ScaledUnit unit = ReadableUnit(value, "B");
  return fmt::format("{} {}", Rounded(value * unit.factor, 4), unit.symbol);
}

std::string Percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::vector<Finding> Examine(const Machine& machine) {
  std::vector<Finding> findings;
  for (auto examine : {ExamineHardware, ExaminePermissions, ExamineDisturbances, ExamineSpace}) {
    std::ranges::move(examine(machine), std::back_inserter(findings));
  }
  return findings;
}

std::vector<Finding> ExamineEngines(const std::vector<Engine>& engines) {
  std::vector<Finding> findings;
  for (const Engine& engine : engines) {
    std::string value = engine.basis;
    if (!engine.version.empty()) value = fmt::format("{}, {}", engine.basis, engine.version);
    // What tare needs is installed, and yet the engine cannot run: a problem of the installation.
    const bool broken = !engine.found && !engine.version.empty();
    findings.push_back(Named(Group::kEngines, "engine-" + engine.name, engine.name,
                             {.level = engine.found ? Level::kOk
                                       : broken     ? Level::kWarning
                                                    : Level::kAbsent,
                              .value = engine.found ? value
                                       : broken     ? "incomplete"
                                                    : "not available",
                              .meaning = engine.state,
                              .advice = engine.advice}));
  }
  return findings;
}

std::vector<Caveat> CaveatsOf(const std::vector<Finding>& findings) {
  std::vector<Caveat> caveats;
  for (const Finding& finding : findings) {
    if (!finding.caveat) continue;
    if (std::ranges::find(caveats, *finding.caveat, &Caveat::key) != caveats.end()) continue;
    caveats.push_back({*finding.caveat, fmt::format("{}: {}", finding.what, finding.value)});
  }
  return caveats;
}

}  // namespace tare::host
