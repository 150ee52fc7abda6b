// sample_hash.h: which lines and pages are sampled.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace tare::reuse {

// The finalizer of splitmix64: keys at regular distances are sampled as if at random.
inline std::uint64_t SampleHash(std::uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58'476d'1ce4'e5b9;
  key = (key ^ key >> 27) * 0x94d0'49bb'1331'11eb;
  return key ^ key >> 31;
}

inline constexpr unsigned kMaxRateBits = 40;
// Lines are sampled by regions of so many, aligned, so that a mask has a bit for each.
inline constexpr unsigned kRegionShift = 6;

// A sample of 2^-rate_bits of all lines: in each region the same number of lines, at random, or, if
// that is less than one, one line in a random part of the regions.
// They can be chosen from a part of the lines of each region only, to which the others are taken
// to be alike. A power of two of lines, and no fewer than are sampled.
class LineSample {
 public:
  LineSample(unsigned rate_bits, std::uint64_t seed, std::uint64_t eligible = ~std::uint64_t{0})
      : rate_bits_(rate_bits),
        seed_(seed * 0xd6e8'feb8'6659'fd93),
        eligible_bits_(static_cast<unsigned>(
            std::countr_zero(static_cast<unsigned>(std::popcount(eligible))))) {
    for (unsigned i = 0; eligible != 0; eligible &= eligible - 1, ++i)
      eligible_[i] = static_cast<std::uint8_t>(std::countr_zero(eligible));
  }

  unsigned rate_bits() const { return rate_bits_; }
  void Halve() { ++rate_bits_; }

  bool Has(std::uint64_t line) const {
    return (LinesOf(line >> kRegionShift) >> (line % 64) & 1) != 0;
  }
  // The sampled lines of a region, a bit each.
  std::uint64_t LinesOf(std::uint64_t region) const {
    const std::uint64_t hash = SampleHash(region ^ seed_);
    const unsigned in_region = std::min(rate_bits_, kRegionShift);
    const unsigned of_regions = rate_bits_ - in_region;
    if ((hash >> kRegionShift & ((std::uint64_t{1} << of_regions) - 1)) != 0) return 0;
    if (eligible_bits_ == kRegionShift)
      return kEvery[in_region] << (hash & ((1U << in_region) - 1));
    // Every 2^step-th of the eligible ones.
    const unsigned step = eligible_bits_ - (kRegionShift - in_region);
    std::uint64_t lines = 0;
    for (std::uint64_t i = hash & ((1U << step) - 1); i < 1U << eligible_bits_; i += 1U << step)
      lines |= std::uint64_t{1} << eligible_[i];
    return lines;
  }
  // A number below 8 that divides the lines into parts: regions in turn, so that parts of any
  // larger piece of memory are of equal size, as the samples of its regions are.
  static unsigned PartOf(std::uint64_t line) {
    return static_cast<unsigned>(line >> kRegionShift & 7);
  }

 private:
  // Every 2^n-th bit.
  static constexpr std::uint64_t kEvery[] = {
      0xffff'ffff'ffff'ffff, 0x5555'5555'5555'5555, 0x1111'1111'1111'1111, 0x0101'0101'0101'0101,
      0x0001'0001'0001'0001, 0x0000'0001'0000'0001, 0x0000'0000'0000'0001};

  unsigned rate_bits_;
  std::uint64_t seed_;
  unsigned eligible_bits_;
  std::array<std::uint8_t, 64> eligible_{};
};

}  // namespace tare::reuse
