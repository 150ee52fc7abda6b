// suspects.h: possible reasons why a program varies although all controllable factors are fixed.
#pragma once

#include <optional>
#include <vector>

#include "analysis/why/why.h"
#include "format/system_log.h"

namespace tare::why {

// `log` has the recorded system inputs, if known; `fixed` the factors that were fixed. Never
// empty: the last resort is an unnamed cause.
std::vector<Suspect> SuspectsOf(const std::optional<format::SystemLog>& log,
                                const std::vector<FactorLevels>& fixed);

}  // namespace tare::why
