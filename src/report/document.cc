// document.cc: states caveats and finds tables.
#include "report/document.h"

namespace tare::report {

Column SymbolColumn(std::string name) { return {std::move(name), "", false, true}; }

StatedCaveat State(const Caveat& caveat) {
  const CaveatRow& row = Row(caveat.key);
  return {std::string(row.id), row.verdict, std::string(row.message), caveat.detail,
          std::string(row.hint)};
}

const Table* FindTable(const Document& document, std::string_view id) {
  for (const Block& block : document.blocks) {
    const Table* table = std::get_if<Table>(&block);
    if (table != nullptr && table->id == id) return table;
  }
  return nullptr;
}

}  // namespace tare::report
