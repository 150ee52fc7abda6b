// place_events.h: events of lines, loops, blocks, variables and members.
#pragma once

#include <map>
#include <vector>

#include "event.h"
#include "format/instrument_plan.h"
#include "lines.h"
#include "module_view.h"
#include "updates.h"

namespace tare::clang_engine {

// Blocks and loops as clang generated them, before any edge is split.
struct FlowOfSource {
  explicit FlowOfSource(const ModuleView& view, const format::InstrumentPlan& plan);
  std::map<const llvm::Function*, std::vector<llvm::BasicBlock*>> blocks;
  std::map<const llvm::Function*, std::vector<SourceLoop>> loops;
};

void AddBlocks(const ModuleView& view, const FlowOfSource& flow,
               const format::PlannedMetric& metric, std::size_t index, Events& events);
void AddLoops(const ModuleView& view, const FlowOfSource& flow, const format::PlannedMetric& metric,
              std::size_t index, Events& events);
void AddLines(const ModuleView& view, const format::PlannedMetric& metric, std::size_t index,
              Events& events);
void AddUpdates(const ModuleView& view, const std::vector<Update>& updates,
                const format::PlannedMetric& metric, std::size_t index, Events& events);

// Whether the metric names a local variable or an argument ("function.name") of this unit.
bool NamesLocal(const ModuleView& view, const format::PlannedMetric& metric);

}  // namespace tare::clang_engine
