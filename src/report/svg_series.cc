// svg_series.cc: lines, error bands and marks between two axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/units.h"
#include "report/axis.h"
#include "report/reduce.h"
#include "report/svg.h"
#include "report/svg_canvas.h"

namespace tare::report {
namespace {

constexpr double kSvgWidth = 760;
constexpr double kPlotHeight = 300;
constexpr double kMinLeft = 78;
constexpr double kTurnedUnit = 32;  // the unit of the values, left of their labels
constexpr double kRight = 20;
constexpr double kTitleHeight = 34;
constexpr double kAxisHeight = 48;
constexpr double kLegendLine = 18;
constexpr std::size_t kMaxSvgPoints = 4000;  // of a line

struct SvgPanel {
  std::string unit;
  std::vector<std::size_t> lines;  // indices in the series
  RoundAxis y = {};
  double legend_height = 0;
  std::string note = {};  // below the legend
};

double ValueRangeOf(const Line& line) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const double y : line.y) {
    if (!std::isfinite(y)) continue;
    low = std::min(low, y);
    high = std::max(high, y);
  }
  return high - low;
}

// More lines of a unit than these cannot be distinguished.
constexpr std::size_t kMaxSvgLines = 12;

// Leaves out the lines that change least, and says so by unit.
std::map<std::string, std::string> LeaveOutLines(Series& series) {
  std::map<std::string, std::vector<double>> ranges;
  for (const Line& line : series.lines) ranges[line.unit].push_back(ValueRangeOf(line));
  std::map<std::string, std::string> notes;
  for (auto& [unit, all] : ranges) {
    if (all.size() <= kMaxSvgLines) continue;
    notes[unit] = fmt::format("{} of {} lines: those that change most", kMaxSvgLines, all.size());
    std::ranges::sort(all, std::greater());
    const double least = all[kMaxSvgLines - 1];
    // Of the lines that change as little as the last, the first ones that have room.
    std::size_t room = kMaxSvgLines;
    room -= static_cast<std::size_t>(std::ranges::find(all, least) - all.begin());
    std::erase_if(series.lines, [&](const Line& line) {
      const double range = ValueRangeOf(line);
      if (line.unit != unit || range > least) return false;
      if (range < least || room == 0) return true;
      --room;
      return false;
    });
  }
  return notes;
}

std::vector<SvgPanel> PanelsOf(const Series& series) {
  std::vector<SvgPanel> panels;
  for (std::size_t i = 0; i < series.lines.size(); ++i) {
    const auto same = std::ranges::find(panels, series.lines[i].unit, &SvgPanel::unit);
    if (same != panels.end()) {
      same->lines.push_back(i);
    } else {
      panels.push_back({series.lines[i].unit, {i}});
    }
  }
  return panels;
}

// The height of the legend, whose entries are placed from left to right.
double LegendHeight(const Series& series, const SvgPanel& panel, double left) {
  double x = 0;
  double height = kLegendLine;
  for (const std::size_t i : panel.lines) {
    const double width = std::min(TextWidth(series.lines[i].name) + 44, kSvgWidth - left - kRight);
    if (x > 0 && x + width > kSvgWidth - left - kRight) {
      x = 0;
      height += kLegendLine;
    }
    x += width;
  }
  return height;
}

struct SvgArea {
  Axis x;
  Axis y;
  double top;
  double left;

  double PlaceX(double value) const { return left + x.Place(value) * (kSvgWidth - left - kRight); }
  double PlaceY(double value) const { return top + (1 - y.Place(value)) * kPlotHeight; }
};

// The labels of the ticks have short units; names of counted things are with the axis.
std::string WithAxisUnit(std::string name, const Axis& axis) {
  std::ranges::replace(name, '_', ' ');
  const std::string unit = ReadableUnit(axis.high, axis.unit).symbol;
  if (unit.empty() || unit == name || axis.Label(1).ends_with(unit)) return name;
  return name.empty() ? unit : fmt::format("{} ({})", name, unit);
}

