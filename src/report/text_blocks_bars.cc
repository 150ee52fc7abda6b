// text_blocks_bars.cc: renders stacked bars on one scale, and a legend with the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "report/bars_table.h"
#include "report/figures.h"
#include "report/paint.h"
#include "report/text_blocks.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

// With more bars the legend has no numbers, because the names would not fit next to each other.
constexpr std::size_t kMaxInLegend = 3;
constexpr std::size_t kMinBar = 8;

// The letter that fills a segment if there is no colour and precedes its name in the legend.
char KeyOf(std::size_t segment) {
  constexpr std::string_view kKeys =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return kKeys[segment % kKeys.size()];
}

class Drawing {
 public:
  Drawing(const Bars& bars, const TextStyle& style);

  std::string Draw() const;
  std::string Legend(Notes& notes) const;

 private:
  std::vector<std::size_t> Widths(const Bar& bar) const;
  std::string Segment(const Bar& bar, std::size_t number, std::size_t width) const;
  std::string Key(std::size_t segment) const;
  std::string KeysAlone() const;
  std::vector<ShownColumn> LegendColumns(Notes& notes, bool shares) const;
  std::string WithPaintedKeys(std::string grid) const;
  ShownColumn ShareColumn(std::size_t bar) const;
  std::string Shown(const Measured& measured) const {
    return ShowMeasured(measured, factor_).value;
  }

  const Bars& bars_;
  const TextStyle& style_;
  std::vector<double> totals_;
  double largest_ = 0;
  double factor_ = 1;  // to the unit in which the largest bar is most readable
  bool scaled_ = false;
  std::size_t names_ = 0;  // columns for the names, for the bars and for their totals
  std::size_t width_ = 0;
  std::size_t sums_ = 0;
};

Drawing::Drawing(const Bars& bars, const TextStyle& style) : bars_(bars), style_(style) {
  for (const Bar& bar : bars.bars) {
    double total = 0;
    for (const Measured& value : bar.values) total += DrawnPart(value);
    totals_.push_back(total);
    largest_ = std::max(largest_, total);
    names_ = std::max(names_, DisplayWidth(Printable(bar.name)));
  }
  const ScaledUnit readable = ReadableUnit(largest_, bars.unit);
  scaled_ = ReadableUnit(1e-6, bars.unit).factor != 1 || ReadableUnit(1e9, bars.unit).factor != 1;
  if (std::isfinite(largest_)) factor_ = readable.factor;
  for (const Bar& bar : bars.bars) {
    sums_ = std::max(sums_, DisplayWidth(Shown(TotalOf(bar))));
  }
  names_ = std::min(names_, style.width / 3);
  const std::size_t beside = names_ + (names_ > 0 ? 2 : 0);
  if (beside + kMinBar + 1 + sums_ > style.width) sums_ = 0;
  width_ = style.width - beside - (sums_ > 0 ? sums_ + 1 : 0);
}

// The number of characters of each segment. A segment that is not 0 gets at least one as long as
// there is room, taken from the widest segment.
std::vector<std::size_t> Drawing::Widths(const Bar& bar) const {
  std::vector<std::size_t> widths;
  double sum = 0;
  std::size_t edge = 0;
  for (const Measured& value : bar.values) {
    sum += DrawnPart(value);
    // Divides first, because the largest total may be near the largest double, or infinite.
    const bool drawn = largest_ > 0 && std::isfinite(largest_);
    const double share = drawn ? std::min(sum / largest_, 1.0) : 0;
    const auto next = static_cast<std::size_t>(std::lround(share * static_cast<double>(width_)));
    widths.push_back(next - edge);
    edge = next;
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0 || DrawnPart(bar.values[i]) == 0) continue;
    const auto widest = std::ranges::max_element(widths);
    if (*widest > 1) {
      --*widest;
    } else if (edge < width_) {
      ++edge;
    } else {
      break;
    }
    widths[i] = 1;
  }
  return widths;
}

std::string Drawing::Segment(const Bar& bar, std::size_t number, std::size_t width) const {
  const std::string count = Shown(bar.values[number]);
  const auto total = totals_[static_cast<std::size_t>(&bar - bars_.bars.data())];
  const std::string share =
      fmt::format("{:.0f}%", 100 * std::min(DrawnPart(bar.values[number]) / total, 1.0));
  std::string label;
  // At least one letter must remain visible to identify the segment.
  for (const std::string& one : {count, share})
    if (label.empty() && DisplayWidth(one) + 3 <= width) label = " " + one + " ";
  const std::size_t free = width - DisplayWidth(label);
  const std::size_t before = (free + 1) / 2;
  const char key = KeyOf(number);
  return Filled(std::string(before, key), number, true, style_.colour) +
         Filled(label, number, false, style_.colour) +
         Filled(std::string(free - before, key), number, true, style_.colour);
}

