// svg_dots.cc: rows, marks and an axis below.
#include "report/svg_dots.h"

#include <algorithm>
#include <cmath>

#include "report/dot_scale.h"
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

// Many dots of a row are nearer to each other.
double StepOf(const DotPlot& plot) {
  constexpr double kRoom = 32;
  const auto steps = static_cast<double>(GroupsOf(plot) - 1);
  return steps > 0 ? std::min(kGroupStep, kRoom / steps) : kGroupStep;
}

double RowHeight(const DotPlot& plot) {
  return kDotRow + StepOf(plot) * static_cast<double>(GroupsOf(plot) - 1);
}

DotScale ScaleOf(const DotPlot& plot) {
  std::vector<double> values, ends, marks;
  for (const DotRow& row : plot.rows) {
    for (const Measured* measured : row.values) {
      if (measured == nullptr || ShownValue(*measured) == nullptr) continue;
      values.push_back(measured->Value());
      for (const double end : {measured->Low(), measured->High()}) {
        if (std::isfinite(end)) ends.push_back(end);
      }
    }
  }
  for (const Mark& mark : plot.marks) marks.push_back(mark.x);
  return {values, ends, marks, plot.unit};
}

void DrawTicks(SvgCanvas& canvas, const DotScale& scale, double left, double right, double top,
               double bottom) {
  double free = 0;
  for (const auto& [place, label] : scale.Ticks()) {
    const double x = left + place * (right - left);
    canvas.Stroke(x, top, x, bottom, "#e4e8ec");
    const double width = TextWidth(label, 11);
    const double start = place == 1 ? x - width : x - width / 2;
    if (start < free) continue;
    canvas.Text(x, bottom + 16, label, place == 1 ? Anchor::kEnd : Anchor::kMiddle, 11);
    free = start + width + 6;
  }
}

}  // namespace

double HeightOf(const DotPlot& plot) {
  return (plot.marks.empty() ? 0 : kMarkNames) +
         static_cast<double>(plot.rows.size()) * RowHeight(plot) + kTicks;
}

double DrawDots(SvgCanvas& canvas, const DotPlot& plot, double left, double right, double top) {
  const DotScale scale = ScaleOf(plot);
  const std::size_t groups = GroupsOf(plot);
  const double step = StepOf(plot);
  const double end = top + HeightOf(plot);
  const double bottom = end - kTicks;
  if (!plot.marks.empty()) top += kMarkNames;
  DrawTicks(canvas, scale, left, right, top, bottom);
  const auto has_place = [&](double value) { return std::isfinite(scale.Place(value)); };
  const auto place = [&](double value) {
    const double at = scale.Place(value);
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
    double y = middle - step * (drawn + 1) / 2;
    for (std::size_t group = 0; group < row.values.size(); ++group) {
      const Measured* measured = row.values[group];
      if (!is_drawn(measured)) continue;
      y += step;
      const std::string_view colour =
          groups == 1 ? VerdictColour(measured->verdict) : LineColour(group);
      // An interval that the mark covers would only change its shape.
      const bool wide =
          measured->HasInterval() && place(*measured->high) - place(*measured->low) > 5;
      if (wide) {
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
