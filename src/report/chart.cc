// chart.cc: draws lines on a Braille canvas.
#include "report/chart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/printable.h"
#include "report/braille.h"
#include "report/paint.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr std::size_t kMinPlot = 10;
constexpr std::size_t kMaxWidth = 120;
constexpr std::int64_t kNowhere = -1;

void Append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::int64_t DotAt(double place, std::size_t dots) {
  if (!(place >= -1e-9 && place <= 1 + 1e-9)) return kNowhere;
  return std::lround(std::clamp(place, 0.0, 1.0) * static_cast<double>(dots - 1));
}

void DrawLine(const Line& line, std::size_t pen, const Frame& frame, BrailleCanvas& canvas) {
  std::int64_t before_x = kNowhere;
  std::int64_t before_y = kNowhere;
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    const std::int64_t x = DotAt(frame.x.Place(line.x[i]), canvas.dots_across());
    const std::int64_t y = DotAt(1 - frame.y.axis.Place(line.y[i]), canvas.dots_down());
    const bool seen = x != kNowhere && y != kNowhere;
    if (seen && before_x != kNowhere && !line.points) canvas.Stroke(before_x, before_y, x, y, pen);
    if (seen) canvas.Dot(x, y, pen);
    before_x = seen ? x : kNowhere;
    before_y = y;
  }
}

// The letters of the lines that end on that row.
std::string EndsAt(std::size_t row, const Lines& lines, const Frame& frame, std::size_t height,
                   bool colour) {
  std::string letters;
  if (lines.size() < 2) return letters;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& y = lines[i]->y;
    const auto last =
        std::find_if(y.rbegin(), y.rend(), [](double value) { return std::isfinite(value); });
    if (last == y.rend()) continue;
    const std::int64_t dot = DotAt(1 - frame.y.axis.Place(*last), 4 * height);
    if (dot == kNowhere || static_cast<std::size_t>(dot) / 4 != row) continue;
    letters += Painted(LetterOf(i), kDistinct[i], colour);
  }
  return letters;
}

// The label of the tick on that row, if any. Charts of little height have labels only at the ends.
std::string TickAt(std::size_t row, const Frame& frame, std::size_t height) {
  const bool crowded = 2 * frame.y.ticks.size() > height + 1;
  for (const double tick : frame.y.ticks) {
    if (crowded && tick > 0 && tick < 1) continue;
    const std::int64_t dot = DotAt(1 - tick, 4 * height);
    if (static_cast<std::size_t>(dot) / 4 == row) return frame.y.axis.Label(tick);
  }
  return "";
}

// Positions for letters on the lines, where a line does not share its character with another. Each
// line gets one letter; they are spread across the plot.
std::map<std::pair<std::size_t, std::size_t>, std::size_t> LettersWithin(
    const Lines& lines, const Frame& frame, std::size_t height, const BrailleCanvas& canvas) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> letters;
  if (lines.size() < 3) return letters;
  const auto try_at = [&](std::size_t column, std::size_t pen) {
    for (std::size_t row = 0; row < height; ++row) {
      if (!canvas.DrawnAlone(column, row, pen)) continue;
      letters.emplace(std::pair{column, row}, pen);
      return true;
    }
    return false;
  };
  for (std::size_t pen = 0; pen < lines.size(); ++pen) {
    const std::size_t wanted = (pen + 1) * frame.plot / (lines.size() + 1);
    for (std::size_t away = 0; away < frame.plot; ++away) {
      if (wanted + away < frame.plot && try_at(wanted + away, pen)) break;
      if (away <= wanted && try_at(wanted - away, pen)) break;
    }
  }
  return letters;
}

}  // namespace

std::string LetterOf(std::size_t line) { return std::string(1, static_cast<char>('a' + line)); }

Frame FrameFor(const Series& series, const Lines& lines, std::size_t together, std::size_t width) {
  std::vector<double> across;
  std::vector<double> down;
  for (const Line* line : lines) {
    Append(across, line->x);
    for (const auto* values : {&line->y, &line->low, &line->high}) Append(down, *values);
  }
  Frame frame;
  frame.x = AxisOver(across, series.axis.unit, series.log_axis);
  frame.y = Widened(AxisOver(down, lines.front()->unit, series.log_values));
  for (const double tick : frame.y.ticks) {
    frame.margin = std::max(frame.margin, DisplayWidth(frame.y.axis.Label(tick)));
  }
  frame.ends = together > 1 ? 1 + together : 0;
  const std::size_t around = frame.margin + 2 + frame.ends;
  const std::size_t whole = std::min(width, kMaxWidth);
  frame.plot = whole >= around + kMinPlot ? whole - around : 0;
  if (frame.plot == 0) return frame;
  for (const Mark& mark : series.marks) {
    const double place = frame.x.Place(mark.x);
    if (!(place >= 0 && place <= 1)) continue;
    frame.marks.emplace_back(ColumnAt(place, frame.plot), Trimmed(Printable(mark.label)));
  }
  return frame;
}

