// varied_layouts.h: settings that run a program at different memory addresses.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "measure/run/setting.h"

namespace tare::run {

inline constexpr std::size_t kMaxLayouts = 64;

// `count` settings, at most kMaxLayouts. In the first, the environment is padded to a multiple of
// 16 bytes. In the others, the environment is larger and stack, heap and mappings are moved.
// Offsets in `given` are kept in addition; an environment size in `given` stays fixed.
Result<std::vector<Setting>> VaryLayout(const Setting& given, std::size_t count);

// Varies only the environment size, for runs that must not be stopped at their start.
Result<std::vector<Setting>> VaryEnvironment(const Setting& given, std::size_t count);

}  // namespace tare::run
