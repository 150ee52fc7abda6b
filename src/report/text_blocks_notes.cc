// text_blocks_notes.cc: the numbered notes under a table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.h"
#include "report/columns.h"
#include "report/figures.h"

namespace tare::report {
namespace {

std::string Superscript(std::size_t number) {
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                        "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised;
  for (const char digit : fmt::format("{}", number)) {
    raised += kDigits[static_cast<std::size_t>(digit - '0')];
  }
  return raised;
}

using Counts = std::map<double, std::size_t>;

void Count(const std::vector<Cell>& cells, Counts& counts) {
  for (const Cell& cell : cells) {
    const auto* measured = std::get_if<Measured>(&cell);
    if (measured != nullptr && measured->confidence) ++counts[*measured->confidence];
  }
}

void Count(const Table& table, Counts& counts) {
  for (const auto& row : table.rows) Count(row, counts);
}

void Count(const TreeNode& node, Counts& counts) {
  Count(node.cells, counts);
  for (const TreeNode& child : node.children) Count(child, counts);
}

void Count(const Bars& bars, Counts& counts) {
  for (const Bar& bar : bars.bars) {
    for (const Measured& value : bar.values) {
      if (value.confidence) ++counts[*value.confidence];
    }
  }
}

std::optional<double> MostFrequent(const Counts& counts) {
  const auto max = std::ranges::max_element(counts, {}, &Counts::value_type::second);
  return max == counts.end() ? std::nullopt : std::optional(max->first);
}

}  // namespace

// Two digits of what is missing from 100 % are enough: 95 %, 98.3 %, 99.995 %.
std::string Percent(double share) {
  if (!(share > 0 && share < 1)) return fmt::format("{} %", ShowRounded(share * 100, 6));
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(1 - share))) - 1, 0, 9);
  std::string text = fmt::format("{:.{}f}", share * 100, decimals);
  if (decimals > 0) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " %";
}

std::string Notes::NumberOf(const std::string& text) {
  const auto [found, fresh] = numbers_.try_emplace(text, numbers_.size() + 1);
  const std::string number = Superscript(found->second);
  if (fresh) lines_.push_back(fmt::format("{} {}", number, text));
  return number;
}

std::string Notes::MarkOf(const Measured& measured) {
  const bool there = ShownValue(measured) != nullptr;
  std::string mark;
  std::string said = Printable(measured.reason);
  if (there && measured.verdict != Verdict::kValid) {
    mark += measured.verdict == Verdict::kDoubtful ? '?' : '!';
    if (!said.empty()) said = fmt::format("{}: {}", Name(measured.verdict), said);
  }
  if (!said.empty()) mark += NumberOf(said);
  if (there && measured.confidence && measured.confidence != usual_) {
    if (!said.empty()) mark += ",";
    mark += NumberOf(fmt::format("{} confidence", Percent(*measured.confidence)));
  }
  return mark;
}

void Notes::Meet(const Cell& cell) {
  if (const auto* measured = std::get_if<Measured>(&cell)) MarkOf(*measured);
}

std::optional<double> UsualConfidence(const Table& table) {
  Counts counts;
  Count(table, counts);
  return MostFrequent(counts);
}

std::optional<double> UsualConfidence(const Document& document) {
  Counts counts;
  for (const Block& block : document.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) Count(*table, counts);
    if (const auto* bars = std::get_if<Bars>(&block)) Count(*bars, counts);
    const auto* tree = std::get_if<Tree>(&block);
    if (tree == nullptr) continue;
    for (const TreeNode& root : tree->roots) Count(root, counts);
  }
  return MostFrequent(counts);
}

}  // namespace tare::report
