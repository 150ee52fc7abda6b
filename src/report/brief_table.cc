// brief_table.cc: chooses rows and columns of a table for brief text.
#include "report/brief_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/printable.h"
#include "report/figures.h"

namespace tare::report {
namespace {

constexpr std::size_t kMaxNames = 8;

bool IsZero(const std::optional<double>& bound) { return !bound || *bound == 0; }

// Whether the number is absent, or zero without an interval around it.
bool SaysNothing(const Measured& measured) {
  const Number* value = ShownValue(measured);
  return value == nullptr ||
         (AsDouble(*value) == 0 && IsZero(measured.low) && IsZero(measured.high));
}

struct RowNumbers {
  std::size_t all = 0;
  std::size_t absent = 0;
  std::size_t nothing = 0;  // absent or zero
};

RowNumbers NumbersOf(const std::vector<Cell>& row) {
  RowNumbers numbers;
  for (const Cell& cell : row) {
    const auto* measured = std::get_if<Measured>(&cell);
    if (measured == nullptr) continue;
    ++numbers.all;
    numbers.absent += ShownValue(*measured) == nullptr ? 1u : 0u;
    numbers.nothing += SaysNothing(*measured) ? 1u : 0u;
  }
  return numbers;
}

// The name of what the row counts: its things, otherwise the text before the first number.
std::string NameOf(const std::vector<Column>& columns, const std::vector<Cell>& row) {
  std::string things;
  std::string name;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto* text = std::get_if<std::string>(&row[i]);
    if (text != nullptr && i < columns.size() && columns[i].thing && !text->empty()) {
      things += (things.empty() ? "" : ", ") + *text;
    }
    if (text != nullptr) name = *text;
    if (std::holds_alternative<Measured>(row[i]) && !name.empty()) break;
  }
  return Printable(things.empty() ? name : things);
}

std::string ReasonOf(const std::vector<Cell>& row) {
  for (const Cell& cell : row) {
    const auto* measured = std::get_if<Measured>(&cell);
    if (measured != nullptr && !measured->reason.empty()) return Printable(measured->reason);
  }
  return "";
}

std::string NamesAndReason(const std::vector<std::string>& names, const std::string& reason) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kMaxNames) text += fmt::format(" and {} more", names.size() - kMaxNames);
  return fmt::format("{}: {}", text, reason);
}

// Removes rows without a number that is not zero.
void LeaveOutRows(BriefTable& brief) {
  // One row is an answer even if it is zero.
  if (brief.table.rows.size() == 1) return;
  struct Group {
    std::string reason;
    std::vector<std::string> names;
  };
  std::vector<Group> groups;
  std::vector<std::vector<Cell>> kept;
  std::size_t zeros = 0;
  for (auto& row : brief.table.rows) {
    const RowNumbers numbers = NumbersOf(row);
    const std::string reason = ReasonOf(row);
    if (numbers.all == 0 || numbers.nothing < numbers.all ||
        (numbers.absent == numbers.all && reason.empty())) {
      kept.push_back(std::move(row));
    } else if (numbers.absent == numbers.all) {
      const auto same = std::ranges::find(groups, reason, &Group::reason);
      Group& group = same != groups.end() ? *same : groups.emplace_back(Group{reason, {}});
      // A row whose first cell is a number, such as a rank, has no name.
      const std::string name = NameOf(brief.table.columns, row);
      if (!name.empty() && std::ranges::find(group.names, name) == group.names.end()) {
        group.names.push_back(name);
      }
    } else {
      ++zeros;
    }
  }
  brief.table.rows = std::move(kept);
  brief.zero_rows = zeros;
  for (const Group& group : groups) {
    brief.absences.push_back(group.names.empty() ? group.reason
                                                 : NamesAndReason(group.names, group.reason));
  }
}

struct ColumnState {
  bool empty = true;     // no text and no number
  bool numbers = false;  // has measured numbers
  bool nothing = true;   // all of them are absent or zero
};

ColumnState StateOf(const Table& table, std::size_t column) {
  ColumnState state;
  for (const auto& row : table.rows) {
    if (column >= row.size()) continue;
    const Cell& cell = row[column];
    if (const auto* text = std::get_if<std::string>(&cell)) {
      state.empty &= text->empty();
      state.nothing &= text->empty();
    } else if (std::holds_alternative<Number>(cell)) {
      state.empty = state.nothing = false;
    } else if (const auto* measured = std::get_if<Measured>(&cell)) {
      state.empty = false;
      state.numbers = true;
      state.nothing &= SaysNothing(*measured);
    }
  }
  return state;
}

bool IsConstant(const Table& table) {
  constexpr std::size_t kMany = 3;
  if (table.rows.size() < kMany) return false;
  return std::ranges::all_of(table.rows, [&](const std::vector<Cell>& row) {
    return row.size() > 1 && std::holds_alternative<std::string>(row[0]) &&
           std::holds_alternative<std::string>(row[1]) && row[0] == table.rows.front()[0];
  });
}

void LeaveOutColumns(BriefTable& brief, const Table& whole) {
  Table& table = brief.table;
  const auto leave_out = [&](std::size_t column, bool named) {
    auto& names = brief.left_out_columns;
    if (named) names.insert(names.begin(), table.columns[column].name);
    RemoveColumn(table, column);
  };
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    if (table.columns[i].detail) leave_out(i, true);
  }
  if (table.rows.empty()) return;
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    const ColumnState state = StateOf(table, i);
    const bool only_zeros = state.numbers && state.nothing && table.rows.size() > 1;
    if (state.empty || only_zeros) leave_out(i, !state.empty);
  }
  // A first column that says the same in every row, such as the only program; also in the rows that
  // are not shown.
  const bool in_all = std::ranges::all_of(whole.rows, [&](const std::vector<Cell>& row) {
    return row.empty() || row[0] == whole.rows.front()[0];
  });
  if (in_all && IsConstant(table) && table.columns.size() > 2) RemoveColumn(table, 0);
}

}  // namespace

BriefTable Brief(const Table& table, std::size_t max_rows) {
  BriefTable brief{table};
  if (!table.whole) {
    LeaveOutRows(brief);
    auto& rows = brief.table.rows;
    if (max_rows > 0 && rows.size() > max_rows) {
      brief.further_rows = rows.size() - max_rows;
      rows.resize(max_rows);
    }
  }
  LeaveOutColumns(brief, table);
  return brief;
}

std::size_t LeastImportant(const std::vector<Column>& columns) {
  for (std::size_t i = columns.size(); i-- > 1;) {
    if (!columns[i].keep && !columns[i].below) return i;
  }
  for (std::size_t i = columns.size(); i-- > 1;) {
    if (!columns[i].below) return i;
  }
  return 0;
}

void RemoveColumn(Table& table, std::size_t column) {
  table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
  for (auto& row : table.rows) {
    if (column < row.size()) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

std::string LeftOut(const BriefTable& brief) {
  const auto plural = [](std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  std::vector<std::string> parts;
  if (brief.further_rows > 0) parts.push_back(plural(brief.further_rows, "more row"));
  if (brief.zero_rows > 0) {
    parts.push_back(fmt::format("{} of zeros", plural(brief.zero_rows, "row")));
  }
  constexpr std::size_t kMaxColumns = 3;
  std::vector<std::string> names = brief.left_out_columns;
  for (std::string& name : names) {
    name = Printable(name);
    std::ranges::replace(name, '_', ' ');
  }
  if (names.size() > kMaxColumns) {
    parts.push_back(plural(names.size(), "column"));
  } else if (!names.empty()) {
    parts.push_back(
        fmt::format("column{} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tare::report
