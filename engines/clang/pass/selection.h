// selection.h: functions of which each gets a counter of its own.
#pragma once

#include <vector>

#include "format/instrument_plan.h"
#include "module_view.h"

namespace tare::clang_engine {

// Functions defined here that pass the selection.
std::vector<const KnownFunction*> SelectedFunctions(const ModuleView& view,
                                                    const format::FunctionSelection& selection);

}  // namespace tare::clang_engine
