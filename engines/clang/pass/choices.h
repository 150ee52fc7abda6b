// choices.h: what of a module could be chosen for a metric.
#pragma once

#include <string>
#include <vector>

#include "format/instrument_plan.h"
#include "module_view.h"
#include "updates.h"

namespace tare::clang_engine {

// Of one kind of event, for near matches too. Sorted, each once.
std::vector<format::Choice> FunctionChoices(const ModuleView& view);
std::vector<format::Choice> VirtualChoices(const ModuleView& view);
std::vector<format::Choice> UpdateChoices(const ModuleView& view,
                                          const std::vector<Update>& updates);
// Lines with code, loops and blocks: many.
std::vector<format::Choice> PlaceChoices(const ModuleView& view);

// Leaves lines in section .tare_names of the object, which is not loaded. The linker keeps one of
// equal lines.
void KeepNames(llvm::Module& module, const std::vector<format::Choice>& choices);

// Appends at once, so that compilers may run side by side. False when it cannot be written.
bool AppendNames(const std::string& path, const std::vector<format::Choice>& choices);

}  // namespace tare::clang_engine
