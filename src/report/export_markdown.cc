// export_markdown.cc: tables as Markdown for pages and discussions.
#include <string_view>

#include "base/printable.h"
#include "report/columns.h"
#include "report/export.h"

namespace tare::report {
namespace {

// Escapes Markdown and HTML; `text` must be printable already.
std::string EscapedMarkdown(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        if (std::string_view("\\|`*_[]~#$!").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string ToMarkdown(const Table& table) {
  std::vector<const std::vector<Cell>*> rows;
  for (const auto& row : table.rows) rows.push_back(&row);
  const auto confidence = UsualConfidence(table);
  Notes notes(confidence);
  const auto columns = ShowColumns(table.columns, rows, notes);

  std::string text;
  if (!table.title.empty()) text += "**" + EscapedMarkdown(Printable(table.title)) + "**\n\n";
  if (columns.empty()) return text;
  const auto add_line = [&](auto cell) {
    text += "|";
    for (const ShownColumn& column : columns) {
      text += ' ';
      text += cell(column);
      text += " |";
    }
    text += "\n";
  };
  add_line([](const ShownColumn& column) { return EscapedMarkdown(Header(column)); });
  add_line(
      [](const ShownColumn& column) -> std::string { return column.numeric ? "---:" : "---"; });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    add_line([&](const ShownColumn& column) { return EscapedMarkdown(Flat(column.cells[row])); });
  }
  for (const std::string& note : notes.lines()) text += "\n" + EscapedMarkdown(note) + "\n";
  if (confidence) text += "\n" + EscapedMarkdown("[low, high] at " + Percent(*confidence)) + "\n";
  return text;
}

}  // namespace tare::report
