// mix_compare_tables.h: tables that compare two binaries.
#pragma once

#include <array>
#include <string>

#include "binary/mix/mix_comparison.h"
#include "cli/commands/mix/mix_tables.h"

namespace tare::cli {

// "first" and "second" in all tables are the files in the given order.
report::Table DifferenceTable(const mix::FileMix& first, const mix::FileMix& second,
                              const mix::InterfaceUses& first_uses,
                              const mix::InterfaceUses& second_uses);
report::Table InclusiveDifferenceTable(const Result<mix::Inclusive>& first,
                                       const Result<mix::Inclusive>& second,
                                       const std::string& root);
// `unchanged` includes functions without a change.
report::Table FunctionDifferenceTable(const mix::Comparison& comparison, std::size_t max_rows,
                                      bool unchanged);
report::Table CallReasonTable(const mix::Comparison& comparison);
report::Table CallChangeTable(const mix::Comparison& comparison, std::size_t max_rows);
report::Table LoneTable(const mix::Comparison& comparison, std::size_t max_rows,
                        bool with_categories);
report::Table FactsDifferenceTable(const report::Table& first, const report::Table& second);
report::Table ClassDifferenceTable(const code::FullMix& first, const code::FullMix& second);
report::Table OperandDifferenceTable(const code::FullMix& first, const code::FullMix& second);
report::Table WeightedDifferenceTable(const mix::WeightedMix& first,
                                      const mix::WeightedMix& second);

// A summary of the comparison in a few sentences.
std::string ComparisonSummary(const mix::FileMix& first, const mix::FileMix& second,
                              const mix::Comparison& comparison,
                              const mix::InterfaceUses& second_uses);

}  // namespace tare::cli
