// mix_tables.h: tables and bars of the static mix of one binary.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binary/mix/build_facts.h"
#include "binary/mix/file_mix.h"
#include "binary/mix/measurement_interface.h"
#include "binary/mix/source_mix.h"
#include "binary/mix/weights.h"
#include "report/document.h"

namespace tare::cli {

// The category's name as a column name: "arith", "stack_ops".
std::string CategoryColumn(std::size_t category);

// Adds a column for each category.
void AddCategoryColumns(std::vector<report::Column>& columns);
void AddCategoryCells(const mix::Counts& counts, std::vector<report::Cell>& row);

using mix::ShownName;

// Whether there is no unresolved indirect call and every call has one certain target.
bool IsExact(const mix::Inclusive& inclusive);

// Exact, unless unresolved indirect calls make it a lower bound.
Measured InclusiveCell(const mix::Inclusive& inclusive, std::uint64_t count);

// What the words of the tables mean, where they have them; begins with a blank.
std::string WordsOfMix(bool unclassified, bool interface);

// The finding in a few sentences: how many instructions of which categories.
std::string MixAnswer(const mix::FileMix& file, const std::string& name,
                      const mix::InterfaceUses& uses, const Result<mix::Inclusive>& inclusive,
                      const std::string& root);

report::Table TotalTable(const mix::FileMix& file, const mix::InterfaceUses& uses);
// `inclusive` is an error if there is no root.
report::Table InclusiveTable(const Result<mix::Inclusive>& inclusive, const std::string& root);

// Names of the columns by which FunctionMixTable can be sorted.
std::vector<std::string> SortColumns();
// `with_place` includes addresses, and source lines if they are known; `with_types` the operand
// types and vectors of each function.
report::Table FunctionMixTable(const mix::FileMix& file, const std::string& sort,
                               std::size_t max_rows, bool with_place, bool with_types);
// Omits classes without instructions unless `all`.
report::Table ClassTable(const code::FullMix& total, bool all);
report::Table OperandTable(const code::FullMix& total);
report::Table FactsTable(const mix::FileMix& file, const mix::Facts& facts);
report::Table InterfaceTable(std::span<const mix::InterfaceUses> uses,
                             std::span<const std::string> files);
report::Table CallTable(const mix::FileMix& file, std::size_t max_rows);
report::Table LineTable(const mix::FileMix& file, const mix::SourceMix& mix, std::size_t max_rows);
report::Table InlinedTable(const mix::FileMix& file, const mix::SourceMix& mix,
                           std::size_t max_rows);
report::Table WeightedTable(const mix::FileMix& file, const mix::WeightedMix& weighted);

// Stacked bars of categories; calls of a measurement interface are separate.
struct MixBar {
  std::string name;
  mix::Counts counts = {};
  mix::Counts interface = {};  // part of `counts`
  std::string doubt;           // why the numbers are lower bounds; empty if exact
};
report::Bars MixBars(std::span<const MixBar> bars);

// Call sites of the interface by the category of their instruction, in the given functions.
mix::Counts InterfaceCounts(const mix::InterfaceUses& uses,
                            std::span<const std::uint32_t> functions);
mix::Counts InterfaceCounts(const mix::InterfaceUses& uses);

}  // namespace tare::cli
