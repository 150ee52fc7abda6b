// mixed.h: how much work a core does at once: the rate of mixed instructions, store forwarding, and
// how far memory accesses and arithmetic hide each other.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "machine/survey/bandwidth.h"
#include "machine/survey/sampler.h"

namespace tare::survey {

// Adds a sample of each loop to `named` per round, until each has as many as there are rounds.
Result<void> MeasureMixed(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                          const Progress& progress);

// "mixed instructions" and "loads with stores" per second, "store forwarding latency" in seconds,
// "overlap", and the same of each level and pattern: "overlap L2 stream".
std::vector<machine_profile::Rate> MixedRates(const BandwidthConfig& config,
                                              const std::map<std::string, Samples>& named);

// The share of the shorter time that the longer one hides: 0 when `both` is the sum of the two, 1
// when it is the longer one. All in seconds per line; below 0 counts as 0, above 1 as 1.
double Overlap(double memory, double arithmetic, double both);

}  // namespace tare::survey
