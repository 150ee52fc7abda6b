// count_events.h: the list of portable event names.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/command.h"
#include "machine/pmu/named_events.h"
#include "report/document.h"

namespace tare::cli {

// A row per name of NamedEvents(); `chosen` has what was found for each of them, in this order.
report::Table NamedEventsTable(std::span<const pmu::ChosenMetric> chosen);

// `tare count --list-events`. Takes kUsage if a program is given.
Result<Outcome> ListEvents(const Session& session);

}  // namespace tare::cli
