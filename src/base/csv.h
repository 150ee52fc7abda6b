// csv.h: tables of comma-separated values, read so that every complaint names its line.
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

// A header and the rows under it, each as long as the header. Cells are the text as it stands;
// blanks around a number and around a name of the header do not count.
class CsvTable {
 public:
  // What messages call the table: the file's name.
  const std::string& Name() const { return name_; }
  const std::vector<std::string>& Columns() const { return columns_; }
  std::size_t Rows() const { return lines_.size(); }

  // `row` is below Rows() and `column` below Columns().size() in all that follows.
  std::string_view Cell(std::size_t row, std::size_t column) const;
  // Where the row begins, from 1; the header is counted.
  std::size_t Line(std::size_t row) const;
  // "counts.csv, line 7".
  std::string Place(std::size_t row) const;

  bool HasColumn(std::string_view name) const;
  // The places of all `names`, in their order. Fails (kFormat) with what is missing, what is there
  // and what may have been meant.
  Result<std::vector<std::size_t>> FindColumns(std::span<const std::string_view> names) const;

  // The cell as a number. Fails (kFormat) with line, column and what stood there. Digits with an
  // optional sign, without separators of thousands; a number with a decimal point, an exponent or
  // beyond 64 bits is no whole number. Infinities and NaN are no numbers.
  Result<std::int64_t> WholeNumber(std::size_t row, std::size_t column) const;
  Result<double> Number(std::size_t row, std::size_t column) const;

 private:
  friend class CsvParser;

  std::unexpected<Error> NotA(std::string_view kind, std::size_t row, std::size_t column) const;

  std::string name_;
  std::vector<std::string> columns_;
  // Five bytes for each of the file's at most, however it is made.
  std::string text_;                  // of all cells, one after the other
  std::vector<std::uint32_t> ends_;   // of each cell, row by row
  std::vector<std::uint32_t> lines_;  // of each row
};

// RFC 4180: commas, quotes, lines ended by LF or CR LF, the last with or without. A UTF-8 mark at
// the start is passed over, and so are empty lines. Refuses (kFormat) what has no header or no row
// under it, two columns of one name, rows longer or shorter than the header, quotes that do not
// close, zero bytes, more than 10,000 columns or 4 GiB. `name` opens every message. Columns that
// are `needed` are asked for before the rows are looked at, as by FindColumns.
Result<CsvTable> ParseCsv(std::string_view text, std::string_view name,
                          std::span<const std::string_view> needed = {});

// The same of a file of at most `max_bytes`.
Result<CsvTable> ReadCsv(const std::filesystem::path& path, std::uint64_t max_bytes,
                         std::span<const std::string_view> needed = {});

}  // namespace tare
