// check_advice.h: recommendations that would improve the numbers of a check, by expected gain.
#pragma once

#include <vector>

#include "analysis/check/program_check.h"

namespace tare::check {

// Largest gain first.
std::vector<Advice> MakeAdvice(const CheckReport& report);

}  // namespace tare::check
