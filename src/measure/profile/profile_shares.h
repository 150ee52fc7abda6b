// profile_shares.h: how much of the time each function, line or basic block takes, with intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "base/measured.h"
#include "base/result.h"
#include "format/sampled_profile.h"
#include "stats/multinomial.h"

namespace tare::profile {

enum class Part { kFunction, kLine, kBlock };

// A part with fewer samples of its own is marked: its share is known only roughly.
inline constexpr std::uint64_t kMinSamples = 10;

struct PartShare {
  std::string function;     // demangled, not yet printable
  std::string object;       // path, or "[kernel]"
  std::uint64_t start = 0;  // of the function: its address in the file
  std::string file;         // of a line; empty where unknown
  std::uint32_t line = 0;
  std::uint64_t offset = 0;  // of a block, in the object's file
  std::uint32_t instructions = 0;
  std::uint64_t samples = 0;            // its own
  std::uint64_t inclusive_samples = 0;  // with callees
  Measured share;                       // percent of all samples
  Measured time;                        // seconds of processor time
  Measured inclusive_share;
  stats::RankRange rank;  // simultaneous
};

struct Shares {
  std::vector<PartShare> rows;  // most samples first; those that were only callers last
  std::uint64_t samples = 0;
  double cpu_seconds = 0;
  double confidence = 0.95;
};

// The intervals of shares and times are for each part alone; ranks hold for all parts together.
// Fails (kUnsupported) if there is no sample.
Result<Shares> SharesOf(const format::SampledProfile& profile, Part part, double confidence);

// Processor time of what was sampled, in seconds.
double SampledSeconds(const format::SampledProfile& profile);

// Whether the two timers saw different shares, and the function that differs most.
struct StepCheck {
  stats::HomogeneityTest test;
  std::uint64_t samples[2] = {0, 0};
  std::string function;
  double share[2] = {0, 0};  // percent, of that function by timer
  bool in_step = false;
};
StepCheck CheckStep(const format::SampledProfile& profile);

// How far the profile can be trusted as a whole.
std::vector<Caveat> CaveatsOf(const format::SampledProfile& profile);

// The percentage of samples in user mode whose chain does not reach the start of a thread; none
// without chains.
double BrokenChains(const format::SampledProfile& profile);

// Processor time that sampling added to the program, in percent; absent if it was not measured.
Measured CostOf(const format::SampledProfile& profile);

// A path without its directories.
std::string_view FileNameOf(std::string_view path);

}  // namespace tare::profile
