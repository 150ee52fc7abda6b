// chart.h: lines drawn with dots in a frame of two axes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/axis.h"
#include "report/document.h"

namespace tare::report {

using Lines = std::vector<const Line*>;

// Where things stand: labels of y on the left, the plot, and letters behind the ends of lines.
struct Frame {
  Axis x;
  RoundAxis y;
  std::size_t margin = 0;  // columns of the labels on the left
  std::size_t plot = 0;    // columns of the plot; 0 when there is no room for one
  std::size_t ends = 0;    // columns behind the plot
  // Columns of the plot that are marked, and their labels, safe for a terminal.
  std::vector<std::pair<std::size_t, std::string>> marks = {};
};

// A frame for `lines`, which share a unit, with room for the ends of `together` of them.
Frame FrameFor(const Series& series, const Lines& lines, std::size_t together, std::size_t width);

// What stands above: the labels of the marks, each over its column as far as there is room.
std::string DrawMarks(const Frame& frame, bool colour);

// The lines in `height` rows, marks as dotted lines behind them. Several lines get letters where
// they end, and colours if asked for. At most as many as there are distinct colours; needs a plot.
std::string DrawLines(const Lines& lines, const Frame& frame, std::size_t height, bool colour);

// What stands below: the rule, the labels and the name of the axis.
std::string DrawAxis(const Column& axis, const Frame& frame, bool colour);

// The letter of the line at that place among its chart's lines.
std::string LetterOf(std::size_t line);

}  // namespace tare::report
