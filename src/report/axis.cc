// axis.cc: ranges, round numbers and labels of axes.
#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr int kLabelDigits = 3;

// The smallest of 1, 2, 2.5 or 5 times a power of ten that is at least `min_step`.
double RoundStep(double min_step) {
  const double power = std::pow(10.0, std::floor(std::log10(min_step)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (power * factor >= min_step * 0.999999) return power * factor;
  }
  return power * 10;
}

// The first column of a label of `size` columns that is centred on `column`.
std::size_t LabelStart(std::size_t column, std::size_t size, std::size_t width) {
  const std::size_t start = column > size / 2 ? column - size / 2 : 0;
  return std::min(start, width - std::min(size, width));
}

bool LabelsFit(const Axis& axis, const std::vector<double>& places, std::size_t width) {
  constexpr std::size_t kApart = 2;
  std::size_t taken = 0;
  for (const double place : places) {
    const std::size_t size = DisplayWidth(axis.Label(place));
    const std::size_t start = LabelStart(ColumnAt(place, width), size, width);
    if (size > width || (taken > 0 && start < taken + kApart)) return false;
    taken = start + size;
  }
  return true;
}

// The number at index `rung` of the sequence of 1, 2 and 5 times a power of ten, where 0 is 1.
double Rung(int rung) {
  constexpr std::array<double, 3> kFactors = {1, 2, 5};
  const int decade = rung >= 0 ? rung / 3 : -((2 - rung) / 3);
  return std::pow(10.0, decade) * kFactors[static_cast<std::size_t>(rung - 3 * decade)];
}

RoundAxis WidenedLogarithmic(const Axis& axis) {
  RoundAxis round{axis, {0, 1}};
  if (!(axis.low > 1e-290 && axis.high < 1e290)) return round;
  const double factor = ReadableUnit(axis.high, axis.unit).factor;
  int first = 3 * static_cast<int>(std::floor(std::log10(axis.low * factor))) + 3;
  while (Rung(first) > axis.low * factor * 1.000001) --first;
  int last = first + 1;
  while (Rung(last) < axis.high * factor * 0.999999) ++last;
  round.axis.low = Rung(first) / factor;
  round.axis.high = Rung(last) / factor;
  // A few ticks are all shown; otherwise whole decades, or only some decades if there are many.
  constexpr int kMaxTicks = 7;
  const int step = last - first < kMaxTicks ? 1 : 3 * ((last - first) / 3 / kMaxTicks + 1);
  round.ticks.clear();
  for (int rung = first; rung <= last; ++rung) {
    const bool end = rung == first || rung == last;
    if (end || rung % step == 0) round.ticks.push_back(round.axis.Place(Rung(rung) / factor));
  }
  return round;
}

}  // namespace

double Axis::Place(double value) const {
  if (logarithmic) {
    const double span = std::log10(high) - std::log10(low);
    return span > 0 ? (std::log10(value) - std::log10(low)) / span : 0.0;
  }
  const double span = high - low;
  if (std::isfinite(span)) return (value - low) / span;
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

std::string Axis::Label(double place) const {
  const double value =
      logarithmic ? std::pow(10.0, std::log10(low) * (1 - place) + std::log10(high) * place)
                  : low * (1 - place) + high * place;
  // Shows the rounding error of a subtraction as 0.
  const bool nothing = !logarithmic && std::abs(value) < 1e-9 * std::max(-low, high);
  const double shown = nothing ? 0.0 : value;
  const double largest = logarithmic || shown != 0 ? shown : std::max(std::abs(low), high);
  const ScaledUnit scaled = ReadableUnit(largest, unit);
  const std::string digits = WithSeparators(ShowRounded(shown * scaled.factor, kLabelDigits));
  const std::string symbol = Printable(scaled.symbol);
  // The legend names counted things ("processes") once; a symbol that may be scaled stays in the
  // label.
  constexpr std::size_t kLongestSymbol = 4;
  const bool counted = scaled.symbol == unit && DisplayWidth(symbol) > kLongestSymbol;
  return symbol.empty() || counted ? digits : fmt::format("{} {}", digits, symbol);
}

Axis AxisOver(const std::vector<double>& values, std::string_view unit, bool logarithmic) {
  Axis axis{0, 0, logarithmic, std::string(unit)};
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
    axis.low = any ? std::min(axis.low, value) : value;
    axis.high = any ? std::max(axis.high, value) : value;
    any = true;
  }
  if (axis.low < axis.high) return axis;
  const double value = any ? axis.low : 0.0;
  const double apart = value == 0 ? 1.0 : std::abs(value) / 2;
  axis.low = logarithmic ? (any ? value / 2 : 1.0) : value - apart;
  axis.high = logarithmic ? (any ? value * 2 : 10.0) : value + apart;
  // Near the limits of double the range around a value is empty or infinite.
  if (!(axis.low < axis.high) || !std::isfinite(axis.high) || !std::isfinite(axis.low)) {
    axis.low = logarithmic ? 1.0 : 0.0;
    axis.high = 10.0;
  }
  return axis;
}

