// two_bit_counters.h: saturating two-bit counters that predict branch directions.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::model {

class TwoBitCounters {
 public:
  // 2 and 3 predict taken.
  static constexpr std::uint8_t kStronglyNot = 0;
  static constexpr std::uint8_t kWeaklyNot = 1;

  // `entries` must be a power of two.
  TwoBitCounters(unsigned entries, std::uint8_t start)
      : counters_(entries, Counter{start}), mask_(entries - 1U) {}

  // Returns whether the counter mispredicted, and updates it. Only the lowest bits of `index` are
  // used.
  bool Mispredicts(std::uint64_t index, bool taken) {
    Counter& counter = counters_[index & mask_];
    const auto before = static_cast<unsigned>(counter);
    // A table lookup, because the host could not predict a branch on `taken`.
    counter = static_cast<Counter>(kNext >> (8U * (taken ? 1U : 0U) + 2U * before) & 3U);
    return (before >= 2) != taken;
  }

 private:
  // A separate type: stores through plain bytes may alias any object, and the compiler would have
  // to reload everything.
  enum class Counter : std::uint8_t {};

  // The next state of 0 to 3, two bits each from the lowest: first for not taken, then for taken.
  static constexpr unsigned kNext = 0b11'11'10'01'10'01'00'00;

  std::vector<Counter> counters_;
  std::uint64_t mask_;
};

// Hashes an address to an index. Four-byte instructions keep all their address bits from bit 0 on;
// for instructions of any length the lowest two bits are mixed in further up.
inline std::uint64_t MixBranchAddress(std::uint64_t address) {
  return (address >> 2) ^ (address << 5) ^ (address >> 17);
}

}  // namespace tare::model
