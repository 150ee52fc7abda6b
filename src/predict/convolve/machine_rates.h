// machine_rates.h: what the models of a prediction need to know about a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "machine/profile/origin.h"
#include "machine/profile/projection.h"
#include "predict/convolve/level_costs.h"
#include "predict/signature/cache_hits.h"
#include "predict/signature/signature.h"

namespace tare::convolve {

// All figures in seconds of one core, unless stated otherwise.
struct CoreCosts {
  double issue = 0;                  // of any instruction, in a mix of independent ones
  signature::WorkCounts each = {};   // of an independent instruction of a kind
  signature::WorkCounts after = {};  // of an instruction that waits for the previous one
  double access = 0;                 // of a load or store among both; 0: unknown
  double float_vector = 0;           // of an independent vector operation, widest registers
  double misprediction = 0;
  double window = 0;  // instructions that the core looks at together
  // The share of the shorter of memory time and arithmetic time that the longer one hides, where
  // there are no lines: page walks.
  double overlap = 0;

  friend bool operator==(const CoreCosts&, const CoreCosts&) = default;
};

struct Costs {
  CoreCosts core;
  std::vector<LevelCosts> levels;      // caches from the core outwards, then memory
  std::vector<double> tlb_misses;      // what a miss of each TLB adds to a chain of loads
  std::vector<double> tlb_overlapped;  // the same next to other misses

  friend bool operator==(const Costs&, const Costs&) = default;
};

// The costs with one group of rates at the fast and at the slow end of its interval.
struct RateSpread {
  std::string what;  // "memory", "L2", "operations"
  Costs fast;
  Costs slow;
};

// Page walks take longer once the page tables of the pages in use exceed the caches.
struct FarWalk {
  std::uint64_t pages = 0;  // in use
  double seconds = 0;       // in addition to the miss of the last TLB
};

struct MachineRates {
  std::string name;
  std::string architecture;
  machine_profile::Origin origin = machine_profile::Origin::kMeasured;
  std::string derived_from;
  double clock = 0;  // Hz
  signature::Hierarchy hierarchy;
  std::vector<std::string> level_names;  // as long as costs.levels
  // The caches of the hierarchy after the first are steps of distance, whose costs come from curves
  // and contain the TLB misses of lines that are as far apart.
  bool by_distance = false;
  unsigned line_bytes = 64;
  std::optional<FarWalk> far_walk;  // in the hierarchy as one more TLB
  Costs costs;
  std::vector<RateSpread> spreads;
  std::vector<std::string> derived;  // rates that the profile lacks, and what replaces them
  std::vector<Caveat> caveats;
};

// Takes measured rates from the profile. Core rates that it lacks follow from the clock, and
// figures of levels from those of nearer levels (default_costs.h). kUsage for a profile without
// clock or without a cache, and for an impossible hierarchy.
Result<MachineRates> RatesOf(const machine_profile::Profile& profile);

// Adds a far walk to the hierarchy as one more TLB, and its costs.
void AddFarWalk(const FarWalk& walk, MachineRates& rates);

// Sets the costs of TLB misses next to others, by distance: random loads just beyond the reach of a
// TLB miss it, so that a miss next to others takes no longer than such a load.
void OverlapWalks(const signature::Hierarchy& hierarchy, Costs& costs);

// The rates of a machine that differs from `base` (the rates of `profile`) by the changes. Does
// not rebuild curves, so it takes microseconds.
Result<MachineRates> ChangedRates(const machine_profile::Profile& profile, const MachineRates& base,
                                  std::span<const machine_profile::Change> changes,
                                  std::string_view name);

// The names of rates in profiles that only predictions use.
inline constexpr std::string_view kMixedRate = "mixed instructions";
inline constexpr std::string_view kAccessRate = "loads with stores";
inline constexpr std::string_view kShortSumsRate = "fp64 short sums";
inline constexpr std::string_view kForwardingRate = "store forwarding latency";
inline constexpr std::string_view kOverlapRate = "overlap";
inline constexpr std::string_view kWindowRate = "instructions in flight";

}  // namespace tare::convolve
