// virtual_tables.h: what the models of a processor counted, as tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/count/count_program.h"
#include "model/core/model_event.h"
#include "model/core/modelled_events.h"
#include "model/core/processor.h"
#include "report/document.h"

namespace tare::cli {

// The engines of a report that told models, and gave counts.
std::vector<const count::EngineCounts*> ModelledCounts(const count::CountReport& report);

// A row per figure: how often, for each 1000 instructions, and as a share of what it happens to.
// What has no model in the description is absent with the reason. `all`: figures that are shown
// when asked for, too.
report::Table VirtualTable(const count::EngineCounts& counts, const model::Processor& processor,
                           bool all);

// What the engine tells the models.
model::Told ToldBy(const count::EngineCounts& counts);

// The events that functions and blocks are listed with: misses of each level, and mispredictions.
struct EventColumns {
  const model::Processor& processor;
  model::Told told = model::Told::kEverything;
  const model::EventText* sorted_by = nullptr;  // null: by instructions
  bool brief = false;  // instead of loads, stores and branches, so that a row fits on a line
};
void AddEventColumns(std::vector<report::Column>& columns);
void AddEventCells(const model::EventCounts& events, const EventColumns& columns,
                   std::vector<report::Cell>& row);

// Which processor was modelled, and what its description did not say.
std::string VirtualSummary(const model::Processor& processor);

}  // namespace tare::cli
