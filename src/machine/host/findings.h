// findings.h: facts about a machine as rows: what each means for measuring, and what to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "machine/host/engines.h"
#include "machine/host/machine.h"

namespace tare::host {

// Ok: suitable for measuring. Note: worth knowing. Warning: disturbs or prevents measuring. Absent:
// unknown.
enum class Level { kOk, kNote, kWarning, kAbsent };

std::string_view Name(Level level);

// Rows of one group form one table.
enum class Group { kMachine, kPermission, kDisturbance, kSpace, kCounters, kEngines };

std::string_view Title(Group group);

// All text is printable. Values are at most kMaxValueColumns wide, meaning and advice at most
// kMaxSentenceColumns; longer text is truncated and marked with an ellipsis.
inline constexpr std::size_t kMaxValueColumns = 40;
inline constexpr std::size_t kMaxSentenceColumns = 110;

struct Finding {
  Group group = Group::kMachine;
  std::string id;     // stable: "perf-event-paranoid"
  std::string what;   // "perf_event_paranoid"
  std::string value;  // "2"; "not available" at level absent
  Level level = Level::kOk;
  std::string meaning;             // for measuring; at level absent: why it is unknown
  std::string advice;              // empty: nothing to do
  std::optional<CaveatId> caveat;  // that results measured here should carry
};

// One row per fact, in the order of the groups. Never fails: a missing fact gets a row too.
std::vector<Finding> Examine(const Machine& machine);

// One row per engine.
std::vector<Finding> ExamineEngines(const std::vector<Engine>& engines);

// The caveats of the rows without duplicates; the row's value is the detail.
std::vector<Caveat> CaveatsOf(const std::vector<Finding>& findings);

}  // namespace tare::host
