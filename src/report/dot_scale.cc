// dot_scale.cc: kinds of axes, places and ticks.
#include "report/dot_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tare::report {
namespace {

constexpr double kGapAtZero = 0.06;
constexpr double kDecades = 100;
// Small differences of either sign are seldom the point, so that few decades stay linear.
constexpr double kDecadesMirrored = 10'000;

std::vector<double> Magnitudes(const std::vector<double>& values) {
  std::vector<double> magnitudes;
  for (const double value : values) {
    if (value != 0 && std::isfinite(value)) magnitudes.push_back(std::abs(value));
  }
  return magnitudes;
}

double DecadesRatio(const std::vector<double>& magnitudes) {
  if (magnitudes.empty()) return 1;
  const auto [low, high] = std::ranges::minmax(magnitudes);
  return high / low;
}

bool AnyBelowZero(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return value < 0; });
}

void Append(const std::vector<double>& more, std::vector<double>& values) {
  values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

DotScale::DotScale(const std::vector<double>& values, const std::vector<double>& ends,
                   const std::vector<double>& marks, std::string_view unit) {
  std::vector<double> all = values;
  Append(ends, all);
  if (AnyBelowZero(all)) {
    mirrored_ = DecadesRatio(Magnitudes(values)) > kDecadesMirrored;
  }
  const bool decades = !AnyBelowZero(all) && DecadesRatio(Magnitudes(all)) > kDecades;
  if (mirrored_) {
    // An end near 0 would add decades that no value is in.
    const std::vector<double> magnitudes = Magnitudes(values);
    const double least = std::ranges::min(magnitudes);
    std::vector<double> shown = magnitudes;
    for (const double end : Magnitudes(ends)) shown.push_back(std::max(end, least));
    all = std::move(shown);
  } else {
    Append(marks, all);
  }
  const RoundAxis round = Widened(AxisOver(all, unit, decades || mirrored_));
  axis_ = round.axis;
  const bool has_zero = std::ranges::find(values, 0.0) != values.end();
  if (mirrored_) {
    start_ = kGapAtZero / 2;
  } else if (decades && has_zero) {
    start_ = kGapAtZero;
  }
  if (!mirrored_) {
    if (start_ > 0) ticks_.push_back({0, "0"});
    for (const double tick : round.ticks) {
      std::string label = axis_.Label(tick);
      if (label.starts_with('<')) continue;  // too small to be written
      ticks_.push_back({start_ + tick * (1 - start_), std::move(label)});
    }
    return;
  }
  // The innermost ticks would be too near to 0.
  constexpr std::size_t kOnEachSide = 3;
  const std::size_t step = (round.ticks.size() + kOnEachSide - 1) / kOnEachSide;
  std::vector<Tick> right;
  for (std::size_t i = round.ticks.size() - 1; i > 0; i -= std::min(step, i)) {
    right.push_back({0.5 + start_ + round.ticks[i] * (0.5 - start_), axis_.Label(round.ticks[i])});
  }
  for (const Tick& tick : right) ticks_.push_back({1 - tick.place, "-" + tick.label});
  ticks_.push_back({0.5, "0"});
  ticks_.insert(ticks_.end(), right.rbegin(), right.rend());
}

double DotScale::Place(double value) const {
  if (!axis_.logarithmic) return axis_.Place(value);
  if (mirrored_) {
    if (value == 0) return 0.5;
    const double place = std::clamp(axis_.Place(std::abs(value)), 0.0, 1.0);
    const double distance = start_ + place * (0.5 - start_);
    return value > 0 ? 0.5 + distance : 0.5 - distance;
  }
  if (value == 0 && start_ > 0) return 0;
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return start_ + axis_.Place(value) * (1 - start_);
}

}  // namespace tare::report
