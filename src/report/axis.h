// axis.h: the range of an axis, its places and its labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::report {

struct Axis {
  double low = 0;
  double high = 1;  // above `low`
  bool logarithmic = false;
  std::string unit;  // in which `low` and `high` are given

  // Where `value` lies between the ends: 0 at low, 1 at high. Not finite for what has no place,
  // such as zero on a logarithmic axis.
  double Place(double value) const;

  // The value at a place, in a unit in which it reads well; names of counted things are left out.
  std::string Label(double place) const;
};

// The range of all finite `values` (the positive ones on a logarithmic axis). A single value gets a
// range around it.
Axis AxisOver(const std::vector<double>& values, std::string_view unit, bool logarithmic);

// The same widened to round numbers, and down to zero if that is near; on a logarithmic axis to 1,
// 2 or 5 times a power of ten. `ticks` are places of round numbers, both ends among them.
struct RoundAxis {
  Axis axis;
  std::vector<double> ticks;
};
RoundAxis Widened(const Axis& axis);

// The places of round numbers on a logarithmic axis whose labels find room in `width` columns:
// powers of two for bytes, of ten for the rest. Empty where there are not two.
std::vector<double> LabelPlaces(const Axis& axis, std::size_t width);

// The column of `width` in which a place lies.
std::size_t ColumnAt(double place, std::size_t width);

// Labels at LabelPlaces, otherwise of the ends, and of the middle where there is room, set under
// `width` columns.
std::string LabelLine(const Axis& axis, std::size_t width);

}  // namespace tare::report
