// failed_events.h: marks the numbers of events that failed the self-test of this machine.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "machine/pmu/event_verdicts.h"
#include "report/document.h"

namespace tare::cli {

// Names of this machine, kernel and boot, without verdicts.
pmu::EventVerdicts VerdictsOfThisBoot();

// The stored verdicts, if they are of this machine, kernel and boot.
std::optional<pmu::EventVerdicts> StoredVerdicts();

// Makes every number of a failed event doubtful and adds the caveat. A row states its event in a
// column metric, event, first or second, or an event is a column; the source is in a column engine,
// source or group. Without such a column, it is one of `sources`.
void MarkFailedEvents(report::Document& document, const pmu::EventVerdicts& verdicts,
                      std::span<const std::string> sources);

}  // namespace tare::cli
