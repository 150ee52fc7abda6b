// two_bit_counters.h: counters between 0 and 3 that remember which way branches went.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::model {

class TwoBitCounters {
 public:
  // 2 and 3 predict a branch that is taken.
  static constexpr std::uint8_t kStronglyNot = 0;
  static constexpr std::uint8_t kWeaklyNot = 1;

  // `entries` is a power of two.
  TwoBitCounters(unsigned entries, std::uint8_t start)
      : counters_(entries, Counter{start}), mask_(entries - 1U) {}

  // Whether the counter predicted the other way; it learns from it. An index may be too large: its
  // lowest bits count.
  bool Wrong(std::uint64_t index, bool taken) {
    Counter& counter = counters_[index & mask_];
    const auto before = static_cast<unsigned>(counter);
    // A choice by `taken` would be one that the host cannot predict.
    counter = static_cast<Counter>(kNext >> (8U * (taken ? 1U : 0U) + 2U * before) & 3U);
    return (before >= 2) != taken;
  }

 private:
  // A type of its own: stores to plain bytes could be to anything, and compilers would read
  // everything again.
  enum class Counter : std::uint8_t {};

  // What 0 to 3 become, two bits each from the lowest: after a branch not taken, after one taken.
  static constexpr unsigned kNext = 0b11'11'10'01'10'01'00'00;

  std::vector<Counter> counters_;
  std::uint64_t mask_;
};

// What an index is made of. Instructions of four bytes have all their bits in it from bit 0 on;
// those of one byte and more have their lowest two bits as well, further up.
inline std::uint64_t MixBranchAddress(std::uint64_t address) {
  return (address >> 2) ^ (address << 5) ^ (address >> 17);
}

}  // namespace tare::model
