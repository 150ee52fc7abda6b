// count_events.cc: the event of this processor that each portable name means.
#include "cli/commands/count/count_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "cli/cells.h"
#include "machine/host/conditions.h"

namespace tare::cli {

report::Table NamedEventsTable(std::span<const pmu::ChosenMetric> chosen) {
  report::Table table{"named_events",
                      "Portable names of events",
                      {{"event"}, {"papi"}, {"here"}, {"test"}, {"meaning"}},
                      {}};
  table.whole = true;
  const auto names = pmu::NamedEvents();
  CHECK(chosen.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool known = chosen[i].event.has_value();
    table.rows.push_back(
        {std::string(names[i].name), std::string(names[i].papi),
         known ? report::Cell(chosen[i].event_name) : report::Cell(Absent(chosen[i].absence)),
         known ? std::string(Name(chosen[i].test.works)) : std::string(),
         std::string(names[i].meaning)});
  }
  return table;
}

Result<Outcome> ListEvents(const Session& session) {
  if (!session.program.empty() || !session.operands.empty()) {
    return Fail(ErrorKind::kUsage, "--list-events runs no program; remove it");
  }
  const auto permissions = pmu::PermissionsOf(host::ReadConditions({}, {}));
  std::vector<pmu::ChosenMetric> chosen;
  for (const pmu::NamedEvent& named : pmu::NamedEvents()) {
    chosen.push_back(pmu::ChooseNamedEvent(named, permissions));
  }
  const auto here = std::ranges::count_if(
      chosen, [](const pmu::ChosenMetric& metric) { return metric.event.has_value(); });
  Outcome outcome;
  outcome.document.title = "Events for --event";
  outcome.document.blocks.emplace_back(NamedEventsTable(chosen));
  outcome.document.blocks.emplace_back(report::Text{
      "answer", fmt::format("{} of {} portable names have an event on this machine. --event also "
                            "takes names of libpfm4 and of the kernel; tare doctor --events tries "
                            "the kernel's.",
                            here, chosen.size())});
  return outcome;
}

}  // namespace tare::cli
