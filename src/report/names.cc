// names.cc: checks the names of blocks and columns.
#include "report/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tare::report {
namespace {

std::string FaultOf(std::string_view id, const std::vector<Column>& columns) {
  std::set<std::string_view> names;
  for (const Column& column : columns) {
    if (column.thing ? column.name.empty() : !IsIdWord(column.name))
      return fmt::format("column '{}' of '{}' is not well named", column.name, id);
    if (!names.insert(column.name).second)
      return fmt::format("'{}' has two columns '{}'", id, column.name);
  }
  return "";
}

std::string FaultOf(const Bars& bars) {
  std::set<std::string_view> names;
  for (const std::string& segment : bars.segments)
    if (!names.insert(segment).second)
      return fmt::format("'{}' has two segments '{}'", bars.id, segment);
  for (const Bar& bar : bars.bars)
    if (bar.values.size() != bars.segments.size())
      return fmt::format("bar '{}' of '{}' has {} values for {} segments", bar.name, bars.id,
                         bar.values.size(), bars.segments.size());
  return "";
}

}  // namespace

std::string NameFault(const Document& document) {
  std::set<std::string_view> ids;
  for (const Block& block : document.blocks) {
    const auto id = std::visit([](const auto& kind) -> std::string_view { return kind.id; }, block);
    if (!IsIdWord(id)) return fmt::format("block '{}' is not well named", id);
    if (!ids.insert(id).second) return fmt::format("there are two blocks '{}'", id);
    std::string fault;
    if (const auto* table = std::get_if<Table>(&block)) fault = FaultOf(id, table->columns);
    if (const auto* tree = std::get_if<Tree>(&block)) fault = FaultOf(id, tree->columns);
    if (const auto* bars = std::get_if<Bars>(&block)) fault = FaultOf(*bars);
    if (!fault.empty()) return fault;
  }
  return "";
}

bool IsIdWord(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

std::string IdWord(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (IsIdWord({&lower, 1}) && lower != '_') {
      word += lower;
    } else if (!word.ends_with('_')) {
      word += '_';
    }
  }
  return word;
}

}  // namespace tare::report
