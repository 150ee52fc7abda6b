// figures.cc: rounding.
#include "report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/grouped.h"
#include "base/units.h"

namespace tare::report {
namespace {

// The power of ten of the first digit, after rounding to two digits: -1 for 0.0996.
int Exponent(double magnitude) {
  if (!std::isfinite(magnitude)) return std::numeric_limits<double>::max_exponent10;
  const std::string text = fmt::format("{:.1e}", magnitude);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

// The last digit shown has the value 10^-decimals.
struct Rounding {
  int decimals;
  bool trim;  // remove trailing zeros of a fraction
};

// Smaller numbers are shown as "<0.000001". Larger ones than kLargest have more digits than anyone
// reads.
constexpr int kMaxDecimals = 6;
constexpr double kSmallest = 1e-6;
constexpr double kLargest = 1e21;

Rounding RoundingFor(double largest, int decimals, bool trim) {
  if (largest == 0) return {std::clamp(decimals, 0, kMaxDecimals), trim};
  // A double has 15 to 17 significant digits.
  return {std::min({decimals, 15 - Exponent(largest), kMaxDecimals}), trim};
}

constexpr int kMaxDigits = 4;

void TrimFraction(std::string& digits) {
  if (digits.find('.') == std::string::npos) return;
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
}

std::string Fixed(double value, const Rounding& rounding) {
  const double step = std::pow(10.0, std::max(0, -rounding.decimals));
  std::string digits = rounding.decimals < 0
                           ? fmt::format("{:.0f}", std::round(value / step) * step)
                           : fmt::format("{:.{}f}", value, rounding.decimals);
  if (rounding.trim) TrimFraction(digits);
  // A number that was rounded to zero has no sign.
  if (digits.find_first_of("123456789") == std::string::npos && digits.starts_with('-')) {
    digits.erase(0, 1);
  }
  return digits;
}

std::string Show(double value, const Rounding& rounding, bool group) {
  if (value == 0) return "0";
  const bool tiny = std::abs(value) < kSmallest / 2 && rounding.decimals >= kMaxDecimals;
  if (tiny) return value < 0 ? ">-0.000001" : "<0.000001";
  if (std::abs(value) >= kLargest) {
    return fmt::format("{}10^{}", value < 0 ? "-" : "", Exponent(std::abs(value)));
  }
  std::string digits = Fixed(value, rounding);
  return group ? WithSeparators(std::move(digits)) : digits;
}

std::optional<double> Finite(const std::optional<double>& bound, double factor) {
  if (!bound || !std::isfinite(*bound * factor)) return std::nullopt;
  return *bound * factor;
}

struct BoundRounding {
  Rounding low;
  Rounding high;
};

std::string ShowInterval(const std::optional<double>& low, const std::optional<double>& high,
                         const BoundRounding& rounding) {
  if (low && high) {
    return fmt::format("[{}, {}]", Show(*low, rounding.low, true),
                       Show(*high, rounding.high, true));
  }
  if (low) return fmt::format("[≥ {}]", Show(*low, rounding.low, true));
  if (high) return fmt::format("[≤ {}]", Show(*high, rounding.high, true));
  return "";
}

double RoundTo(double value, const Rounding& rounding) {
  const double step = std::pow(10.0, -rounding.decimals);
  return std::round(value / step) * step;
}

// A bound that rounding would move beyond the value has the digits of the value: "0.6 [0.5, 73]".
BoundRounding RoundingOfBounds(double value, const std::optional<double>& low,
                               const std::optional<double>& high, const Rounding& of_value,
                               const Rounding& rounding) {
  return {low && RoundTo(*low, rounding) > value ? of_value : rounding,
          high && RoundTo(*high, rounding) < value ? of_value : rounding};
}

double HalfWidth(double value, const std::optional<double>& low,
                 const std::optional<double>& high) {
  const double width = low && high ? *high / 2 - *low / 2
                       : low       ? value - *low
                       : high      ? *high - value
                                   : 0.0;
  return std::isfinite(width) ? std::abs(width) : 0.0;
}

// "[±1,200]", for bounds that are the same number when rounded as the value is. Empty if the
// distance cannot be shown either.
std::string ShowDistance(double value, double low, double high) {
  const double distance = std::max(std::abs(value - low), std::abs(high - value));
  if (distance < kSmallest || distance >= kLargest) return "";
  const Rounding rounding = RoundingFor(distance, 1 - Exponent(distance), true);
  return fmt::format("[±{}]", Show(distance, rounding, true));
}

}  // namespace

const Number* ShownValue(const Measured& measured) {
  const bool shown = measured.value && std::isfinite(AsDouble(*measured.value));
  return shown ? &*measured.value : nullptr;
}

std::optional<std::int64_t> ScaleWhole(std::int64_t number, double factor) {
  if (factor == 1 || number == 0) return number;
  const bool larger = factor > 1;
  const double steps = std::round(larger ? factor : 1 / factor);
  if (steps >= 0x1p62 || std::abs((larger ? factor / steps : factor * steps) - 1) > 1e-9) {
    return std::nullopt;
  }
  const auto whole = static_cast<std::int64_t>(steps);
  std::int64_t product = 0;
  if (larger) {
    if (__builtin_mul_overflow(number, whole, &product)) return std::nullopt;
    return product;
  }
  if (number % whole != 0) return std::nullopt;
  return number / whole;
}

Figure ShowMeasured(const Measured& measured, double factor) {
  const Number* number = ShownValue(measured);
  if (number == nullptr) return {"-", ""};
  const auto low = Finite(measured.low, factor);
  const auto high = Finite(measured.high, factor);
  const double value = AsDouble(*number) * factor;
  const double half_width = measured.exact ? 0.0 : HalfWidth(value, low, high);
  const double largest =
      std::max({std::abs(value), std::abs(low.value_or(0)), std::abs(high.value_or(0))});

  if (half_width == 0) {
    const auto* whole = std::get_if<std::int64_t>(number);
    const auto scaled = whole != nullptr ? ScaleWhole(*whole, factor) : std::nullopt;
    const bool whole_value = value == std::floor(value);
    const int digits = measured.exact && whole_value ? 15 : kMaxDigits;
    const Rounding rounding =
        RoundingFor(largest, std::max(0, digits - 1 - Exponent(largest)), true);
    std::string shown =
        scaled ? WithSeparators(fmt::format("{}", *scaled)) : Show(value, rounding, true);
    return {std::move(shown), ShowInterval(low, high, {rounding, rounding})};
  }

  // Four digits are enough for readers; the files contain all of them.
  const int readable = kMaxDigits - 1 - Exponent(largest);
  const Rounding rounding =
      RoundingFor(largest, std::min(1 - Exponent(half_width), readable), false);
  Rounding of_value = rounding;
  // A value well inside a wide interval keeps its first digit, unless it is negligible compared to
  // the interval.
  if (std::abs(value) >= half_width / 1000) {
    of_value.decimals = std::max(rounding.decimals, -Exponent(std::abs(value)));
  }
  const BoundRounding of_bounds = RoundingOfBounds(value, low, high, of_value, rounding);
  Figure figure = {Show(value, of_value, true), ShowInterval(low, high, of_bounds)};
  if (low && high && Show(*low, of_bounds.low, true) == Show(*high, of_bounds.high, true)) {
    std::string distance = ShowDistance(value, *low, *high);
    if (!distance.empty()) figure.interval = std::move(distance);
  }
  return figure;
}

std::string ShowBare(const Number& number, double factor) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) {
    if (const auto scaled = ScaleWhole(*whole, factor)) return fmt::format("{}", *scaled);
  }
  const double value = AsDouble(number) * factor;
  // Nobody reads as many digits; beyond that there is a power of ten.
  constexpr double kLong = 1e6;
  constexpr double kTooLong = 1e15;
  if (!(std::abs(value) >= kLong && std::abs(value) < kTooLong)) {
    return ShowRounded(value, kMaxDigits);
  }
  const double step = std::pow(10, Exponent(std::abs(value)) + 1 - kMaxDigits);
  return WithSeparators(ShowRounded(std::round(value / step) * step, kMaxDigits));
}

std::string ShowRounded(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const int decimals = std::max(0, digits - 1 - Exponent(std::abs(value)));
  return Show(value, RoundingFor(std::abs(value), decimals, true), false);
}

std::string ShowSeconds(double seconds, int digits) {
  const ScaledUnit unit = ReadableUnit(seconds, "s");
  return fmt::format("{} {}", ShowRounded(seconds * unit.factor, digits), unit.symbol);
}

}  // namespace tare::report
