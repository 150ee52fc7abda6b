// metric_candidates.h: the functions, variables and places of a module that a metric can name.
#pragma once

#include <string>
#include <vector>

#include "format/instrument_plan.h"
#include "module_view.h"
#include "updates.h"

namespace tare::clang_engine {

// The candidates for one kind of event, also used to suggest near matches. Sorted, without
// duplicates.
std::vector<format::Candidate> FunctionCandidates(const ModuleView& view);
std::vector<format::Candidate> VirtualCandidates(const ModuleView& view);
std::vector<format::Candidate> UpdateCandidates(const ModuleView& view,
                                                const std::vector<Update>& updates);
// Lines with code, loops and blocks; the list is long.
std::vector<format::Candidate> PlaceCandidates(const ModuleView& view);

// Writes the candidates as lines to section .tare_names of the object file, which is not loaded.
// The linker merges equal lines.
void EmbedNames(llvm::Module& module, const std::vector<format::Candidate>& candidates);

// Appends with one write, so that compilers may run in parallel. Returns false when the file cannot
// be written.
bool AppendNames(const std::string& path, const std::vector<format::Candidate>& candidates);

}  // namespace tare::clang_engine