std::string Drawing::Draw() const {
  std::string text;
  for (const Bar& bar : bars_.bars) {
    std::string line = PadRight(Cut(Printable(bar.name), names_), names_);
    if (names_ > 0) line += "  ";
    std::size_t used = 0;
    const auto widths = Widths(bar);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      line += Segment(bar, i, widths[i]);
      used += widths[i];
    }
    if (sums_ > 0) line += (used > 0 ? " " : "") + Shown(TotalOf(bar));
    text += Trimmed(line) + "\n";
  }
  return text;
}

std::string Drawing::Key(std::size_t segment) const {
  return Filled(std::string(1, KeyOf(segment)), segment, false, style_.colour);
}

std::string Drawing::KeysAlone() const {
  std::string text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < bars_.segments.size(); ++i) {
    const std::string name = Trimmed(Cut(Printable(bars_.segments[i]), style_.width - 2));
    const std::size_t takes = 2 + DisplayWidth(name);
    if (used > 0 && used + 2 + takes > style_.width) {
      text += "\n";
      used = 0;
    }
    if (used > 0) text += "  ";
    text += name.empty() ? Key(i) : Key(i) + " " + name;
    used += takes + (used > 0 ? 2 : 0);
  }
  return text.empty() ? text : text + "\n";
}

// One row per segment, with the values of each bar next to it.
std::vector<ShownColumn> Drawing::LegendColumns(Notes& notes, bool shares) const {
  Table table = WideTable(bars_);
  // A counted thing becomes the header of the names; a unit that is scaled stays with the numbers.
  if (!scaled_ && !bars_.unit.empty())
    for (Column& column : table.columns) column.unit.clear();
  std::vector<const std::vector<Cell>*> rows;
  for (const auto& row : table.rows) rows.push_back(&row);
  std::vector<ShownColumn> shown = ShowColumns(table.columns, rows, notes);
  std::vector<ShownColumn> columns = {shown.front()};
  columns.front().name = Printable(scaled_ || bars_.unit.empty() ? "segment" : bars_.unit);
  for (std::size_t i = 0; i < bars_.segments.size(); ++i) {
    columns.front().cells[i].guide = {KeyOf(i), ' '};
    columns.front().cells[i].next_guide = "  ";
  }
  for (std::size_t i = 0; i < bars_.bars.size(); ++i) {
    shown[i + 1].name = Printable(bars_.bars[i].name);
    columns.push_back(std::move(shown[i + 1]));
    if (shares) columns.push_back(ShareColumn(i));
  }
  return columns;
}

ShownColumn Drawing::ShareColumn(std::size_t bar) const {
  ShownColumn column;
  column.name = "share";
  column.unit = "%";
  column.numeric = true;
  const bool known = totals_[bar] > 0 && std::isfinite(totals_[bar]);
  for (const Measured& value : bars_.bars[bar].values) {
    ShownCell cell;
    const bool there = known && value.value;
    const double share = there ? 100 * (DrawnPart(value) / totals_[bar]) : 0;
    if (there) cell.value = share > 0 && share < 0.05 ? "<0.1" : fmt::format("{:.1f}", share);
    column.cells.push_back(std::move(cell));
  }
  column.cells.emplace_back();
  if (known) column.cells.back().value = "100.0";
  return column;
}

std::string Drawing::Legend(Notes& notes) const {
  if (bars_.segments.empty()) return "";
  if (bars_.bars.size() > kMaxInLegend) return KeysAlone();
  for (const bool shares : {true, false})
    if (const auto grid = Grid(LegendColumns(notes, shares), style_))
      return WithPaintedKeys(*grid) + NoteText(notes, style_);
  // Too narrow for the bars' names next to each other.
  std::string text;
  const auto columns = LegendColumns(notes, false);
  for (std::size_t bar = 1; bar < columns.size(); ++bar) {
    text += Joined(Wrap(columns[bar].name + ":", style_.width));
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
      const ShownCell& part = columns.front().cells[row];
      const std::string value = FlatInFull(columns[bar].cells[row], columns[bar]);
      text += Joined(Wrap(part.value + ": " + value, style_.width,
                          part.guide.empty() ? "  " : part.guide, "  "));
    }
  }
  return text + NoteText(notes, style_);
}

// Each row starts with its key; continuation lines and the header do not.
std::string Drawing::WithPaintedKeys(std::string grid) const {
  if (!style_.colour) return grid;
  std::size_t from = grid.find("─");
  for (std::size_t i = 0; i < bars_.segments.size() && from != std::string::npos; ++i) {
    from = grid.find(std::string{'\n', KeyOf(i), ' '}, from);
    if (from == std::string::npos) break;
    const std::string painted = Key(i);
    grid.replace(from + 1, 1, painted);
    from += painted.size();
  }
  return grid;
}

}  // namespace

std::string BarsText(const Bars& bars, const TextStyle& style, Notes& notes) {
  if (bars.bars.empty()) return Painted("none", Paint::kDim, style.colour) + "\n";
  if (bars.dots) return TableText(DotsTable(bars), style, notes);
  const Drawing drawing(bars, style);
  return drawing.Draw() + "\n" + drawing.Legend(notes);
}

}  // namespace tare::report
