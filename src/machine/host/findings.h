// findings.h: what is known of a machine, turned into rows: what it means for measuring, and what
// to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "machine/host/engines.h"
#include "machine/host/machine.h"

namespace tare::host {

// Ok: good for measuring. Note: worth knowing. Warning: disturbs or forbids measuring. Absent: it
// could not be told.
enum class Level { kOk, kNote, kWarning, kAbsent };

std::string_view Name(Level level);

// Rows of one group belong in one table.
enum class Group { kMachine, kPermission, kDisturbance, kSpace, kCounters, kEngines };

std::string_view Title(Group group);

// All text is safe to show. Values take at most kMaxValueColumns, meaning and advice at most
// kMaxSentenceColumns; what is longer is cut and marked.
inline constexpr std::size_t kMaxValueColumns = 40;
inline constexpr std::size_t kMaxSentenceColumns = 110;

struct Finding {
  Group group = Group::kMachine;
  std::string id;     // stable: "perf-event-paranoid"
  std::string what;   // "perf_event_paranoid"
  std::string value;  // "2"; "not available" at level absent
  Level level = Level::kOk;
  std::string meaning;             // for measuring; at level absent why it is not known
  std::string advice;              // empty: nothing to do
  std::optional<CaveatId> caveat;  // that results measured here should carry
};

// One row per thing, in the order of the groups. Never fails: what is missing is a row too.
std::vector<Finding> Examine(const Machine& machine);

// One row per engine.
std::vector<Finding> ExamineEngines(const std::vector<Engine>& engines);

// The caveats of the rows, each once, with the row's value as detail.
std::vector<Caveat> CaveatsOf(const std::vector<Finding>& findings);

}  // namespace tare::host
