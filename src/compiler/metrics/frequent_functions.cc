// frequent_functions.cc: sums the calls and instructions of functions over their blocks.
#include "compiler/metrics/frequent_functions.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace tare::metrics {
namespace {

struct FunctionUse {
  std::uint64_t first_block = ~std::uint64_t{0};
  std::uint64_t calls = 0;
  double instructions = 0;
};

using Uses = std::map<std::pair<std::string, std::string>, FunctionUse>;

std::optional<std::size_t> ColumnOf(const report::Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &report::Column::name);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::optional<double> NumberIn(const report::Cell& cell) {
  if (const auto* bare = std::get_if<Number>(&cell)) return AsDouble(*bare);
  const auto* measured = std::get_if<Measured>(&cell);
  if (measured == nullptr || !measured->value) return std::nullopt;
  return AsDouble(*measured->value);
}

std::optional<std::uint64_t> OffsetIn(const report::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr || !text->starts_with("0x")) return std::nullopt;
  std::uint64_t offset = 0;
  const auto read = std::from_chars(text->data() + 2, text->data() + text->size(), offset, 16);
  if (read.ec != std::errc()) return std::nullopt;
  return offset;
}

// Larger numbers cannot be counts.
constexpr double kMaxCalls = 1e18;

Result<Uses> SumUses(const report::Table& table) {
  const auto object = ColumnOf(table, "object");
  const auto function = ColumnOf(table, "function");
  const auto offset = ColumnOf(table, "offset");
  const auto instructions = ColumnOf(table, "instructions");
  const auto executions = ColumnOf(table, "executions");
  if (!object || !function || !offset || !instructions || !executions) {
    return Fail(ErrorKind::kFormat, "its table blocks lacks a column");
  }
  Uses uses;
  for (const auto& row : table.rows) {
    const auto* object_name = std::get_if<std::string>(&row[*object]);
    const auto* name = std::get_if<std::string>(&row[*function]);
    const auto place = OffsetIn(row[*offset]);
    const auto size = NumberIn(row[*instructions]);
    const auto times = NumberIn(row[*executions]);
    if (object_name == nullptr || name == nullptr || !place || !size || !times) continue;
    if (!(*times >= 0 && *times < kMaxCalls)) continue;
    FunctionUse& use = uses[{*object_name, *name}];
    use.instructions += *size * *times;
    if (*place > use.first_block) continue;
    use.first_block = *place;
    use.calls = static_cast<std::uint64_t>(*times);
  }
  return uses;
}

bool IsTooOften(const FunctionUse& use, const TooOften& limits) {
  if (limits.max_calls && use.calls > *limits.max_calls) return true;
  return use.calls >= limits.calls_that_matter &&
         use.instructions <
             static_cast<double>(use.calls) * static_cast<double>(limits.min_per_call);
}

}  // namespace

Result<std::vector<std::string>> FunctionsCalledTooOften(const report::Document& document,
                                                         const TooOften& limits) {
  const report::Table* table = report::FindTable(document, "blocks");
  if (table != nullptr && !ColumnOf(*table, "executions") && ColumnOf(*table, "samples")) {
    return Fail(ErrorKind::kFormat,
                "it has samples of time, which do not show how often functions are called; create "
                "it with tare profile --exact --save FILE");
  }
  if (table == nullptr) {
    return Fail(ErrorKind::kFormat,
                "it has no table of blocks; create it with tare count --per block --top 0 --json");
  }
  TRY(const Uses uses, SumUses(*table));
  std::vector<std::pair<std::uint64_t, std::string>> often;
  for (const auto& [key, use] : uses) {
    if (IsTooOften(use, limits)) often.emplace_back(~use.calls, key.second);
  }
  std::ranges::sort(often);
  std::vector<std::string> names;
  for (const auto& [calls, name] : often) {
    if (names.size() == kMaxTooOften) break;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace tare::metrics