void DrawTicks(SvgCanvas& canvas, const SvgArea& area, const RoundAxis& x, const RoundAxis& y) {
  const double right = kSvgWidth - kRight;
  const double bottom = area.top + kPlotHeight;
  for (const double place : y.ticks) {
    const double at = bottom - place * kPlotHeight;
    canvas.Stroke(area.left, at, right, at, "#e4e8ec");
    canvas.Text(area.left - 8, at + 4, y.axis.Label(place), Anchor::kEnd, 11);
  }
  for (const double place : x.ticks) {
    const double at = area.left + place * (right - area.left);
    canvas.Stroke(at, area.top, at, bottom, "#e4e8ec");
    canvas.Text(at, bottom + 16, x.axis.Label(place), Anchor::kMiddle, 11);
  }
  canvas.Stroke(area.left, bottom, right, bottom, "#57606a");
  canvas.Stroke(area.left, area.top, area.left, bottom, "#57606a");
}

void DrawLine(SvgCanvas& canvas, const SvgArea& area, const Line& line, std::size_t index) {
  std::vector<std::pair<double, double>> upper, lower;
  // A band ends where a bound is missing.
  const auto close_band = [&] {
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    canvas.Area(upper, LineColour(index));
    upper.clear();
    lower.clear();
  };
  for (std::size_t i = 0; i < std::min(line.low.size(), line.high.size()); ++i) {
    const double x = area.PlaceX(line.x[i]);
    const double high = area.PlaceY(line.high[i]);
    const double low = std::min(area.PlaceY(line.low[i]), area.top + kPlotHeight);
    if (!std::isfinite(x) || !std::isfinite(high) || !std::isfinite(low)) {
      close_band();
      continue;
    }
    upper.emplace_back(x, high);
    lower.emplace_back(x, low);
  }
  close_band();
  // Few points also have their intervals one by one, since a band needs a neighbour.
  constexpr std::size_t kMaxWhiskers = 12;
  for (std::size_t i = 0; line.x.size() <= kMaxWhiskers && i < line.high.size(); ++i) {
    const double x = area.PlaceX(line.x[i]);
    const double high = area.PlaceY(line.high[i]);
    const double low = std::min(area.PlaceY(line.low[i]), area.top + kPlotHeight);
    if (!std::isfinite(x) || !std::isfinite(high) || !std::isfinite(low)) continue;
    canvas.Stroke(x, low, x, high, LineColour(index), 1.5);
    for (const double end : {low, high}) canvas.Stroke(x - 4, end, x + 4, end, LineColour(index));
  }
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    points.emplace_back(area.PlaceX(line.x[i]), area.PlaceY(line.y[i]));
  }
  if (!line.points) canvas.Path(points, LineColour(index), LineDash(index));
  constexpr std::size_t kMaxDots = 60;
  if (points.size() > kMaxDots && !line.points) return;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    canvas.Dot(x, y, line.points ? 3.6 : 2.6, LineColour(index));
  }
}

void DrawLegend(SvgCanvas& canvas, const Series& series, const SvgPanel& panel, double left,
                double top) {
  double x = left;
  double y = top + 12;
  for (const std::size_t i : panel.lines) {
    const double width = std::min(TextWidth(series.lines[i].name) + 44, kSvgWidth - left - kRight);
    if (x > left && x + width > kSvgWidth - kRight) {
      x = left;
      y += kLegendLine;
    }
    if (series.lines[i].points) {
      canvas.Dot(x + 14, y - 4, 4, LineColour(i));
    } else {
      canvas.Stroke(x, y - 4, x + 22, y - 4, LineColour(i), 3, LineDash(i));
    }
    canvas.Text(x + 28, y, FittedText(series.lines[i].name, kSvgWidth - left - kRight - 44));
    x += width;
  }
}

// The lines of marks are below the plotted lines, their labels above them.
void DrawSvgMarks(SvgCanvas& canvas, const SvgArea& area, const std::vector<Mark>& marks,
                  bool labels) {
  double free = 0;
  for (const Mark& mark : marks) {
    const double place = area.x.Place(mark.x);
    if (!(place >= 0 && place <= 1)) continue;
    const double x = area.PlaceX(mark.x);
    if (!labels) canvas.Stroke(x, area.top, x, area.top + kPlotHeight, "#57606a", 1, "4 4");
    if (!labels || x < free) continue;
    canvas.EdgedText(x + 4, area.top + 12, mark.label, 11, "#57606a");
    free = x + 10 + TextWidth(mark.label, 11);
  }
}

