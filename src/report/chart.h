// chart.h: line charts drawn with Braille dots between two axes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/axis.h"
#include "report/document.h"

namespace tare::report {

using Lines = std::vector<const Line*>;

// The layout of a chart: y labels on the left, the plot, and letters after the ends of the lines.
struct Frame {
  Axis x;
  RoundAxis y;
  std::size_t margin = 0;  // columns of the labels on the left
  std::size_t plot = 0;    // columns of the plot; 0 if there is no room for one
  std::size_t ends = 0;    // columns to the right of the plot
  // Columns of the plot that are marked, and their printable labels.
  std::vector<std::pair<std::size_t, std::string>> marks = {};
};

// A frame for `lines`, which must share a unit, with room for the end letters of `together` lines.
Frame FrameFor(const Series& series, const Lines& lines, std::size_t together, std::size_t width);

// The line above the plot: the labels of the marks, each above its column if there is room.
std::string DrawMarks(const Frame& frame, bool colour);

// Draws the lines in `height` rows, with marks as dotted lines behind them. Several lines get
// letters at their ends, and colours if requested. `lines` must not outnumber kDistinct, and the
// frame needs a plot.
std::string DrawLines(const Lines& lines, const Frame& frame, std::size_t height, bool colour);

// The lines below the plot: the rule, the labels and the name of the axis.
std::string DrawAxis(const Column& axis, const Frame& frame, bool colour);

// The letter of a line, by its index in the chart.
std::string LetterOf(std::size_t line);

}  // namespace tare::report