std::string DrawMarks(const Frame& frame, bool colour) {
  constexpr std::size_t kMaxRows = 2;
  std::vector<std::string> rows;
  for (const auto& [column, label] : frame.marks) {
    const std::size_t width = DisplayWidth(label);
    if (width == 0 || width > frame.plot) continue;
    const std::size_t middle = column > width / 2 ? column - width / 2 : 0;
    const std::size_t start = std::min(middle, frame.plot - width);
    const auto free = std::ranges::find_if(
        rows, [&](const std::string& row) { return DisplayWidth(row) + 2 <= start; });
    if (free != rows.end()) {
      *free = PadRight(*free, start) + label;
    } else if (rows.size() < kMaxRows) {
      rows.push_back(std::string(start, ' ') + label);
    }
  }
  std::string text;
  for (const std::string& row : rows) {
    text += std::string(frame.margin + 2, ' ') + Painted(Trimmed(row), Paint::kBold, colour) + "\n";
  }
  return text;
}

std::string DrawLines(const Lines& lines, const Frame& frame, std::size_t height, bool colour) {
  BrailleCanvas canvas(frame.plot, height);
  for (std::size_t i = 0; i < lines.size(); ++i) DrawLine(*lines[i], i, frame, canvas);
  const auto letters_within = LettersWithin(lines, frame, height, canvas);
  std::set<std::size_t> marked;
  for (const auto& [column, label] : frame.marks) marked.insert(column);
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    const std::string label = TickAt(row, frame, height);
    std::string line = PadLeft(label, frame.margin) + (label.empty() ? " │" : " ┤");
    line = Painted(line, Paint::kDim, colour);
    for (std::size_t column = 0; column < frame.plot; ++column) {
      std::string glyph = canvas.Glyph(column, row);
      if (glyph == " " && marked.contains(column)) {
        line += Painted("┊", Paint::kDim, colour);
        continue;
      }
      const bool distinct = lines.size() > 1 && glyph != " ";
      const auto letter = letters_within.find({column, row});
      if (letter != letters_within.end()) glyph = LetterOf(letter->second);
      line += Painted(glyph, distinct ? kDistinct[canvas.Pen(column, row)] : Paint::kPlain, colour);
    }
    const std::string letters = EndsAt(row, lines, frame, height, colour);
    if (!letters.empty()) line += " " + letters;
    text += Trimmed(line) + "\n";
  }
  return text;
}

std::string DrawAxis(const Column& axis, const Frame& frame, bool colour) {
  const std::string indent(frame.margin + 1, ' ');
  std::set<std::size_t> marked;
  for (const auto& [column, label] : frame.marks) marked.insert(column);
  std::set<std::size_t> labelled;
  for (const double place : LabelPlaces(frame.x, frame.plot)) {
    labelled.insert(ColumnAt(place, frame.plot));
  }
  std::string rule = indent + "└";
  for (std::size_t column = 0; column < frame.plot; ++column) {
    const bool below = labelled.contains(column);
    rule += marked.contains(column) ? (below ? "┼" : "┴") : (below ? "┬" : "─");
  }
  std::string text = Painted(rule, Paint::kDim, colour) + "\n";
  const auto add = [&](const std::string& line) {
    text += Painted(Trimmed(indent + " " + line), Paint::kDim, colour) + "\n";
  };
  add(LabelLine(frame.x, frame.plot));
  if (axis.name.empty()) return text;
  std::string name = Printable(axis.name);
  std::ranges::replace(name, '_', ' ');
  if (frame.x.logarithmic) {
    name += frame.y.axis.logarithmic ? " (both axes logarithmic)" : " (logarithmic)";
  }
  name = Cut(name, frame.plot);
  const std::size_t before = (frame.plot - std::min(frame.plot, DisplayWidth(name))) / 2;
  add(std::string(before, ' ') + name);
  return text;
}

}  // namespace tare::report
