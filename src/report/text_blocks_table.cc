// text_blocks_table.cc: renders tables and trees as text.
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/brief_table.h"
#include "report/paint.h"
#include "report/text_blocks.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

// For a table that is too wide: a block of "name: value" lines per row.
std::string Records(const std::vector<ShownColumn>& columns, const TextStyle& style) {
  std::size_t names = 0;
  for (const ShownColumn& column : columns) names = std::max(names, DisplayWidth(column.name) + 2);
  // Values are aligned as long as the names leave room for them.
  const bool aligned = names <= style.width / 3;
  const std::string indent(aligned ? names : 2, ' ');
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    if (row > 0) text += "\n";
    for (const ShownColumn& column : columns) {
      const std::string value = FlatInFull(column.cells[row], column);
      if (value.empty()) continue;
      const std::string name = PadRight(column.name + ": ", aligned ? names : 0);
      std::vector<std::string> lines = aligned ? Wrap(value, style.width, name, indent)
                                               : Wrap(name + value, style.width, "", indent);
      const Paint paint = PaintOf(column.cells[row].verdict);
      for (const std::string& line : lines) text += Painted(line, paint, style.colour) + "\n";
    }
  }
  return text;
}

// A node of a tree and the guides before its lines; nodes are kept in reading order.
struct Branch {
  const TreeNode* node;
  std::string guide;
  std::string next_guide;
};

// Cuts off the beginning of a guide that would leave no room for the label.
std::string Shortened(const std::string& guide, std::size_t max_width) {
  std::size_t surplus = DisplayWidth(guide);
  if (surplus <= max_width) return guide;
  surplus -= max_width - 1;
  std::string_view rest = guide;
  for (; surplus > 0; --surplus) rest.remove_prefix(FirstCodePoint(rest).length);
  return "…" + std::string(rest);
}

void Collect(const std::vector<TreeNode>& nodes, const std::string& stem, bool roots,
             std::size_t max_width, std::vector<Branch>& branches) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool last = i + 1 == nodes.size();
    const std::string own = roots ? "" : stem + (last ? "└─ " : "├─ ");
    const std::string below = roots ? "" : stem + (last ? "   " : "│  ");
    // A wrapped label leaves the line to its children visible.
    const std::string beside = below + (nodes[i].children.empty() ? "" : "│ ");
    branches.push_back({&nodes[i], Shortened(own, max_width), Shortened(beside, max_width)});
    Collect(nodes[i].children, below, false, max_width, branches);
  }
}

// For a tree whose columns do not fit: the cells follow the label on its line.
std::string InlineTree(const std::vector<ShownColumn>& columns, const TextStyle& style) {
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    const ShownCell& label = columns.front().cells[row];
    std::string line = label.value;
    for (std::size_t i = 1; i < columns.size(); ++i) {
      const std::string value = FlatInFull(columns[i].cells[row], columns[i]);
      if (!value.empty()) line += fmt::format("  {}: {}", columns[i].name, value);
    }
    text += Joined(Wrap(line, style.width, label.guide, label.next_guide + "  "));
  }
  return text;
}

// If all numbers of a table are exact, one line says so instead of every header.
std::string SayOnceThatAllIsExact(std::vector<ShownColumn>& columns) {
  constexpr std::ptrdiff_t kMany = 2;
  const auto exact = [](const ShownColumn& column) { return column.exact; };
  const auto derived = [](const ShownColumn& column) { return column.derived; };
  const auto inexact = [](const ShownColumn& column) {
    return column.measured && !column.exact && !column.derived;
  };
  if (std::ranges::count_if(columns, exact) < kMany) return "";
  if (std::ranges::any_of(columns, inexact)) return "";
  const bool any_derived = std::ranges::any_of(columns, derived);
  for (ShownColumn& column : columns) column.exact = false;
  return any_derived ? "all counts are exact" : "all numbers are exact";
}

std::string Dimmed(std::string_view text, const TextStyle& style, std::string_view next = "  ") {
  std::string lines;
  for (const std::string& line : Wrap(text, style.width, "", next)) {
    lines += Painted(line, Paint::kDim, style.colour) + "\n";
  }
  return lines;
}

// The remark below a table of exact numbers, and the line on what was left out.
std::string Remarks(const std::string& exact, const BriefTable& brief, const TextStyle& style) {
  std::string text;
  for (const std::string& absence : brief.absences) {
    text += Dimmed("not available: " + absence, style);
  }
  const std::string left_out = LeftOut(brief);
  const std::string more = left_out.empty() ? "" : "-v also shows " + left_out;
  if (exact.empty() || more.empty()) {
    if (!exact.empty() || !more.empty()) text += Dimmed(exact + more, style);
  } else {
    text += Dimmed(exact + "; " + more, style);
  }
  return text;
}

