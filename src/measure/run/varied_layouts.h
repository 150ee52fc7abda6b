// varied_layouts.h: the same run with its memory laid out elsewhere.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "measure/run/setting.h"

namespace tare::run {

inline constexpr std::size_t kMaxLayouts = 64;

// `count` settings, kMaxLayouts at most. The first one has the environment padded to a size that
// is a multiple of 16; in the others the environment is larger, and stack, heap and mappings are
// moved besides. What `given` moves already stays moved by as much; an environment whose size it
// fixes stays so.
Result<std::vector<Setting>> VaryLayout(const Setting& given, std::size_t count);

// The size of the environment alone: for runs that nobody may hold at their start.
Result<std::vector<Setting>> VaryEnvironment(const Setting& given, std::size_t count);

}  // namespace tare::run
