// suspects.h: what may make a program vary with everything held that can be held.
#pragma once

#include <optional>
#include <vector>

#include "analysis/why/why.h"
#include "format/system_log.h"

namespace tare::why {

// `asked` is what the program asked the system for, where that is known; `held` the factors that
// were held. Never empty: what has no name is called so.
std::vector<Suspect> SuspectsOf(const std::optional<format::SystemLog>& asked,
                                const std::vector<Choice>& held);

}  // namespace tare::why
