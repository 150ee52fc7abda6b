// why_fix.h: how to make a program repeatable.
#pragma once

#include <string>
#include <vector>

#include "analysis/why/why.h"

namespace tare::why {

struct Fix {
  Factor factor;
  std::string
      option;  // of tare, such as "--env-bytes 2048"; empty: tare fixes it by default, or cannot
  std::string advice;  // a sentence
};

// For every significant cause, and every suspect of scatter that is not negligible, in their order;
// each factor once.
std::vector<Fix> FixesFor(const WhyReport& report);

}  // namespace tare::why
