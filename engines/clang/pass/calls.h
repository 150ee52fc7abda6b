// calls.h: events of functions: entries, calls of library functions, virtual calls, values.
#pragma once

#include "event.h"
#include "format/instrument_plan.h"
#include "match.h"
#include "module_view.h"

namespace tare::clang_engine {

// `metric` is number `index` of the plan. Fails the compilation when it cannot be counted.
void AddCalls(const ModuleView& view, const format::PlannedMetric& metric, std::size_t index,
              Events& events);

// To be called before events are collected. Turns available_externally definitions of counted
// functions into declarations. If their calls were inlined here, the unit with the real definition
// would not count them.
void DropInlineBodies(ModuleView& view, const format::InstrumentPlan& plan);

// Adds the entries of the method and of all methods that override it.
void AddVirtualCalls(const ModuleView& view, const format::PlannedMetric& metric, std::size_t index,
                     Events& events);

}  // namespace tare::clang_engine
