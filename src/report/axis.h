// axis.h: the range of an axis, positions on it and its labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::report {

struct Axis {
  double low = 0;
  double high = 1;  // greater than `low`
  bool logarithmic = false;
  std::string unit;  // the unit of `low` and `high`

  // The position of `value` on the axis: 0 at low, 1 at high. Not finite for a value without a
  // position, such as zero on a logarithmic axis.
  double Place(double value) const;

  // The value at a position in a readable unit. Names of counted things are left out.
  std::string Label(double place) const;
};

// The range of all finite `values` (the positive ones on a logarithmic axis). A single value gets a
// range around it.
Axis AxisOver(const std::vector<double>& values, std::string_view unit, bool logarithmic);

// The axis widened to round numbers, and to zero if that is near; on a logarithmic axis to 1, 2 or
// 5 times a power of ten. `ticks` are the positions of round numbers, including both ends.
struct RoundAxis {
  Axis axis;
  std::vector<double> ticks;
};
RoundAxis Widened(const Axis& axis);

// The positions of round numbers on a logarithmic axis whose labels fit into `width` columns:
// powers of two for bytes, powers of ten otherwise. Empty if fewer than two fit.
std::vector<double> LabelPlaces(const Axis& axis, std::size_t width);

// The column, out of `width`, of a position.
std::size_t ColumnAt(double place, std::size_t width);

// A line of labels under `width` columns: at LabelPlaces if there are any, otherwise at the ends
// and, if there is room, in the middle.
std::string LabelLine(const Axis& axis, std::size_t width);

}  // namespace tare::report
