// dot_scale.h: the axis of single values: linear, logarithmic, or logarithmic to both sides of 0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/axis.h"

namespace tare::report {

// Values that span decades are on a logarithmic axis, with a place for 0 before its start. If some
// are negative, it is mirrored, with 0 in the middle.
class DotScale {
 public:
  // `ends` are those of intervals. Marks have a place, unless they are below a logarithmic axis.
  DotScale(const std::vector<double>& values, const std::vector<double>& ends,
           const std::vector<double>& marks, std::string_view unit);

  // 0 at the left end, 1 at the right end; not finite for a value without a place.
  double Place(double value) const;

  struct Tick {
    double place;
    std::string label;
  };
  const std::vector<Tick>& Ticks() const { return ticks_; }

 private:
  Axis axis_;         // of magnitudes if mirrored
  double start_ = 0;  // the place where the axis, or each half of it, starts
  bool mirrored_ = false;
  std::vector<Tick> ticks_;
};

}  // namespace tare::report
