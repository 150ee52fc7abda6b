// csv.cc: a one-pass CSV parser. All cells share one string, so that a table needs little more
// memory than its file.
#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/near_match.h"
#include "base/printable.h"

namespace tare {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::size_t kMaxBytes = UINT32_MAX;
constexpr std::size_t kMaxColumns = 10'000;

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The text as shown in a message: printable and cut to 40 bytes.
std::string Shown(std::string_view text) {
  constexpr std::size_t kMax = 40;
  if (text.size() <= kMax) return Printable(text);
  std::size_t end = kMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return Printable(text.substr(0, end)) + "...";
}

std::string Cells(std::size_t count) {
  return fmt::format("{} cell{}", count, count == 1 ? "" : "s");
}

bool LooksGrouped(std::string_view text) {
  return text.find_first_of(",_' ") != std::string_view::npos &&
         text.find_first_not_of("0123456789,_' .+-") == std::string_view::npos;
}

// Removes a leading plus sign, which std::from_chars does not accept.
std::string_view WithoutPlus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

}  // namespace

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view name) : rest_(text) {
    table_.name_ = Printable(name);
    table_.cut_ = !rest_.ends_with('\n');
    if (rest_.starts_with(kMark)) rest_.remove_prefix(kMark.size());
  }

  Result<CsvTable> Parse(std::span<const std::string_view> needed) && {
    if (rest_.size() > kMaxBytes) {
      return Fail(ErrorKind::kFormat,
                  table_.name_ + ": files of more than 4 GiB are not supported");
    }
    TRY_VOID(ReadHeader());
    TRY_VOID(table_.FindColumns(needed));
    while (SkipEmptyLines()) TRY_VOID(ReadRow());
    if (table_.Rows() == 0) {
      return Fail(ErrorKind::kFormat, fmt::format("{} has a header but no rows", table_.name_));
    }
    return std::move(table_);
  }

 private:
  std::unexpected<Error> Wrong(std::size_t line, std::string_view what) const {
    return Fail(ErrorKind::kFormat, fmt::format("{}, line {}: {}", table_.name_, line, what));
  }

  // Consumes an end of line; returns false if there is none.
  bool TakeLineEnd() {
    const std::size_t length = rest_.starts_with("\r\n") ? 2 : rest_.starts_with('\n') ? 1 : 0;
    rest_.remove_prefix(length);
    if (length > 0) ++line_;
    return length > 0;
  }

  // Returns whether any input is left after the empty lines.
  bool SkipEmptyLines() {
    while (TakeLineEnd()) {
    }
    return !rest_.empty();
  }

  Result<void> TakeQuoted() {
    const std::size_t opened = line_;
    rest_.remove_prefix(1);
    while (true) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) return Wrong(opened, "unterminated quote");
      line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, quote), '\n'));
      table_.text_.append(rest_.substr(0, quote));
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      table_.text_ += '"';
      rest_.remove_prefix(1);
    }
    if (rest_.empty() || rest_.starts_with(',') || rest_.starts_with('\n') ||
        rest_.starts_with("\r\n")) {
      return {};
    }
    return Wrong(line_,
                 "text follows a closed quote; a quote inside quotes is written twice: \"\"");
  }

  Result<void> TakeBare() {
    std::size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
    if (end < rest_.size() && rest_[end] == '\n' && end > 0 && rest_[end - 1] == '\r') --end;
    const std::string_view cell = rest_.substr(0, end);
    if (cell.contains('"')) {
      return Wrong(line_, "quote inside a cell; put quotes around the whole cell");
    }
    table_.text_.append(cell);
    rest_.remove_prefix(end);
    return {};
  }

  Result<void> TakeCell() {
    const std::size_t before = table_.text_.size();
    TRY_VOID(rest_.starts_with('"') ? TakeQuoted() : TakeBare());
    if (std::string_view(table_.text_).substr(before).contains('\0')) {
      return Wrong(line_, "zero byte; this is not a text file");
    }
    table_.ends_.push_back(static_cast<std::uint32_t>(table_.text_.size()));
    return {};
  }

  // Reads the cells up to the end of the line and returns their number; stops at the first cell
  // beyond `max_cells`.
  Result<std::size_t> TakeCells(std::size_t max_cells) {
    std::size_t cells = 0;
    while (true) {
      TRY_VOID(TakeCell());
      ++cells;
      if (!rest_.starts_with(',')) break;
      if (cells == max_cells) return cells + 1;
      rest_.remove_prefix(1);
    }
    TakeLineEnd();
    return cells;
  }

  Result<void> ReadHeader() {
    if (!SkipEmptyLines()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{} is empty; expected a header with the names of the columns",
                              table_.name_));
    }
    const std::size_t line = line_;
    TRY(const auto cells, TakeCells(kMaxColumns));
    if (cells > kMaxColumns) return Wrong(line, fmt::format("more than {} columns", kMaxColumns));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      const std::string_view text(table_.text_);
      const std::string_view name = Trimmed(text.substr(begin, table_.ends_[i] - begin));
      table_.columns_.emplace_back(name);
      begin = table_.ends_[i];
    }
    table_.text_.clear();
    table_.ends_.clear();
    return CheckHeader(line);
  }

  Result<void> CheckHeader(std::size_t line) const {
    std::vector<std::string_view> names(table_.columns_.begin(), table_.columns_.end());
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) {
      return Wrong(line, twice->empty() ? std::string("two columns have no name")
                                        : fmt::format("two columns are named {}", Shown(*twice)));
    }
    if (names.size() == 1 && names[0].find_first_of(";\t") != std::string_view::npos) {
      return Wrong(line, "separate columns by commas, not by semicolons or tabs");
    }
    return {};
  }

  Result<void> ReadRow() {
    const std::size_t line = line_;
    const std::size_t expected = table_.columns_.size();
    TRY(const auto cells, TakeCells(expected));
    if (cells > expected) {
      return Wrong(line, fmt::format("more cells than the {} columns of the header", expected));
    }
    if (cells < expected) {
      return Wrong(line, fmt::format("{}, but the header has {}", Cells(cells), expected));
    }
    table_.lines_.push_back(static_cast<std::uint32_t>(line));
    return {};
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  CsvTable table_;
};

