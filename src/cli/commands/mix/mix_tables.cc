// mix_tables.cc: the basic tables of a binary.
#include "cli/commands/mix/mix_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>

#include "base/grouped.h"
#include "base/printable.h"
#include "binary/mix/full_mix.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using decode::Category;
using report::Cell;

std::string NameOf(std::size_t category) {
  return std::string(CategoryName(static_cast<Category>(category)));
}

Measured Percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return Absent("there are no instructions");
  return Known(100 * static_cast<double>(part) / static_cast<double>(whole));
}

mix::Counts WholeCounts(const mix::FileMix& file) { return file.code->total().categories; }

}  // namespace

std::string CategoryColumn(std::size_t category) {
  std::string name = NameOf(category);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name;
}

void AddCategoryColumns(std::vector<report::Column>& columns) {
  for (std::size_t i = 0; i < decode::kCategories; ++i) columns.push_back({CategoryColumn(i)});
}

void AddCategoryCells(const mix::Counts& counts, std::vector<Cell>& row) {
  for (const auto count : counts) row.emplace_back(Count(count));
}

bool IsExact(const mix::Inclusive& inclusive) {
  return inclusive.unresolved == 0 && inclusive.certain == inclusive.possible;
}

Measured InclusiveCell(const mix::Inclusive& inclusive, std::uint64_t count) {
  Measured cell = Count(count);
  if (IsExact(inclusive)) return cell;
  cell.exact = false;
  cell.low = static_cast<double>(count);
  return Doubtful(cell, "a lower bound: indirect calls may reach more");
}

std::string MixAnswer(const mix::FileMix& file, const std::string& name,
                      const mix::InterfaceUses& uses, const Result<mix::Inclusive>& inclusive,
                      const std::string& root) {
  const auto counts = WholeCounts(file);
  const auto all = mix::Sum(counts);
  std::string text = fmt::format("{} has {} instructions in {} functions", name,
                                 report::ShowMeasured(Count(all), 1).value,
                                 Grouped(file.image->functions().size()));
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return counts[i]; });
  std::string largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()) && all > 0; ++i) {
    largest += fmt::format("{}{:.0f} % {}", largest.empty() ? "" : ", ",
                           100 * static_cast<double>(counts[order[i]]) / static_cast<double>(all),
                           NameOf(order[i]));
  }
  text += largest.empty() ? "." : fmt::format(": {}.", largest);
  if (inclusive) {
    text += fmt::format(" {} of them are in functions that {} can reach{}.",
                        report::ShowMeasured(Count(mix::Sum(inclusive->certain)), 1).value, root,
                        IsExact(*inclusive) ? "" : ", or more by indirect calls");
  }
  return text + WordsOfMix(counts.back() > 0, !uses.uses.empty());
}

std::string WordsOfMix(bool unclassified, bool interface) {
  std::string text;
  if (unclassified) {
    text +=
        fmt::format(" {}: no operation of the other categories, such as moves between registers.",
                    NameOf(decode::kCategories - 1));
  }
  if (interface) text += " Interface: instructions that call a measurement interface.";
  return text;
}

report::Table TotalTable(const mix::FileMix& file, const mix::InterfaceUses& uses) {
  report::Table table{
      "total", "Instructions of the whole file", {{"category"}, {"count"}, {"share", "%"}}, {}};
  const auto counts = WholeCounts(file);
  const auto interface = InterfaceCounts(uses);
  if (!uses.uses.empty()) table.columns.push_back({"interface"});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    table.rows.push_back({NameOf(i), Count(counts[i]), Percent(counts[i], mix::Sum(counts))});
    if (!uses.uses.empty()) table.rows.back().emplace_back(Count(interface[i]));
  }
  return table;
}

report::Table InclusiveTable(const Result<mix::Inclusive>& inclusive, const std::string& root) {
  report::Table table{
      "inclusive",
      fmt::format("Inclusive mix of {}: all functions reachable from it, each counted once",
                  ShownName(root)),
      {{"category"}, {"count"}, {"share", "%"}, report::Detail({"possible"})},
      {}};
  for (std::size_t i = 0; i < decode::kCategories; ++i) {
    if (!inclusive) {
      const auto absent = Absent(inclusive.error().message);
      table.rows.push_back({NameOf(i), absent, absent, absent});
      continue;
    }
    table.rows.push_back({NameOf(i), InclusiveCell(*inclusive, inclusive->certain[i]),
                          Percent(inclusive->certain[i], mix::Sum(inclusive->certain)),
                          Count(inclusive->possible[i])});
  }
  return table;
}

std::vector<std::string> SortColumns() {
  std::vector<std::string> columns = {"instructions", "function", "address"};
  for (std::size_t i = 0; i < decode::kCategories; ++i) columns.push_back(CategoryColumn(i));
  return columns;
}

