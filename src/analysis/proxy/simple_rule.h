// simple_rule.h: where the rule "run time within 10 %, so it represents the original" misleads.
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
    kTrusted,   // the rule accepts the program, but this metric is refused
    kRejected,  // the rule rejects the program, but this metric is valid
  };
  std::string program;
  double run_time = 0;  // the ratio that the rule uses
  std::string metric;
  double ratio = 0;
  How how = How::kTrusted;
};

// Whether the rule accepts the program; absent if the run time is unknown.
std::optional<bool> AcceptedByRunTime(const ProgramRatios& program);

// Metrics other than times, in their order.
std::vector<Misled> MisledByRunTime(const ProgramRatios& program);

}  // namespace tare::proxy
