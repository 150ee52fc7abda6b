// sign_tables.h: what a signature says about machines: blocks, functions and loops.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/machine/described_machine.h"
#include "cli/commands/sign/sign_usage.h"
#include "predict/signature/cache_hits.h"
#include "predict/signature/signature.h"
#include "report/document.h"

namespace tare::cli {

struct SignView {
  std::string per = "block";  // or "function", "loop": the table that text shows
  std::size_t top = 10;       // rows of each table; 0: all
  bool verbose = false;       // more columns, and the tables of processes
  bool all = false;           // all tables and columns: for machine-readable output
};

// The hierarchies of the machines; kUsage for an impossible one.
Result<std::vector<signature::Hierarchy>> HierarchiesOf(std::span<const DescribedMachine> machines);

// Adds a summary and the tables `blocks`, `functions`, `loops`, `processes` and `machines`. There
// must be at least one hierarchy.
void AddSignTables(const signature::Signature& signature,
                   std::span<const signature::Hierarchy> hierarchies, const SignView& view,
                   report::Document& document);

// The table of blocks, functions or loops ("block", "function", "loop") on one machine, for a
// terminal of 80 columns. `top` rows; 0: all.
report::Table ShortSignTable(const SignUsages& usages, std::string_view per,
                             const signature::Hierarchy& hierarchy, std::size_t machine,
                             std::size_t top);

// That the signature is incomplete, that its files have changed since (by their build ids), that a
// machine has another instruction set.
std::vector<Caveat> SignCaveats(const signature::Signature& signature,
                                std::span<const DescribedMachine> machines);

}  // namespace tare::cli