RoundAxis Widened(const Axis& axis) {
  if (axis.logarithmic) return WidenedLogarithmic(axis);
  RoundAxis round{axis, {0, 1}};
  double low = axis.low;
  double high = axis.high;
  if (low > 0 && low < 0.5 * high) low = 0;
  if (high < 0 && high > 0.5 * low) high = 0;
  // Rounds in the unit that is shown: 1 KiB, not 1000 B.
  const double factor = ReadableUnit(std::max(std::abs(low), std::abs(high)), axis.unit).factor;
  const double step = RoundStep((high - low) * factor / 4);
  const double first = std::floor(low * factor / step + 1e-9);
  const double last = std::ceil(high * factor / step - 1e-9);
  if (!std::isfinite(step) || !std::isfinite(first) || !(last > first) || last - first > 10) {
    return round;
  }
  round.axis.low = first * step / factor;
  round.axis.high = last * step / factor;
  if (!std::isfinite(round.axis.low) || !std::isfinite(round.axis.high)) return {axis, {0, 1}};
  round.ticks.clear();
  for (double tick = first; tick <= last; ++tick) {
    round.ticks.push_back((tick - first) / (last - first));
  }
  return round;
}

std::size_t ColumnAt(double place, std::size_t width) {
  if (width == 0) return 0;
  return static_cast<std::size_t>(
      std::lround(std::clamp(place, 0.0, 1.0) * static_cast<double>(width - 1)));
}

std::vector<double> LabelPlaces(const Axis& axis, std::size_t width) {
  if (!axis.logarithmic) return {};
  const double base = FactorBetween(axis.unit, "B") ? 2 : 10;
  const double scale = FactorBetween(axis.unit, "B").value_or(1.0);
  const double first = std::ceil(std::log(axis.low * scale) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(axis.high * scale) / std::log(base) + 1e-9);
  if (!std::isfinite(first) || !std::isfinite(last)) return {};
  const auto powers = [&](double step) {
    std::vector<double> places;
    for (double power = first; power <= last; power += step) {
      places.push_back(axis.Place(std::pow(base, power) / scale));
    }
    return places;
  };
  for (double step = 1; first + step <= last; ++step) {
    std::vector<double> places = powers(step);
    if (!LabelsFit(axis, places, width)) continue;
    // Spreads the same number of labels so that the last one is at the end, if they fit there.
    const double wider = (last - first) / static_cast<double>(places.size() - 1);
    if (wider != std::floor(wider)) return places;
    std::vector<double> apart = powers(wider);
    return LabelsFit(axis, apart, width) ? apart : places;
  }
  return {};
}

std::string LabelLine(const Axis& axis, std::size_t width) {
  std::string labels;
  for (const double place : LabelPlaces(axis, width)) {
    const std::string label = axis.Label(place);
    const std::size_t start = LabelStart(ColumnAt(place, width), DisplayWidth(label), width);
    labels = PadRight(labels, start) + label;
  }
  if (!labels.empty()) return labels;
  const std::string left = axis.Label(0);
  const std::string middle = axis.Label(0.5);
  const std::string right = axis.Label(1);
  const std::size_t left_width = DisplayWidth(left);
  const std::size_t middle_width = DisplayWidth(middle);
  const std::size_t right_width = DisplayWidth(right);
  if (left_width + right_width + 1 > width) return left_width <= width ? left : "";

  std::string line = left;
  std::size_t taken = left_width;
  const std::size_t middle_start = width / 2 > middle_width / 2 ? width / 2 - middle_width / 2 : 0;
  if (middle_start > taken + 1 && middle_start + middle_width + 1 + right_width < width) {
    line.append(middle_start - taken, ' ').append(middle);
    taken = middle_start + middle_width;
  }
  return line.append(width - right_width - taken, ' ').append(right);
}

}  // namespace tare::report
