// axis.cc: ranges, round numbers and labels of axes.
#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "report/figures.h"

namespace tare::report {
namespace {

constexpr int kLabelDigits = 3;

// 1, 2, 2.5 or 5 times a power of ten, at least `least`.
double RoundStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (power * factor >= least * 0.999999) return power * factor;
  }
  return power * 10;
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
  // The rest of a subtraction is not a number that anybody wants to read.
  const bool nothing = !logarithmic && std::abs(value) < 1e-9 * std::max(-low, high);
  const double shown = nothing ? 0.0 : value;
  const double largest = logarithmic || shown != 0 ? shown : std::max(std::abs(low), high);
  const ScaledUnit scaled = ReadableUnit(largest, unit);
  const std::string digits = ShowRounded(shown * scaled.factor, kLabelDigits);
  const std::string symbol = Printable(scaled.symbol);
  // What is counted ("processes") is told once by the legend; a symbol that may change is not.
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
  // Next to the ends of what a double can hold there is nothing around a value.
  if (!(axis.low < axis.high) || !std::isfinite(axis.high) || !std::isfinite(axis.low)) {
    axis.low = logarithmic ? 1.0 : 0.0;
    axis.high = 10.0;
  }
  return axis;
}

RoundAxis Widened(const Axis& axis) {
  RoundAxis round{axis, {0, 1}};
  double low = axis.low;
  double high = axis.high;
  if (low > 0 && low < 0.5 * high) low = 0;
  if (high < 0 && high > 0.5 * low) high = 0;
  // Round in the unit that will be shown: 1 KiB, not 1000 B.
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

std::string LabelLine(const Axis& axis, std::size_t width) {
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
