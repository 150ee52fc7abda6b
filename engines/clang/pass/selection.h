// selection.h: selects the functions that get a counter each.
#pragma once

#include <vector>

#include "format/instrument_plan.h"
#include "module_view.h"

namespace tare::clang_engine {

// Returns the functions defined here that match the selection.
std::vector<const KnownFunction*> SelectedFunctions(const ModuleView& view,
                                                    const format::FunctionSelection& selection);

}  // namespace tare::clang_engine
