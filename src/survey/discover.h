// discover.h: the caches and translations of this machine, found by measuring alone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/topology.h"
#include "rates/profile.h"

namespace tare::survey {

struct DiscoverConfig {
  std::optional<unsigned> core;
  bool quick = false;            // fewer repetitions, no associativity beyond the first level
  std::uint64_t most_bytes = 0;  // of memory that may be used
  std::uint64_t seed = 1;
};

// What was found, as parts of a profile. What the operating system reports is only set beside it
// and never used to find it.
struct Found {
  std::vector<rates::Level> levels;  // caches, then memory, with their latencies
  std::vector<rates::Tlb> tlbs;
  std::vector<rates::Discovery> discovered;
  std::vector<rates::Graph> graphs;
  std::vector<rates::Rate> rates;
};

Result<Found> Discover(const DiscoverConfig& config, const machine::Topology& reported,
                       const Progress& progress);

}  // namespace tare::survey
