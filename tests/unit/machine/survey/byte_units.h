// byte_units.h: sizes of working sets in tests.
#pragma once

namespace tare::survey {

inline constexpr double kKi = 1024;
inline constexpr double kMi = 1024 * kKi;

}  // namespace tare::survey
