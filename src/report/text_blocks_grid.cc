// text_blocks_grid.cc: lays out columns side by side.
#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>

#include "base/printable.h"
#include "report/paint.h"
#include "report/short_symbol.h"
#include "report/text_blocks.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr std::size_t kGap = 2;
// The minimum width to which text columns are wrapped.
constexpr std::size_t kMinText = 12;
// The same in brief text.
constexpr std::size_t kMinBriefText = 22;
// The minimum width to which words in the headers of numbers are cut if nothing else helps.
constexpr std::size_t kMinHeader = 6;

// A number split at the decimal point, so that a column can be aligned there.
struct Parts {
  std::string head;
  std::string tail;
};

Parts Split(const ShownCell& cell, bool at_point) {
  const std::size_t point = at_point ? cell.value.find('.') : std::string::npos;
  Parts parts{cell.value.substr(0, point), ""};
  if (point != std::string::npos) parts.tail = cell.value.substr(point);
  if (!cell.unit.empty()) parts.tail += " " + cell.unit;
  parts.tail += cell.mark;
  return parts;
}

struct Layout {
  bool at_point = false;
  std::size_t head = 0;
  std::size_t tail = 0;
  std::size_t interval = 0;
  std::size_t content = 0;      // columns that the cells need
  std::size_t whole_words = 0;  // the minimum width that breaks no word
  std::size_t min_width = 0;
  std::size_t cut_header = 0;  // the minimum width if words of the header are cut
  std::size_t width = 0;
};

Layout Measure(const ShownColumn& column, std::size_t max_width) {
  Layout layout;
  std::size_t guides = 0;
  const auto has_unit = [](const ShownCell& cell) { return !cell.unit.empty(); };
  layout.at_point = std::ranges::none_of(column.cells, has_unit);
  for (const ShownCell& cell : column.cells) {
    if (!column.numeric) {
      const std::size_t width = DisplayWidth(cell.guide) + DisplayWidth(Flat(cell));
      guides = std::max({guides, DisplayWidth(cell.guide), DisplayWidth(cell.next_guide)});
      layout.content = std::max(layout.content, width);
      const std::size_t word = DisplayWidth(cell.guide) + LongestWord(cell.value);
      layout.whole_words = std::max(layout.whole_words, word);
      continue;
    }
    const Parts parts = Split(cell, layout.at_point);
    layout.head = std::max(layout.head, DisplayWidth(parts.head));
    layout.tail = std::max(layout.tail, DisplayWidth(parts.tail));
    layout.interval = std::max(layout.interval, DisplayWidth(cell.interval));
  }
  if (column.numeric) {
    layout.content = layout.head + layout.tail + (layout.interval > 0 ? 1 + layout.interval : 0);
  }
  const std::size_t header = std::max(LongestWord(column.name), DisplayWidth(Qualifier(column)));
  layout.min_width = column.numeric ? layout.content : std::min(layout.content, kMinText + guides);
  layout.cut_header = layout.min_width;
  layout.min_width = std::max(layout.min_width, header);
  const std::size_t cut = std::max({std::min(LongestWord(column.name), kMinHeader),
                                    DisplayWidth(Qualifier(column)), layout.cut_header});
  layout.cut_header = column.numeric ? cut : layout.min_width;
  layout.whole_words = std::max(layout.whole_words, layout.min_width);
  layout.width = std::min(std::max(layout.content, DisplayWidth(Header(column))), max_width);
  layout.width = std::max(layout.width, layout.min_width);
  return layout;
}

// Narrows the widest column first, but no column below its `floor`. Returns false if that is not
// enough.
bool Narrow(std::vector<Layout>& layouts, std::size_t width, auto floor) {
  std::size_t total = kGap * (layouts.size() - 1);
  for (const Layout& layout : layouts) total += layout.width;
  for (; total > width; --total) {
    Layout* widest = nullptr;
    for (Layout& layout : layouts) {
      if (layout.width <= floor(layout)) continue;
      if (widest == nullptr || layout.width > widest->width) widest = &layout;
    }
    if (widest == nullptr) return false;
    --widest->width;
  }
  return true;
}

