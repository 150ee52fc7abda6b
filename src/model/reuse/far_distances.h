// far_distances.h: LRU stack distances of a sample of lines, for caches of any size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "model/reuse/flat_map.h"
#include "model/reuse/recency_stack.h"
#include "model/reuse/sample_hash.h"

namespace tare::reuse {

// Hashed sampling (SHARDS; Waldspurger, Park, Garthwaite and Ahmad 2015): a hash of its address
// decides whether a line is sampled, so all of its references are. Distances among sampled lines,
// divided by the share of sampled lines, estimate distances among all lines. When there are more
// sampled lines than `max_lines`, the share is halved. Sub-samples by other bits of the hash show
// how far the sums can be trusted.
struct FarPlan {
  unsigned rate_bits = 6;  // the share of sampled lines is 2^-rate_bits; at most 16
  std::uint64_t max_lines = 1 << 18;
  std::uint64_t seed = 1;
  // The lines of a region of 64 that may be sampled, as for LineSample.
  std::uint64_t eligible = ~std::uint64_t{0};
  // Maps a distance to a bin, at most kMaxDistanceBins.
  std::function<std::size_t(std::uint64_t distance)> bin;
};
inline constexpr std::size_t kMaxDistanceBins = 255;
inline constexpr std::size_t kSubSamples = 8;

class FarDistances {
 public:
  explicit FarDistances(FarPlan plan);

  // `line` is the number of a line: its address divided by its size.
  bool IsSampled(std::uint64_t line) const { return sample_.Has(line); }
  const LineSample& sample() const { return sample_; }
  // References a line that is sampled.
  void Reference(std::uint64_t line, std::uint32_t owner);
  // The same without counting: the line was used at some time until now.
  void Touch(std::uint64_t line);

  // The share of sampled lines at the end.
  double Share() const;
  std::uint64_t Lines() const { return stack_.size(); }

  // All references of an owner, estimated from the sampled ones.
  struct Estimate {
    std::vector<double> at_distance;  // by bin
    double cold = 0;                  // first references
    // By bin: standard error of the references at this bin or beyond, including cold ones. One
    // longer than at_distance: the last is that of the cold ones.
    std::vector<double> beyond_error;
  };
  // By owner; owners without sampled references are absent.
  std::vector<std::pair<std::uint32_t, Estimate>> Estimates() const;

 private:
  static constexpr std::uint64_t kCold = kMaxDistanceBins;
  using SubSamples = std::array<double, kSubSamples>;

  // The sums of one bin of an owner.
  struct Sums {
    std::uint64_t bin;
    SubSamples at_distance;
    double uncertain;
  };

  // What a number of newer sampled lines means: the bin of the distance, and the bins of which
  // the reference may be before the start or not.
  struct Bins {
    std::uint8_t bin = 0;
    std::uint8_t first_uncertain = 1;
    std::uint8_t last_uncertain = 0;
  };

  void SampleFewer();
  Bins BinsAt(std::uint64_t newer) const;
  Bins NextBins(std::uint64_t newer);
  static std::uint64_t KeyOf(std::uint32_t owner, std::uint64_t bin) {
    return std::uint64_t{owner} * (kCold + 1) + bin;
  }
  static Estimate EstimateOf(const std::vector<Sums>& bins);

  FarPlan plan_;
  LineSample sample_;
  double weight_ = 1;       // of a reference
  std::vector<Bins> bins_;  // by number of newer lines
  RecencyStack stack_;
  FlatMap<SubSamples> sums_;  // by KeyOf
  // By KeyOf: references that may be before the start of this bin or not, because distances are
  // estimates.
  FlatMap<double> uncertain_;
};

}  // namespace tare::reuse
