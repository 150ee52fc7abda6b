// simple_rule.h: where "its run time is within 10 %, so it stands for the original" misleads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/proxy/metric_ratio.h"

namespace tare::proxy {

inline constexpr double kPlainTolerance = 0.1;

struct Misled {
  enum class How : std::uint8_t {
    kTrusted,   // the rule accepts the program, and this metric is refused
    kRejected,  // the rule rejects the program, and this metric is valid
  };
  std::string program;
  double run_time = 0;  // the ratio that the rule looks at
  std::string metric;
  double ratio = 0;
  How how = How::kTrusted;
};

// Whether the rule accepts the program; absent when no run time is known.
std::optional<bool> AcceptedByRunTime(const JudgedProgram& program);

// Metrics other than times. In the order of the metrics.
std::vector<Misled> MisledByRunTime(const JudgedProgram& program);

}  // namespace tare::proxy