// Wraps headers first, then text at blanks, then text within words, and finally cuts header words.
// Brief text wraps no text into narrow columns: a column is left out instead, or names are
// shortened.
bool FitInto(std::vector<Layout>& layouts, std::size_t width, bool brief) {
  if (Narrow(layouts, width, [](const Layout& layout) {
        return std::max(layout.min_width, std::min(layout.width, layout.content));
      })) {
    return true;
  }
  if (brief) {
    const auto floor = [](std::size_t min_text) {
      return [min_text](const Layout& layout) {
        return std::max(layout.min_width, std::min(layout.content, min_text));
      };
    };
    return Narrow(layouts, width, floor(kMinBriefText));
  }
  return Narrow(layouts, width, [](const Layout& layout) { return layout.whole_words; }) ||
         Narrow(layouts, width, [](const Layout& layout) { return layout.min_width; }) ||
         Narrow(layouts, width, [](const Layout& layout) { return layout.cut_header; });
}

// The contents of a column on one line: the coloured text, and its alignment.
struct Slot {
  std::string text;
  std::size_t columns = 0;  // width of the text without escape sequences
  bool right = false;
};

std::string SetLine(const std::vector<Slot>& slots, const std::vector<Layout>& layouts) {
  std::string line;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    const std::size_t width = layouts[i].width;
    const std::size_t blanks = width > slots[i].columns ? width - slots[i].columns : 0;
    if (slots[i].right) line.append(blanks, ' ');
    line += slots[i].text;
    if (!slots[i].right) line.append(blanks, ' ');
  }
  return Trimmed(line) + "\n";
}

// Words that are longer than the column lose their middle.
std::string WithShortNames(std::string_view text, std::size_t width) {
  std::string result;
  for (const auto& part : text | std::views::split(' ')) {
    const std::string word(part.begin(), part.end());
    if (!result.empty()) result += ' ';
    result += ShortSymbol(word, std::max<std::size_t>(width, 3));
  }
  return result;
}

// One slot per line of the cell.
std::vector<Slot> CellSlots(const ShownCell& cell, bool numeric, const Layout& layout, bool colour,
                            bool brief) {
  const Paint paint = PaintOf(cell.verdict);
  std::vector<Slot> slots;
  if (!numeric) {
    // Continuation lines are indented a little, so that they do not look like another row.
    const std::string next = cell.next_guide + "  ";
    const std::string text = brief ? WithShortNames(Flat(cell), layout.width) : Flat(cell);
    for (const std::string& line : Wrap(text, layout.width, cell.guide, next)) {
      slots.push_back({Painted(line, paint, colour), DisplayWidth(line), false});
    }
    return slots;
  }
  const Parts parts = Split(cell, layout.at_point);
  std::string text = PadLeft("", layout.head - DisplayWidth(parts.head));
  text += Painted(parts.head + parts.tail, cell.value == "-" ? Paint::kDim : paint, colour);
  text.append(layout.tail - DisplayWidth(parts.tail), ' ');
  if (layout.interval > 0) {
    text += ' ';
    text += Painted(cell.interval, Paint::kDim, colour);
    text.append(layout.interval - DisplayWidth(cell.interval), ' ');
  }
  slots.push_back({std::move(text), layout.content, true});
  return slots;
}

std::string SetRow(const std::vector<std::vector<Slot>>& cells,
                   const std::vector<Layout>& layouts) {
  std::size_t height = 0;
  for (const auto& slots : cells) height = std::max(height, slots.size());
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<Slot> slots;
    for (const auto& cell : cells) slots.push_back(line < cell.size() ? cell[line] : Slot{});
    text += SetLine(slots, layouts);
  }
  return text;
}

