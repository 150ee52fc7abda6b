// associativity.cc: the first number of lines that doubling the stride does not change.
#include "machine/survey/associativity.h"

#include <cmath>

namespace tare::survey {

std::optional<SharedSet> SharedSetOf(std::span<const StrideFit> fits) {
  for (std::size_t i = 0; i + 1 < fits.size(); ++i) {
    if (!fits[i].lines || !fits[i + 1].lines) continue;
    const double lines = std::round(*fits[i].lines);
    if (lines >= 1 && lines == std::round(*fits[i + 1].lines)) {
      return SharedSet{static_cast<unsigned>(lines), fits[i].stride};
    }
  }
  return std::nullopt;
}

}  // namespace tare::survey
