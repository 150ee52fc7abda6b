// choices.h: what of a module could be chosen for a metric.
#pragma once

#include <string>
#include <vector>

#include "module_view.h"
#include "trace/instrument_plan.h"
#include "updates.h"

namespace tare::clang_engine {

// Of one kind of event, for near matches too. Sorted, each once.
std::vector<trace::Choice> FunctionChoices(const ModuleView& view);
std::vector<trace::Choice> VirtualChoices(const ModuleView& view);
std::vector<trace::Choice> UpdateChoices(const ModuleView& view,
                                         const std::vector<Update>& updates);
// Lines with code, loops and blocks: many.
std::vector<trace::Choice> PlaceChoices(const ModuleView& view);

// Leaves lines in section .tare_names of the object, which is not loaded. The linker keeps one of
// equal lines.
void KeepNames(llvm::Module& module, const std::vector<trace::Choice>& choices);

// Appends at once, so that compilers may run side by side. False when it cannot be written.
bool AppendNames(const std::string& path, const std::vector<trace::Choice>& choices);

}  // namespace tare::clang_engine