// A cell on separate lines under the last column; empty if the cell is.
std::string SetBelow(const ShownCell& cell, const ShownColumn& column,
                     const std::vector<Layout>& layouts, const TextStyle& style) {
  const std::string text = FlatInFull(cell, column);
  if (text.empty()) return "";
  std::size_t start = 0;
  for (std::size_t i = 0; i + 1 < layouts.size(); ++i) start += layouts[i].width + kGap;
  const std::string indent(std::min(start, style.width * 2 / 3), ' ');
  std::string lines;
  for (const std::string& line : Wrap(text, style.width, indent + "→ ", indent + "  ")) {
    lines += Painted(line, PaintOf(cell.verdict), style.colour) + "\n";
  }
  return lines;
}

// "uncon. branc." for "unconditional branches" and a width of 6.
std::string WithShortWords(std::string_view text, std::size_t width) {
  std::string cut;
  for (const auto& part : text | std::views::split(' ')) {
    std::string word(part.begin(), part.end());
    if (DisplayWidth(word) > width && word.size() == DisplayWidth(word))
      word = word.substr(0, width - 1) + ".";
    if (!cut.empty()) cut += ' ';
    cut += word;
  }
  return cut;
}

// The header on one line if it fits, otherwise with the part in brackets on a separate line.
std::vector<std::string> HeaderLines(const ShownColumn& column, std::size_t width) {
  const std::string whole = Header(column);
  if (DisplayWidth(whole) <= width) return Wrap(whole, width);
  std::vector<std::string> lines = Wrap(WithShortWords(column.name, width), width);
  const std::string qualifier = Qualifier(column);
  if (!qualifier.empty()) lines.push_back(qualifier);
  return lines;
}

std::string SetHeader(const std::vector<ShownColumn>& columns, const std::vector<Layout>& layouts,
                      bool colour) {
  const auto unnamed = [](const ShownColumn& column) { return Header(column).empty(); };
  if (std::ranges::all_of(columns, unnamed)) return "";
  std::vector<std::vector<Slot>> cells(columns.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const std::string& line : HeaderLines(columns[i], layouts[i].width)) {
      const Slot slot{Painted(line, Paint::kDim, colour), DisplayWidth(line), columns[i].numeric};
      cells[i].push_back(slot);
    }
    height = std::max(height, cells[i].size());
  }
  // Aligns short headers with the bottom, next to their column.
  for (auto& slots : cells) slots.insert(slots.begin(), height - slots.size(), Slot{});
  std::string rule;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) rule.append(kGap, ' ');
    for (std::size_t k = 0; k < layouts[i].width; ++k) rule += "─";
  }
  return SetRow(cells, layouts) + Painted(Trimmed(rule), Paint::kDim, colour) + "\n";
}

}  // namespace

std::optional<std::string> Grid(const std::vector<ShownColumn>& columns, const TextStyle& style) {
  const auto below = [](const ShownColumn& column) { return column.below; };
  std::vector<ShownColumn> beside;
  std::ranges::copy_if(columns, std::back_inserter(beside), std::not_fn(below));
  if (beside.empty()) return columns.empty() ? std::optional<std::string>("") : std::nullopt;
  std::vector<Layout> layouts;
  for (const ShownColumn& column : beside) layouts.push_back(Measure(column, style.width));
  if (!FitInto(layouts, style.width, style.brief)) return std::nullopt;

  std::string text = SetHeader(beside, layouts, style.colour);
  for (std::size_t row = 0; row < beside.front().cells.size(); ++row) {
    std::vector<std::vector<Slot>> cells;
    for (std::size_t i = 0; i < beside.size(); ++i) {
      cells.push_back(CellSlots(beside[i].cells[row], beside[i].numeric, layouts[i], style.colour,
                                style.brief));
    }
    text += SetRow(cells, layouts);
    for (const ShownColumn& column : columns | std::views::filter(below)) {
      text += SetBelow(column.cells[row], column, layouts, style);
    }
  }
  return text;
}

}  // namespace tare::report
