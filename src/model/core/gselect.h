// gselect.h: a gselect branch predictor: counters indexed by address concatenated with history.
#pragma once

#include <cstdint>

#include "model/core/two_bit_counters.h"

namespace tare::model {

// With 16384 entries and 7 bits of history it predicts as Cachegrind of Valgrind 3.19 does: the
// history is above the lowest bits of the address, and all branches are initially predicted not
// taken.
class Gselect {
 public:
  // `history_bits` must not exceed the bits of an index. The lowest `aligned_bits` of an
  // instruction's address are always zero.
  Gselect(unsigned entries, unsigned history_bits, unsigned aligned_bits);

  // Returns whether the branch was mispredicted, and updates the predictor.
  bool Mispredicts(std::uint64_t address, bool taken) {
    const std::uint64_t index = ((address >> aligned_bits_) & address_mask_) | history_
                                                                                   << address_bits_;
    history_ = history_ << 1 | (taken ? 1U : 0U);
    return counters_.Mispredicts(index, taken);
  }

 private:
  TwoBitCounters counters_;
  std::uint64_t history_ = 0;
  std::uint64_t address_mask_;
  unsigned address_bits_;
  unsigned aligned_bits_;
};

}  // namespace tare::model
