// special_numbers.h: numbers that statistics must refuse or survive.
#pragma once

#include <limits>

namespace tare::stats {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace tare::stats
