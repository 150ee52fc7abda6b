// mix_compare_tables.cc: differences by category, function and call.
#include "cli/commands/mix/mix_compare_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/grouped.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using report::Cell;

Measured Difference(std::uint64_t first, std::uint64_t second) {
  return Exact(static_cast<std::int64_t>(second) - static_cast<std::int64_t>(first));
}

Measured Ratio(double first, double second) {
  if (first == 0) return Absent("the first file has none");
  return Known(second / first);
}

// first, second, difference, ratio
void AddPair(std::uint64_t first, std::uint64_t second, std::vector<Cell>& row) {
  row.emplace_back(Count(first));
  row.emplace_back(Count(second));
  row.emplace_back(Difference(first, second));
  row.emplace_back(Ratio(static_cast<double>(first), static_cast<double>(second)));
}

std::vector<report::Column> PairColumns(const char* what) {
  return {{what}, {"first"}, {"second"}, {"difference"}, {"ratio"}};
}

std::string CategoryText(std::size_t category) {
  return std::string(CategoryName(static_cast<decode::Category>(category)));
}

std::string_view Why(const mix::LoneFunction& lone) {
  if (lone.of_interface) return "measurement interface";
  if (lone.inlined_elsewhere.value_or(0) > 0) return "inlined in the other";
  if (lone.inlined_elsewhere) return "merged, removed or unused in the other";
  return lone.calls > 0 ? "inlined or unused in the other" : "no direct calls";
}

}  // namespace

report::Table DifferenceTable(const mix::FileMix& first, const mix::FileMix& second,
                              const mix::InterfaceUses& first_uses,
                              const mix::InterfaceUses& second_uses) {
  report::Table table{
      "difference", "Instructions of the whole files", PairColumns("category"), {}, true};
  table.columns.push_back({"interface"});
  const auto& a = first.code->total().categories;
  const auto& b = second.code->total().categories;
  const auto interface_a = InterfaceCounts(first_uses);
  const auto interface_b = InterfaceCounts(second_uses);
  const auto add = [&](std::string name, std::uint64_t x, std::uint64_t y, std::uint64_t in_a,
                       std::uint64_t in_b) {
    std::vector<Cell> row = {std::move(name)};
    AddPair(x, y, row);
    row.emplace_back(Difference(in_a, in_b));
    table.rows.push_back(std::move(row));
  };
  for (std::size_t i = 0; i < a.size(); ++i)
    add(CategoryText(i), a[i], b[i], interface_a[i], interface_b[i]);
  add("all", mix::Sum(a), mix::Sum(b), mix::Sum(interface_a), mix::Sum(interface_b));
  return table;
}

