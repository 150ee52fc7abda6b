// csv.h: a CSV parser whose error messages name the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare {

// A header and its rows, each with as many cells as the header. Cells keep their text unchanged.
// Blanks around numbers and around column names are ignored.
class CsvTable {
 public:
  // The file's name, as used in messages.
  const std::string& Name() const { return name_; }
  const std::vector<std::string>& Columns() const { return columns_; }
  std::size_t Rows() const { return lines_.size(); }
  // Why the last row may be cut: the file does not end with a line end. Empty if it does.
  std::string CutDoubt() const;

  // In all functions below, `row` must be less than Rows() and `column` less than Columns().size().
  std::string_view Cell(std::size_t row, std::size_t column) const;
  // The line on which the row starts, counted from 1 and including the header.
  std::size_t Line(std::size_t row) const;
  // The row's location for messages: "counts.csv, line 7".
  std::string Place(std::size_t row) const;

  bool HasColumn(std::string_view name) const;
  // Returns the column indices of `names`, in the same order. Fails (kFormat) with the missing
  // name, the existing columns and the nearest match.
  Result<std::vector<std::size_t>> FindColumns(std::span<const std::string_view> names) const;

  // Parses the cell as a number. Fails (kFormat) with the line, the column and the cell's text. A
  // whole number is an optional sign and digits without thousands separators; a decimal point, an
  // exponent or a value beyond 64 bits is an error. Infinities and NaN are errors in both
  // functions.
  Result<std::int64_t> WholeNumber(std::size_t row, std::size_t column) const;
  Result<double> Number(std::size_t row, std::size_t column) const;

 private:
  friend class CsvParser;

  std::unexpected<Error> NotA(std::string_view kind, std::size_t row, std::size_t column) const;

  std::string name_;
  bool cut_ = false;
  std::vector<std::string> columns_;
  // These need at most five bytes per byte of the file, whatever its contents.
  std::string text_;                  // the text of all cells, concatenated
  std::vector<std::uint32_t> ends_;   // the end of each cell in text_, row by row
  std::vector<std::uint32_t> lines_;  // the line of each row
};

// Parses RFC 4180 text: commas, quotes, lines that end in LF or CR LF; the last line end is
// optional. A UTF-8 byte order mark and empty lines are skipped. Fails (kFormat) on a missing
// header, no rows, duplicate column names, rows whose length differs from the header's, unclosed
// quotes, zero bytes, more than 10,000 columns or more than 4 GiB. Every message starts with
// `name`. The columns in `needed` are checked, as by FindColumns, before the rows are parsed.
Result<CsvTable> ParseCsv(std::string_view text, std::string_view name,
                          std::span<const std::string_view> needed = {});

// Parses a file of at most `max_bytes`.
Result<CsvTable> ReadCsv(const std::filesystem::path& path, std::uint64_t max_bytes,
                         std::span<const std::string_view> needed = {});

}  // namespace tare
