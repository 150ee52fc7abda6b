// calls.h: events of functions: entries, calls of library functions, virtual functions, values.
#pragma once

#include "event.h"
#include "format/instrument_plan.h"
#include "match.h"
#include "module_view.h"

namespace tare::clang_engine {

// `metric` is number `index` of the plan. What cannot be counted fails the compilation.
void AddCalls(const ModuleView& view, const format::PlannedMetric& metric, std::size_t index,
              Events& events);

// To be called before events are looked for: functions that are metrics and whose bodies are here
// to be inlined only become declarations. Where calls of them were inlined, the unit that has the
// real one would not see them.
void DropInlineBodies(ModuleView& view, const format::InstrumentPlan& plan);

// Entries of the method and of all that override it.
void AddVirtualCalls(const ModuleView& view, const format::PlannedMetric& metric, std::size_t index,
                     Events& events);

}  // namespace tare::clang_engine
