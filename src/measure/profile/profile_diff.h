// profile_diff.h: which functions changed between two profiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/measured.h"
#include "base/result.h"
#include "format/sampled_profile.h"

namespace tare::profile {

struct FunctionChange {
  std::string function;  // demangled
  std::string object;    // file name
  std::uint64_t samples[2] = {0, 0};
  Measured share[2];      // percent
  Measured share_change;  // percentage points, second minus first
  Measured time_change;   // seconds
  double p = 1;           // adjusted for all functions together (Holm)
  bool significant = false;
};

struct ProfileDiff {
  std::vector<FunctionChange> functions;  // significant ones first, largest change of share first
  std::size_t significant = 0;
  double seconds[2] = {0, 0};
};

// Functions are matched by name and file name. A change is significant if the shares of the two
// profiles differ at the level 1 - confidence for all functions together.
Result<ProfileDiff> CompareProfiles(const format::SampledProfile& first,
                                    const format::SampledProfile& second, double confidence);

}  // namespace tare::profile
