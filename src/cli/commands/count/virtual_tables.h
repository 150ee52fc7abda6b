// virtual_tables.h: tables of the events that the models of a processor counted.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/count/count_program.h"
#include "model/core/model_event.h"
#include "model/core/modelled_events.h"
#include "model/core/processor.h"
#include "report/document.h"

namespace tare::cli {

// The engines of a report that fed models and gave counts.
std::vector<const count::EngineCounts*> ModelledCounts(const count::CountReport& report);

// A row per event: count, count per 1000 instructions, and share of its base. An event without a
// model in the description is absent with the reason. `all` includes events that are shown only on
// request.
report::Table VirtualTable(const count::EngineCounts& counts, const model::Processor& processor,
                           bool all);

// Why modelled cycles are doubtful.
inline constexpr std::string_view kModelledCycles =
    "a model with a mean cost per event and no pipeline; compare it only with other modelled "
    "cycles";

// The modelled cycles of each run; empty if the engine feeds only data to the models.
std::vector<double> CyclesOfRuns(const count::EngineCounts& counts,
                                 const model::Processor& processor);

// What the engine feeds to the models.
model::ModelInputs InputsOf(const count::EngineCounts& counts);

// The events listed with functions and blocks: misses of each level, mispredictions, and the one
// that they are sorted by.
struct EventColumns {
  const model::Processor& processor;
  model::ModelInputs inputs = model::ModelInputs::kAll;
  const model::EventText* sorted_by = nullptr;  // null: by instructions
  bool brief = false;  // replaces loads, stores and branches, so that a row fits on a line
};
void AddEventColumns(const EventColumns& events, std::vector<report::Column>& columns);
void AddEventCells(const model::EventCounts& events, const EventColumns& columns,
                   std::vector<report::Cell>& row);

// The modelled processor, and what its description lacks.
std::string VirtualSummary(const model::Processor& processor);

}  // namespace tare::cli
