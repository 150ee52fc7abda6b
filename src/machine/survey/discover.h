// discover.h: detecting the caches and TLBs of this machine purely by measurement.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/host/topology.h"
#include "machine/profile/machine_profile.h"

namespace tare::survey {

struct DiscoverConfig {
  std::optional<unsigned> core;
  bool quick = false;           // fewer repetitions, associativity of the first level only
  std::uint64_t max_bytes = 0;  // of memory that may be used
  std::uint64_t seed = 1;
};

// The measured parts of a profile. What the operating system reports is only shown next to them and
// never used as input.
struct Found {
  std::vector<machine_profile::Level> levels;  // caches, then memory, with their latencies
  std::vector<machine_profile::Tlb> tlbs;
  std::vector<machine_profile::Discovery> discovered;
  std::vector<machine_profile::Graph> graphs;
  std::vector<machine_profile::Rate> rates;
};

Result<Found> Discover(const DiscoverConfig& config, const host::Topology& reported,
                       const Progress& progress);

}  // namespace tare::survey
