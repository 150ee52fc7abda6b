// operations.h: rates of arithmetic, latencies of chains, and the cost of a mispredicted branch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "machine/survey/sampler.h"

namespace tare::survey {

// Adds a sample of each operation to `named` per round, until each has `rounds`.
Result<void> MeasureOperations(std::size_t rounds, std::uint64_t seed,
                               std::map<std::string, Samples>& named, const Progress& progress);

// As rates of a profile: operations per second; seconds per link of a chain ("... latency"); the
// clock frequency, from a chain of integer additions; "branch misprediction" in seconds.
std::vector<machine_profile::Rate> OperationRates(const std::map<std::string, Samples>& named);

}  // namespace tare::survey
