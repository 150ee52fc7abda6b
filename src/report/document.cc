// document.cc: making and finding the parts of a document.
#include "report/document.h"

namespace tare::report {

double AsDouble(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

Column SymbolColumn(std::string name) { return {std::move(name), "", false, true}; }

Measured Exact(std::int64_t count) {
  Measured measured;
  measured.value = count;
  measured.exact = true;
  return measured;
}

Measured Between(double value, double low, double high, double confidence) {
  Measured measured;
  measured.value = value;
  measured.low = low;
  measured.high = high;
  measured.confidence = confidence;
  return measured;
}

Measured Absent(std::string reason) {
  Measured measured;
  measured.verdict = Verdict::kRefused;
  measured.reason = std::move(reason);
  return measured;
}

Measured Doubtful(Measured measured, std::string reason) {
  measured.verdict = Worse(measured.verdict, Verdict::kDoubtful);
  if (measured.reason.empty()) {
    measured.reason = std::move(reason);
  } else {
    measured.reason += "; " + reason;
  }
  return measured;
}

Measured In(std::string unit, Measured measured) {
  measured.unit = std::move(unit);
  return measured;
}

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
