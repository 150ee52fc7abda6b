// document.cc: states caveats and finds tables.
#include "report/document.h"

#include <algorithm>
#include <string_view>

namespace tare::report {

Column SymbolColumn(std::string name) { return {.name = std::move(name), .symbol = true}; }

Column Detail(Column column) {
  column.detail = true;
  return column;
}

Column Kept(Column column) {
  column.keep = true;
  return column;
}

StatedCaveat State(const Caveat& caveat) {
  const CaveatRow& row = Row(caveat.key);
  return {std::string(row.id), row.verdict, std::string(row.message), caveat.detail,
          std::string(row.hint)};
}

Document Without(Document document, const std::vector<std::string>& ids) {
  std::erase_if(document.blocks, [&ids](const Block& block) {
    const auto id = std::visit([](const auto& part) -> std::string_view { return part.id; }, block);
    return std::ranges::find(ids, id) != ids.end();
  });
  return document;
}

const Table* FindTable(const Document& document, std::string_view id) {
  for (const Block& block : document.blocks) {
    const Table* table = std::get_if<Table>(&block);
    if (table != nullptr && table->id == id) return table;
  }
  return nullptr;
}

}  // namespace tare::report
