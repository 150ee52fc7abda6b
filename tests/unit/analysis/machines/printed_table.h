// printed_table.h: tables 5 to 12 of a study of nine machines and three tools, with cells as
// printed: "-242k", "10M", "N/A", and "2k,4" for a deviation of 4 runs.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"

namespace tare::machines {

// The range of numbers that are printed the same way.
struct PrintedNumber {
  double low = 0;
  double high = 0;
  std::int64_t runs = 0;  // 0: not stated

  double Middle() const { return (low + high) / 2; }
};

enum class Cutting { kTowardsZero, kToNearest };

// Empty for N/A and for text that is not a number.
inline std::optional<PrintedNumber> ParsePrinted(std::string_view cell, Cutting cutting) {
  const bool negative = cell.starts_with('-');
  if (negative) cell.remove_prefix(1);
  std::size_t digits = 0;
  double value = 0;
  while (digits < cell.size() && cell[digits] >= '0' && cell[digits] <= '9') {
    value = value * 10 + (cell[digits++] - '0');
  }
  if (digits == 0) return std::nullopt;
  cell.remove_prefix(digits);
  double unit = 1;
  if (!cell.empty()) {
    const std::size_t suffix = std::string_view("kMG").find(cell[0]);
    if (suffix != std::string_view::npos) {
      unit = std::pow(1000.0, static_cast<double>(suffix + 1));
      cell.remove_prefix(1);
    }
  }
  PrintedNumber number;
  // Four cells of the last table have a point instead of the comma.
  if (cell.size() == 2 && (cell[0] == ',' || cell[0] == '.')) number.runs = cell[1] - '0';
  const double below = cutting == Cutting::kTowardsZero ? 0 : unit / 2;
  number.low = value * unit - below;
  number.high = number.low + unit;
  if (!negative) return number;
  return PrintedNumber{-number.high, -number.low, number.runs};
}

inline std::int64_t ParseMean(std::string_view cell) {
  std::int64_t mean = 0;
  for (const char c : cell) mean = c == ',' ? mean : mean * 10 + (c - '0');
  return mean;
}

inline CsvTable PrintedTable(int number) {
  const std::string path = TARE_SOURCE_DIR "/tests/unit/analysis/machines/document/table" +
                           std::to_string(number) + ".csv";
  return *ReadCsv(path, 1 << 20);
}

// Pin, Qemu and Valgrind come first, after benchmark and mean.
inline constexpr std::size_t kFirstTool = 2;
inline constexpr std::size_t kFirstMachine = 5;

}  // namespace tare::machines