std::string_view CsvTable::Cell(std::size_t row, std::size_t column) const {
  CHECK(row < Rows() && column < columns_.size());
  const std::size_t index = row * columns_.size() + column;
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

std::size_t CsvTable::Line(std::size_t row) const {
  CHECK(row < Rows());
  return lines_[row];
}

std::string CsvTable::CutDoubt() const {
  if (!cut_) return "";
  return fmt::format("{} ends without a line end, so its last number may be cut off", name_);
}

std::string CsvTable::Place(std::size_t row) const {
  return fmt::format("{}, line {}", name_, Line(row));
}

bool CsvTable::HasColumn(std::string_view name) const {
  return std::ranges::find(columns_, name) != columns_.end();
}

Result<std::vector<std::size_t>> CsvTable::FindColumns(
    std::span<const std::string_view> names) const {
  std::vector<std::size_t> places;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(columns_, name);
    if (found == columns_.end()) {
      constexpr std::size_t kMaxNamed = 20;
      std::string there;
      for (std::size_t i = 0; i < std::min(columns_.size(), kMaxNamed); ++i) {
        there += (i > 0 ? ", " : "") + Shown(columns_[i]);
      }
      if (columns_.size() > kMaxNamed) there += ", ...";
      const std::vector<std::string_view> candidates(columns_.begin(), columns_.end());
      const std::string_view near = NearMatch(name, candidates);
      return Fail(ErrorKind::kFormat,
                  fmt::format("{} has no column {}; its columns are {}{}", name_, name, there,
                              near.empty() ? "" : fmt::format("; did you mean {}?", Shown(near))));
    }
    places.push_back(static_cast<std::size_t>(found - columns_.begin()));
  }
  return places;
}

std::unexpected<Error> CsvTable::NotA(std::string_view kind, std::size_t row,
                                      std::size_t column) const {
  const std::string_view cell = Cell(row, column);
  const std::string_view text = Trimmed(cell);
  std::string what =
      text.empty() ? "the cell is empty" : fmt::format("{} is not a {}", Shown(text), kind);
  if (LooksGrouped(text)) what += "; write it without thousands separators";
  return Fail(ErrorKind::kFormat,
              fmt::format("{}, column {}: {}", Place(row), Shown(columns_[column]), what));
}

Result<std::int64_t> CsvTable::WholeNumber(std::size_t row, std::size_t column) const {
  const std::string_view text = WithoutPlus(Trimmed(Cell(row, column)));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    return NotA("whole number below 2^63", row, column);
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return NotA("whole number", row, column);
  }
  return number;
}

Result<double> CsvTable::Number(std::size_t row, std::size_t column) const {
  const std::string_view text = WithoutPlus(Trimmed(Cell(row, column)));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return NotA("number", row, column);
  }
  return number;
}

Result<CsvTable> ParseCsv(std::string_view text, std::string_view name,
                          std::span<const std::string_view> needed) {
  return CsvParser(text, name).Parse(needed);
}

Result<CsvTable> ReadCsv(const std::filesystem::path& path, std::uint64_t max_bytes,
                         std::span<const std::string_view> needed) {
  TRY(const auto text, ReadFile(path, max_bytes));
  return ParseCsv(text, path.string(), needed);
}

}  // namespace tare