std::string WithoutRows(const TextStyle& style) {
  return Painted("none", Paint::kDim, style.colour) + "\n";
}

std::vector<const std::vector<Cell>*> RowsOf(const Table& table) {
  std::vector<const std::vector<Cell>*> rows;
  for (const auto& row : table.rows) rows.push_back(&row);
  return rows;
}

// A table that is too wide continues in further tables that repeat its first column. Where even
// that does not fit, or on a narrow terminal, each row becomes a record.
std::string GridOrGrids(const std::vector<ShownColumn>& columns, const TextStyle& style) {
  constexpr std::size_t kMinGrids = 60;
  if (auto grid = Grid(columns, style)) return *std::move(grid);
  if (style.width < kMinGrids) return Records(columns, style);
  std::string text;
  std::size_t next = 1;
  while (next < columns.size()) {
    std::vector<ShownColumn> part = {columns.front()};
    std::optional<std::string> fits;
    for (; next < columns.size(); ++next) {
      part.push_back(columns[next]);
      auto grid = Grid(part, style);
      if (!grid) break;
      fits = std::move(grid);
    }
    if (!fits) return Records(columns, style);
    if (!text.empty()) text += "\n";
    text += *fits;
  }
  return text;
}

}  // namespace

std::string NoteText(const Notes& notes, const TextStyle& style) {
  std::string text;
  for (const std::string& note : notes.lines()) {
    for (const std::string& line : Wrap(note, style.width, "", "  ")) {
      text += Painted(line, Paint::kDim, style.colour) + "\n";
    }
  }
  return text;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string BriefTableText(const Table& table, std::size_t max_rows, const TextStyle& style,
                           Notes& notes) {
  BriefTable brief = Brief(table, max_rows);
  const std::size_t removed = brief.zero_rows;
  if (brief.table.rows.empty() && removed > 0) {
    return Dimmed(fmt::format("all {} rows are zero", removed), style) + Remarks("", brief, style);
  }
  if (brief.table.rows.empty() && !brief.absences.empty()) return Remarks("", brief, style);
  if (brief.table.rows.empty()) return WithoutRows(style);
  while (true) {
    Notes attempt = notes;
    auto columns = ShowColumns(brief.table.columns, RowsOf(brief.table), attempt);
    const std::string exact = SayOnceThatAllIsExact(columns);
    auto grid = Grid(columns, style);
    const std::size_t least = grid ? 0 : LeastImportant(brief.table.columns);
    if (!grid && least > 0) {
      brief.left_out_columns.push_back(brief.table.columns[least].name);
      RemoveColumn(brief.table, least);
      continue;
    }
    std::string text = grid ? *std::move(grid) : Records(columns, style);
    if (brief.table.rows.empty()) text += WithoutRows(style);
    text += NoteText(attempt, style) + Remarks(exact, brief, style);
    notes = std::move(attempt);
    return text;
  }
}

std::string TableText(const Table& table, const TextStyle& style, Notes& notes) {
  auto columns = ShowColumns(table.columns, RowsOf(table), notes);
  const std::string exact = SayOnceThatAllIsExact(columns);
  std::string text = GridOrGrids(columns, style);
  if (table.rows.empty()) text += WithoutRows(style);
  if (!exact.empty()) text += Dimmed(exact, style);
  return text + NoteText(notes, style);
}

std::string TreeText(const Tree& tree, const TextStyle& style, Notes& notes) {
  std::vector<Branch> branches;
  Collect(tree.roots, "", true, style.width / 3, branches);
  if (branches.empty()) return WithoutRows(style);

  std::vector<const std::vector<Cell>*> rows;
  ShownColumn labels;
  for (const Branch& branch : branches) {
    rows.push_back(&branch.node->cells);
    ShownCell label;
    label.value = Printable(branch.node->label);
    label.guide = branch.guide;
    label.next_guide = branch.next_guide;
    labels.cells.push_back(std::move(label));
  }
  std::vector<ShownColumn> columns = {std::move(labels)};
  for (ShownColumn& column : ShowColumns(tree.columns, rows, notes)) {
    columns.push_back(std::move(column));
  }
  auto grid = Grid(columns, style);
  while (!grid && style.brief && columns.size() > 2) {
    columns.pop_back();
    grid = Grid(columns, style);
  }
  return (grid ? *grid : InlineTree(columns, style)) + NoteText(notes, style);
}

}  // namespace tare::report
