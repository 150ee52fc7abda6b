// grouped.cc: thousands separators.
#include "base/grouped.h"

#include <algorithm>

namespace tare {

std::string Grouped(std::uint64_t count) { return WithSeparators(std::to_string(count)); }

std::string WithSeparators(std::string digits) {
  const std::size_t start = digits.starts_with('-') ? 1 : 0;
  std::size_t place = std::min(digits.find('.'), digits.size());
  while (place > start + 3) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

}  // namespace tare
