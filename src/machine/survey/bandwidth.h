// bandwidth.h: memory bandwidth of one core and of all cores, and latency under load.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/microbenchmark/buffer.h"
#include "machine/profile/machine_profile.h"
#include "machine/survey/sampler.h"

namespace tare::survey {

struct BandwidthConfig {
  std::span<const machine_profile::Level> levels;  // memory last
  std::vector<unsigned> cores;                     // the measuring core first
  std::uint64_t max_bytes = 0;                     // of all arrays of one core
  std::uint64_t memory_bytes = 0;                  // that may be used in total
  unsigned line_bytes = 64;
  microbenchmark::Pages pages = microbenchmark::Pages::kSystem;
  std::size_t rounds = 9;
  std::uint64_t seed = 1;
};

// Copy, triad and streaming stores on one core, at half the capacity of each cache and in memory.
Result<void> MeasureStreams(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                            const Progress& progress);

// Loads, stores, copy and triad in memory by 1, 2, 4, ... and all cores at once.
Result<void> MeasureCores(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                          const Progress& progress);

// The memory latency of the first core while the others load at several rates.
Result<void> MeasureLoaded(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                           const Progress& progress);

std::vector<machine_profile::Rate> StreamRates(const BandwidthConfig& config,
                                               const std::map<std::string, Samples>& named);
// "bandwidth by cores" of each stream, and "latency under load", where they were measured.
std::vector<machine_profile::Graph> BandwidthGraphs(const BandwidthConfig& config,
                                                    const std::map<std::string, Samples>& named);

// 1, 2, 4, ... and all.
std::vector<std::size_t> CoreCounts(std::size_t cores);

}  // namespace tare::survey
