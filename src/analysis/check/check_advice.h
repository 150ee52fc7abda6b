// check_advice.h: what would make the numbers of a check better, by what it would gain.
#pragma once

#include <vector>

#include "analysis/check/program_check.h"

namespace tare::check {

// The largest gain first.
std::vector<Advice> MakeAdvice(const CheckReport& report);

}  // namespace tare::check
