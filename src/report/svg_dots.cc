// svg_dots.cc: rows, marks and an axis below.
#include "report/svg_dots.h"

#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/figures.h"

namespace tare::report {
namespace {

constexpr double kDotRow = 22;
constexpr double kGroupStep = 8;  // dots of a row are not on top of each other
constexpr double kTicks = 34;
constexpr double kMarkNames = 16;

std::size_t GroupsOf(const DotPlot& plot) {
  std::size_t groups = 1;
  for (const DotRow& row : plot.rows) groups = std::max(groups, row.values.size());
  return groups;
}

double RowHeight(const DotPlot& plot) {
  return kDotRow + kGroupStep * static_cast<double>(GroupsOf(plot) - 1);
}

RoundAxis AxisOf(const DotPlot& plot) {
  std::vector<double> values;
  for (const DotRow& row : plot.rows) {
    for (const Measured* measured : row.values) {
      if (measured == nullptr || ShownValue(*measured) == nullptr) continue;
      for (const double value : {measured->Value(), measured->Low(), measured->High()}) {
        if (std::isfinite(value)) values.push_back(value);
      }
    }
  }
  const bool wide = SpansDecades(values);
  for (const Mark& mark : plot.marks) values.push_back(mark.x);
  return Widened(AxisOver(values, plot.unit, wide));
}

void DrawTicks(SvgCanvas& canvas, const RoundAxis& axis, double left, double right, double top,
               double bottom) {
  double free = 0;
  for (const double tick : axis.ticks) {
    const double x = left + tick * (right - left);
    canvas.Stroke(x, top, x, bottom, "#e4e8ec");
    const std::string label = axis.axis.Label(tick);
    const double width = TextWidth(label, 11);
    const double start = tick == 1 ? x - width : x - width / 2;
    if (start < free) continue;
    canvas.Text(x, bottom + 16, label, tick == 1 ? Anchor::kEnd : Anchor::kMiddle, 11);
    free = start + width + 6;
  }
}

}  // namespace

bool SpansDecades(const std::vector<double>& values) {
  constexpr double kTwoDecades = 100;
  if (values.empty()) return false;
  std::vector<double> positive;
  for (const double value : values) {
    if (value < 0) return false;
    if (value > 0) positive.push_back(value);
  }
  if (positive.empty()) return false;
  const auto [low, high] = std::ranges::minmax(positive);
  return high / low > kTwoDecades;
}

double HeightOf(const DotPlot& plot) {
  return (plot.marks.empty() ? 0 : kMarkNames) +
         static_cast<double>(plot.rows.size()) * RowHeight(plot) + kTicks;
}

double DrawDots(SvgCanvas& canvas, const DotPlot& plot, double left, double right, double top) {
  const RoundAxis axis = AxisOf(plot);
  const std::size_t groups = GroupsOf(plot);
  const double end = top + HeightOf(plot);
  const double bottom = end - kTicks;
  if (!plot.marks.empty()) top += kMarkNames;
  DrawTicks(canvas, axis, left, right, top, bottom);
  const auto has_place = [&](double value) { return std::isfinite(axis.axis.Place(value)); };
  const auto place = [&](double value) {
    const double at = axis.axis.Place(value);
    return left + (std::isfinite(at) ? std::clamp(at, 0.0, 1.0) : 0.0) * (right - left);
  };
  // Names are beside the outer marks, because marks can be near to each other.
  for (std::size_t m = 0; m < plot.marks.size(); ++m) {
    const double x = place(plot.marks[m].x);
    canvas.Stroke(x, top, x, bottom, "#57606a", 1, "4 4");
    if (m > 0 && m + 1 < plot.marks.size()) continue;
    const Anchor anchor = m == 0 ? Anchor::kEnd : Anchor::kStart;
    canvas.Text(m == 0 ? x - 3 : x + 3, top - 5, plot.marks[m].label, anchor, 11, "#57606a");
  }
  for (std::size_t r = 0; r < plot.rows.size(); ++r) {
    const DotRow& row = plot.rows[r];
    const double middle = top + (static_cast<double>(r) + 0.5) * RowHeight(plot);
    canvas.Text(left - 10, middle + 4, FittedText(row.name, left - 16), Anchor::kEnd);
    const auto is_drawn = [&](const Measured* measured) {
      return measured != nullptr && ShownValue(*measured) != nullptr &&
             has_place(measured->Value());
    };
    const auto drawn = static_cast<double>(std::ranges::count_if(row.values, is_drawn));
    double y = middle - kGroupStep * (drawn + 1) / 2;
    for (std::size_t group = 0; group < row.values.size(); ++group) {
      const Measured* measured = row.values[group];
      if (!is_drawn(measured)) continue;
      y += kGroupStep;
      const std::string_view colour =
          groups == 1 ? VerdictColour(measured->verdict) : LineColour(group);
      if (measured->HasInterval()) {
        canvas.Stroke(place(*measured->low), y, place(*measured->high), y, colour, 2);
        for (const double bound : {*measured->low, *measured->high}) {
          canvas.Stroke(place(bound), y - 4, place(bound), y + 4, colour, 2);
        }
      }
      canvas.VerdictMark(place(measured->Value()), y, 4, measured->verdict, colour);
    }
  }
  return end;
}

}  // namespace tare::report
