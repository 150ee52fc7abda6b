// csv_fuzz.cc: every CSV text that parses survives a round trip, and its joined tables can be
// compared.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/machines/count_comparison.h"
#include "analysis/machines/count_set.h"
#include "base/check.h"
#include "base/csv.h"

namespace {

std::string Quoted(std::string_view cell) {
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string Written(const tare::CsvTable& table) {
  std::string text;
  const std::size_t columns = table.Columns().size();
  for (std::size_t i = 0; i < columns; ++i) {
    text += (i > 0 ? "," : "") + Quoted(table.Columns()[i]);
  }
  text += '\n';
  for (std::size_t row = 0; row < table.Rows(); ++row) {
    for (std::size_t i = 0; i < columns; ++i)
      text += (i > 0 ? "," : "") + Quoted(table.Cell(row, i));
    text += '\n';
  }
  return text;
}

void ReadAgain(const tare::CsvTable& table) {
  const auto again = tare::ParseCsv(Written(table), "x.csv");
  CHECK(again.has_value());
  CHECK(again->Columns() == table.Columns());
  CHECK(again->Rows() == table.Rows());
  for (std::size_t row = 0; row < table.Rows(); ++row) {
    CHECK(row == 0 || table.Line(row) > table.Line(row - 1));
    for (std::size_t i = 0; i < table.Columns().size(); ++i) {
      CHECK(again->Cell(row, i) == table.Cell(row, i));
      const auto whole = table.WholeNumber(row, i);
      const auto number = table.Number(row, i);
      CHECK(!whole || number.has_value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto table = tare::ParseCsv(text, "x.csv");
  if (table) {
    ReadAgain(*table);
  } else {
    CHECK(table.error().message.starts_with("x.csv"));
  }
  const std::vector<tare::machines::CountFile> files = {{"x.csv", text}};
  const auto counts = tare::machines::JoinCounts(files, "instructions");
  if (!counts) return 0;
  const auto comparison = tare::machines::Compare(*counts, {});
  if (!comparison) return 0;
  for (const auto& benchmark : comparison->benchmarks) {
    CHECK(benchmark.machines.size() == comparison->machines.size());
    CHECK(benchmark.mean.rest >= 0 && benchmark.mean.rest < 1);
    CHECK(!benchmark.between || benchmark.between->Value() >= 0);
  }
  return 0;
}
