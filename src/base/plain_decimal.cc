// plain_decimal.cc: fixed notation without trailing zeros.
#include "base/plain_decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tare {

std::string PlainDecimal(double value) {
  constexpr int kDigits = 4;
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
  std::string text = fmt::format("{:.{}f}", value, std::max(0, kDigits - 1 - magnitude));
  if (!text.contains('.')) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace tare