report::Table InclusiveDifferenceTable(const Result<mix::Inclusive>& first,
                                       const Result<mix::Inclusive>& second,
                                       const std::string& root) {
  report::Table table{
      "inclusive",
      fmt::format("Inclusive mix of {}, each function counted once", ShownName(root)),
      PairColumns("category"),
      {}};
  table.columns.push_back(report::Detail({"first_possible"}));
  table.columns.push_back(report::Detail({"second_possible"}));
  const auto cell = [](const Result<mix::Inclusive>& side, std::size_t i) {
    return side ? InclusiveCell(*side, side->certain[i]) : Absent(side.error().message);
  };
  const auto possible = [](const Result<mix::Inclusive>& side, std::size_t i) {
    return side ? Count(side->possible[i]) : Absent(side.error().message);
  };
  for (std::size_t i = 0; i < decode::kCategories; ++i) {
    std::vector<Cell> row = {CategoryText(i), cell(first, i), cell(second, i)};
    if (first && second) {
      // A difference is only as exact as its two numbers.
      const auto with_verdict = [&](Measured number) {
        if (!number.value || (IsExact(*first) && IsExact(*second))) return number;
        number.exact = false;
        return Doubtful(number, "the difference of lower bounds");
      };
      row.emplace_back(with_verdict(Difference(first->certain[i], second->certain[i])));
      row.emplace_back(with_verdict(
          Ratio(static_cast<double>(first->certain[i]), static_cast<double>(second->certain[i]))));
    } else {
      row.resize(5, Absent("one of the files has no such function"));
    }
    row.emplace_back(possible(first, i));
    row.emplace_back(possible(second, i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table FunctionDifferenceTable(const mix::Comparison& comparison, std::size_t max_rows,
                                      bool unchanged) {
  report::Table table{"difference_functions",
                      "Functions in both files, by change",
                      {report::SymbolColumn("function"), {"first"}, {"second"}, {"difference"}},
                      {}};
  AddCategoryColumns(table.columns);
  table.columns.push_back({"interface"});
  std::vector<const mix::FunctionPair*> order;
  for (const auto& pair : comparison.pairs)
    if (pair.InBoth() && (unchanged || pair.first.counts != pair.second.counts))
      order.push_back(&pair);
  const auto change = [](const mix::FunctionPair* pair) {
    return static_cast<std::int64_t>(mix::Sum(pair->second.counts)) -
           static_cast<std::int64_t>(mix::Sum(pair->first.counts));
  };
  std::ranges::sort(order, {}, [&](const mix::FunctionPair* pair) {
    return std::pair(-std::abs(change(pair)), std::string_view(pair->name));
  });
  order.resize(std::min(order.size(), max_rows));
  for (const auto* pair : order) {
    std::vector<Cell> row = {ShownName(pair->name), Count(mix::Sum(pair->first.counts)),
                             Count(mix::Sum(pair->second.counts)), Exact(change(pair))};
    for (std::size_t i = 0; i < decode::kCategories; ++i)
      row.emplace_back(Difference(pair->first.counts[i], pair->second.counts[i]));
    row.emplace_back(Difference(pair->first.interface_calls, pair->second.interface_calls));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table CallReasonTable(const mix::Comparison& comparison) {
  report::Table table{"calls",
                      "Call sites that differ, by reason",
                      {{"reason"},
                       {"sites"},
                       report::Detail({"proved"}),
                       report::Detail({"callers"}),
                       report::Detail({"meaning", "", true})},
                      {}};
  struct Sum {
    std::uint64_t sites = 0;
    std::uint64_t proved = 0;
    std::vector<std::string_view> callers;
  };
  std::array<Sum, mix::kCallReasons> sums;
  for (const auto& change : comparison.calls) {
    Sum& sum = sums[static_cast<std::size_t>(change.reason)];
    const auto sites = static_cast<std::uint64_t>(std::abs(change.Difference()));
    sum.sites += sites;
    if (change.proved) sum.proved += sites;
    sum.callers.push_back(change.caller);
  }
  table.rows.push_back({std::string("unchanged"), Count(comparison.unchanged_calls),
                        Absent("needs no proof"), Absent("not counted"),
                        std::string("sites in both files")});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    auto& callers = sums[i].callers;
    std::ranges::sort(callers);
    callers.erase(std::ranges::unique(callers).begin(), callers.end());
    const auto& text = TextOf(static_cast<mix::CallReason>(i));
    table.rows.push_back({std::string(text.id), Count(sums[i].sites), Count(sums[i].proved),
                          Count(callers.size()), std::string(text.meaning)});
  }
  return table;
}

report::Table CallChangeTable(const mix::Comparison& comparison, std::size_t max_rows) {
  report::Table table{"call_changes",
                      "Call sites that differ, by caller and callee",
                      {report::SymbolColumn("caller"),
                       report::SymbolColumn("callee"),
                       {"first"},
                       {"second"},
                       {"difference"},
                       {"reason"},
                       {"proved"}},
                      {}};
  for (std::size_t i = 0; i < std::min(comparison.calls.size(), max_rows); ++i) {
    const auto& change = comparison.calls[i];
    table.rows.push_back(
        {ShownName(change.caller),
         change.callee.empty() ? std::string("(indirect)") : ShownName(change.callee),
         Count(change.first), Count(change.second), Exact(change.Difference()),
         std::string(TextOf(change.reason).id), std::string(change.proved ? "yes" : "no")});
  }
  return table;
}

report::Table LoneTable(const mix::Comparison& comparison, std::size_t max_rows,
                        bool with_categories) {
  report::Table table{"only",
                      "Functions in only one file",
                      {report::SymbolColumn("function"),
                       {"in"},
                       {"instructions"},
                       {"call_sites"},
                       {"inlined"},
                       {"why"}},
                      {}};
  if (with_categories) AddCategoryColumns(table.columns);
  for (std::size_t i = 0; i < std::min(comparison.lone.size(), max_rows); ++i) {
    const auto& lone = comparison.lone[i];
    const auto& pair = comparison.pairs[lone.pair];
    const auto& counts = lone.in_first ? pair.first.counts : pair.second.counts;
    std::vector<Cell> row = {ShownName(pair.name),
                             std::string(lone.in_first ? "first" : "second"),
                             Count(mix::Sum(counts)),
                             Count(lone.calls),
                             lone.inlined_elsewhere
                                 ? Count(*lone.inlined_elsewhere)
                                 : Absent("the other file has no debug information"),
                             std::string(Why(lone))};
    if (with_categories) AddCategoryCells(counts, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table FactsDifferenceTable(const report::Table& first, const report::Table& second) {
  report::Table table{"facts", "Properties of the files", {{"fact"}, {"first"}, {"second"}}, {}};
  for (std::size_t i = 0; i < first.rows.size(); ++i)
    table.rows.push_back({first.rows[i][0], first.rows[i][1], second.rows[i][1]});
  return table;
}

report::Table ClassDifferenceTable(const code::FullMix& first, const code::FullMix& second) {
  report::Table table{"classes", "Finer classes", PairColumns("class"), {}};
  for (std::size_t i = 0; i < decode::kInstructionClasses; ++i) {
    const auto one = static_cast<decode::InstructionClass>(i);
    std::vector<Cell> row = {std::string(TextOf(one).id)};
    AddPair(first[one], second[one], row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table OperandDifferenceTable(const code::FullMix& first, const code::FullMix& second) {
  report::Table table{"operands", "Operand types", PairColumns("type"), {}};
  for (std::size_t i = 0; i < decode::kOperandTypes; ++i) {
    std::vector<Cell> row = {std::string(OperandTypeName(static_cast<decode::OperandType>(i)))};
    AddPair(first.operand_types[i], second.operand_types[i], row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table WeightedDifferenceTable(const mix::WeightedMix& first,
                                      const mix::WeightedMix& second) {
  report::Table table{"weighted",
                      "Each function weighted by its executed instructions in the first file",
                      PairColumns("category"),
                      {}};
  const auto estimate = [](Measured number) {
    if (!number.value) return number;
    number.exact = false;
    return Doubtful(number, "an estimate from counts by function");
  };
  const auto cell = [&](double value) { return estimate(Known(std::round(value))); };
  for (std::size_t i = 0; i < decode::kCategories; ++i)
    table.rows.push_back({CategoryText(i), cell(first.counts[i]), cell(second.counts[i]),
                          cell(second.counts[i] - first.counts[i]),
                          estimate(Ratio(first.counts[i], second.counts[i]))});
  return table;
}

std::string ComparisonSummary(const mix::FileMix& first, const mix::FileMix& second,
                              const mix::Comparison& comparison,
                              const mix::InterfaceUses& second_uses) {
  const auto a = first.code->total().Instructions();
  const auto b = second.code->total().Instructions();
  const auto shown = [](std::uint64_t count) {
    return report::ShowMeasured(Count(count), 1).value;
  };
  std::string text =
      a == b
          ? fmt::format("Both files have {} instructions.", shown(a))
          : fmt::format(
                "The second file has {} instructions where the first has {}{}.", shown(b), shown(a),
                a == 0 ? ""
                       : fmt::format(" ({:+.1f} %)",
                                     100 * (static_cast<double>(b) / static_cast<double>(a) - 1)));
  const auto of_interface = second_uses.CallSites();
  if (of_interface > 0)
    text += fmt::format(" {} of its call sites belong to a measurement interface.", of_interface);
  std::uint64_t lost = 0;
  std::uint64_t proved = 0;
  for (const auto& change : comparison.calls) {
    if (change.reason != mix::CallReason::kInliningLost) continue;
    lost += static_cast<std::uint64_t>(change.Difference());
    if (change.proved) proved += static_cast<std::uint64_t>(change.Difference());
  }
  // Without a proof in debug information nothing is claimed.
  if (proved > 0)
    text += fmt::format(
        " {} calls replace functions that are inlined in the first file; debug information proves "
        "{} of them.",
        Grouped(lost), Grouped(proved));
  const auto only_second =
      std::ranges::count_if(comparison.lone, [](const auto& lone) { return !lone.in_first; });
  const auto only_first = static_cast<std::ptrdiff_t>(comparison.lone.size()) - only_second;
  if (only_second + only_first > 0) {
    text += fmt::format(" {} functions are only in the second file, {} only in the first.",
                        Grouped(static_cast<std::uint64_t>(only_second)),
                        Grouped(static_cast<std::uint64_t>(only_first)));
  }
  text += WordsOfMix(
      first.code->total().categories.back() > 0 || second.code->total().categories.back() > 0,
      of_interface > 0);
  return text;
}

}  // namespace tare::cli