// The axis of positions, with the ticks whose labels have room.
RoundAxis PositionAxis(const Series& series, const std::vector<std::size_t>& lines) {
  std::vector<double> values;
  for (const std::size_t i : lines) {
    values.insert(values.end(), series.lines[i].x.begin(), series.lines[i].x.end());
  }
  RoundAxis axis{AxisOver(values, series.axis.unit, series.log_axis), {}};
  if (series.log_axis) {
    axis.ticks = LabelPlaces(axis.axis, 90);
    if (axis.ticks.empty()) axis.ticks = {0, 1};
    return axis;
  }
  const RoundAxis wide = Widened(axis.axis);
  const double extent = wide.axis.high - wide.axis.low;
  const auto add = [&](double tick) {
    const double place = axis.axis.Place(wide.axis.low + tick * extent);
    if (place >= -1e-9 && place <= 1 + 1e-9) axis.ticks.push_back(std::clamp(place, 0.0, 1.0));
  };
  for (const double tick : wide.ticks) add(tick);
  // The ends of the wider axis are seldom on this one; then half steps are not too many.
  constexpr std::size_t kFewTicks = 4;
  const double half = 0.5 / std::max<double>(static_cast<double>(wide.ticks.size()) - 1, 1);
  const bool whole = std::ranges::all_of(values, [](double x) { return x == std::floor(x); });
  if (axis.ticks.size() < kFewTicks && !(whole && half * extent != std::floor(half * extent))) {
    for (const double tick : wide.ticks) add(tick + half);
    std::ranges::sort(axis.ticks);
  }
  if (axis.ticks.size() < 2) axis.ticks = {0, 1};
  return axis;
}

RoundAxis ValueAxis(const Series& series, const SvgPanel& panel) {
  std::vector<double> values;
  for (const std::size_t i : panel.lines) {
    const Line& line = series.lines[i];
    for (const auto* part : {&line.y, &line.low, &line.high}) {
      values.insert(values.end(), part->begin(), part->end());
    }
  }
  return Widened(AxisOver(values, panel.unit, series.log_values));
}

// The place of the values' axis, right of its labels.
double LeftOf(const std::vector<SvgPanel>& panels) {
  double widest = 0;
  for (const SvgPanel& panel : panels) {
    for (const double tick : panel.y.ticks) {
      widest = std::max(widest, TextWidth(panel.y.axis.Label(tick), 11));
    }
  }
  return std::max(kMinLeft, std::min(widest + 12 + kTurnedUnit, kSvgWidth / 3));
}

}  // namespace

std::string ToSvg(const Series& whole) {
  Series series = whole;
  const auto notes = LeaveOutLines(series);
  for (Line& line : series.lines) line = ReduceLine(line, kMaxSvgPoints);
  std::vector<SvgPanel> panels = PanelsOf(series);
  for (SvgPanel& panel : panels) {
    panel.y = ValueAxis(series, panel);
    const auto note = notes.find(panel.unit);
    if (note != notes.end()) panel.note = note->second;
  }
  const double left = LeftOf(panels);
  double height = kTitleHeight;
  for (SvgPanel& panel : panels) {
    panel.legend_height =
        LegendHeight(series, panel, left) + (panel.note.empty() ? 0 : kLegendLine);
    height += kPlotHeight + kAxisHeight + panel.legend_height + 10;
  }
  SvgCanvas canvas(kSvgWidth, height, series.title);
  canvas.Text(left, 22, FittedText(series.title, kSvgWidth - left - kRight, 15), Anchor::kStart, 15,
              "#1b1f24", true);
  double top = kTitleHeight;
  for (const SvgPanel& panel : panels) {
    const RoundAxis x = PositionAxis(series, panel.lines);
    const SvgArea area{x.axis, panel.y.axis, top, left};
    DrawTicks(canvas, area, x, panel.y);
    DrawSvgMarks(canvas, area, series.marks, false);
    for (const std::size_t i : panel.lines) DrawLine(canvas, area, series.lines[i], i);
    DrawSvgMarks(canvas, area, series.marks, true);
    canvas.Text((left + kSvgWidth - kRight) / 2, top + kPlotHeight + 36,
                WithAxisUnit(series.axis.name, x.axis), Anchor::kMiddle);
    canvas.TurnedText(18, top + kPlotHeight / 2, WithAxisUnit("", panel.y.axis));
    const double legend = top + kPlotHeight + kAxisHeight;
    DrawLegend(canvas, series, panel, left, legend);
    if (!panel.note.empty()) {
      canvas.Text(left, legend + panel.legend_height - 6, panel.note, Anchor::kStart, 11,
                  "#57606a");
    }
    top += kPlotHeight + kAxisHeight + panel.legend_height + 10;
  }
  return canvas.Take();
}

}  // namespace tare::report
