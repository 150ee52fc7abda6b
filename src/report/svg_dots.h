// svg_dots.h: single values with their intervals, a row each, on one axis.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/svg_canvas.h"

namespace tare::report {

struct DotRow {
  std::string name;
  // One per group; absent values and those without a place on the axis are not drawn.
  std::vector<const Measured*> values;
};

struct DotPlot {
  std::string unit;  // of all values
  std::vector<DotRow> rows;
  std::vector<Mark> marks = {};  // ascending
};

// With one group, verdicts have colours; with several, groups have, and verdicts differ by shape.
// Draws between `left` and `right`, names to the left of that. Returns the y below the axis.
double DrawDots(SvgCanvas& canvas, const DotPlot& plot, double left, double right, double top);

// The height that DrawDots takes.
double HeightOf(const DotPlot& plot);

}  // namespace tare::report