namespace {

// The first `max_rows` functions in the order of a column: largest first, names and addresses
// ascending.
std::vector<std::uint32_t> SortedFunctions(const mix::FileMix& file, const std::string& sort,
                                           std::size_t max_rows) {
  const auto& functions = file.image->functions();
  std::vector<std::uint32_t> order(functions.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(max_rows, order.size()));
  if (sort == "function") {
    std::ranges::partial_sort(order, end, {}, [&](std::uint32_t i) {
      return std::pair(std::string_view(functions[i].name), i);
    });
  } else if (sort != "address") {
    const auto columns = SortColumns();
    const auto column =
        static_cast<std::size_t>(std::ranges::find(columns, sort) - columns.begin());
    const auto key = [&](std::uint32_t i) {
      const auto& mix = file.code->functions()[i].mix;
      return sort == "instructions" ? mix.Instructions()
                                    : mix.counts[column - (columns.size() - mix.counts.size())];
    };
    std::vector<std::uint64_t> keys(order.size());
    for (const auto i : order) keys[i] = ~key(i);
    std::ranges::partial_sort(order, end, {},
                              [&](std::uint32_t i) { return std::pair(keys[i], i); });
  }
  order.erase(end, order.end());
  return order;
}

constexpr std::array kVectorClasses = {decode::InstructionClass::kPackedFloat,
                                       decode::InstructionClass::kPackedInteger};

void AddTypeColumns(std::vector<report::Column>& columns) {
  const auto add = [&](std::string name) {
    std::ranges::replace(name, ' ', '_');
    std::ranges::replace(name, '-', '_');
    columns.push_back(report::Detail({std::move(name)}));
  };
  for (const auto one : kVectorClasses) add(std::string(TextOf(one).id));
  for (std::size_t i = 0; i < decode::kOperandTypes; ++i)
    add(std::string(OperandTypeName(static_cast<decode::OperandType>(i))));
}

void AddTypeCells(const code::FullMix& mix, std::vector<Cell>& row) {
  for (const auto one : kVectorClasses) row.emplace_back(Count(mix[one]));
  for (const auto count : mix.operand_types) row.emplace_back(Count(count));
}

}  // namespace

report::Table FunctionMixTable(const mix::FileMix& file, const std::string& sort,
                               std::size_t max_rows, bool with_place, bool with_types) {
  report::Table table{
      "functions", "Functions", {report::SymbolColumn("function"), {"instructions"}}, {}};
  AddCategoryColumns(table.columns);
  const bool with_source = with_place && file.sources.has_value();
  if (with_place) table.columns.push_back({"address"});
  if (with_source) table.columns.push_back({"source"});
  if (with_types) AddTypeColumns(table.columns);
  const auto& functions = file.image->functions();
  for (const auto i : SortedFunctions(file, sort, max_rows)) {
    const auto& mix = file.code->functions()[i].mix;
    std::vector<Cell> row = {ShownName(functions[i].name), Count(mix.Instructions())};
    for (const auto count : mix.counts) row.emplace_back(Count(count));
    if (with_place) row.emplace_back(fmt::format("{:#x}", functions[i].start));
    if (with_source) {
      const auto line = file.sources->DeclarationOf(functions[i].start);
      const bool known = line && line->file < file.sources->files().size();
      row.emplace_back(known ? Cell(Printable(fmt::format(
                                   "{}:{}", file.sources->files()[line->file], line->line)))
                             : Cell(Absent("the debug information has no line for it")));
    }
    if (with_types) AddTypeCells(mix::FullMixOf(*file.code, std::span(&i, 1)), row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table ClassTable(const code::FullMix& total, bool all) {
  report::Table table{"classes",
                      "Finer classes; an instruction may belong to several",
                      {{"class"}, {"count"}, {"share", "%"}},
                      {}};
  AddCategoryColumns(table.columns);
  table.columns.push_back({"meaning", "", true});
  for (std::size_t i = 0; i < decode::kInstructionClasses; ++i) {
    const auto one = static_cast<decode::InstructionClass>(i);
    if (total[one] == 0 && !all) continue;
    std::vector<Cell> row = {std::string(TextOf(one).id), Count(total[one]),
                             Percent(total[one], total.Instructions())};
    AddCategoryCells(total.classes[i], row);
    row.emplace_back(std::string(TextOf(one).meaning));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table OperandTable(const code::FullMix& total) {
  report::Table table{"operands", "Operand types", {{"type"}, {"count"}, {"share", "%"}}, {}};
  for (std::size_t i = 0; i < decode::kOperandTypes; ++i)
    table.rows.push_back({std::string(OperandTypeName(static_cast<decode::OperandType>(i))),
                          Count(total.operand_types[i]),
                          Percent(total.operand_types[i], total.Instructions())});
  return table;
}

mix::Counts InterfaceCounts(const mix::InterfaceUses& uses,
                            std::span<const std::uint32_t> functions) {
  mix::Counts counts = {};
  for (const auto i : functions) {
    counts[static_cast<std::size_t>(Category::kCalls)] += uses.calls[i];
    counts[static_cast<std::size_t>(Category::kUnconditionalBranches)] += uses.jumps[i];
    counts[static_cast<std::size_t>(Category::kBranches)] += uses.conditional_jumps[i];
  }
  return counts;
}

mix::Counts InterfaceCounts(const mix::InterfaceUses& uses) {
  std::vector<std::uint32_t> all(uses.calls.size());
  std::iota(all.begin(), all.end(), 0U);
  return InterfaceCounts(uses, all);
}

report::Bars MixBars(std::span<const MixBar> bars) {
  report::Bars block{"mix", "Instructions by category", "", {}, {}};
  for (std::size_t i = 0; i < decode::kCategories; ++i) block.segments.push_back(NameOf(i));
  const bool apart =
      std::ranges::any_of(bars, [](const MixBar& bar) { return mix::Sum(bar.interface) > 0; });
  if (apart) block.segments.emplace_back("measurement interface");
  for (const auto& bar : bars) {
    report::Bar drawn{bar.name, {}};
    const auto add = [&](std::uint64_t count) {
      Measured value = Count(count);
      if (!bar.doubt.empty()) {
        value.exact = false;
        value.low = static_cast<double>(count);
        value = Doubtful(value, bar.doubt);
      }
      drawn.values.push_back(std::move(value));
    };
    for (std::size_t i = 0; i < bar.counts.size(); ++i) add(bar.counts[i] - bar.interface[i]);
    if (apart) add(mix::Sum(bar.interface));
    block.bars.push_back(std::move(drawn));
  }
  return block;
}

}  // namespace tare::cli
