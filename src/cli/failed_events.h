// failed_events.h: marks the numbers of events that failed the self-test of this machine.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "machine/pmu/event_verdicts.h"
#include "report/document.h"

namespace tare::cli {

// Names of this machine, kernel and boot, without verdicts.
pmu::EventVerdicts VerdictsOfThisBoot();

struct StoredSelfTest {
  std::optional<pmu::EventVerdicts> verdicts;  // if they are of this machine, kernel and boot
  std::optional<Caveat> damage;                // there is a file, and it cannot be read
};

StoredSelfTest ReadSelfTest();

// What counted the numbers of a document.
struct CountedBy {
  std::vector<std::string> sources;
  // By block ID, where they differ from `sources` and from a column of sources. A block with none
  // is not marked.
  std::map<std::string, std::vector<std::string>> of_block = {};
  // Events that all numbers of the document derive from.
  std::vector<std::string> needed = {};
};

// Makes every number of a failed event doubtful and adds the caveat. A row states its event in a
// column metric, event, what, response, first or second; the source is in a column engine, source
// or group. Without such a column, it is one of the sources. Without a column for the event, an
// event may be a column, if there is a column of sources or a single source. A column `verdict`
// that says "valid" follows. Lines and bars of plots are named after their events, and a segment of
// bars can be the source.
void MarkFailedEvents(report::Document& document, const pmu::EventVerdicts& verdicts,
                      const CountedBy& counted);

}  // namespace tare::cli
