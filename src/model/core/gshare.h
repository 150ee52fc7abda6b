// gshare.h: a gshare branch predictor: counters indexed by address XOR history.
#pragma once

#include <cstdint>

#include "model/core/two_bit_counters.h"

namespace tare::model {

class Gshare {
 public:
  // `history_bits` must not exceed the bits of an index.
  Gshare(unsigned entries, unsigned history_bits);

  // Returns whether the branch was mispredicted, and updates the predictor.
  bool Mispredicts(std::uint64_t address, bool taken) {
    const std::uint64_t index = MixBranchAddress(address) ^ history_;
    history_ = (history_ << 1 | (taken ? newest_ : 0)) & history_mask_;
    return counters_.Mispredicts(index, taken);
  }

 private:
  TwoBitCounters counters_;
  // Already shifted for the XOR: a short history is combined with the upper bits of the address.
  std::uint64_t history_ = 0;
  std::uint64_t history_mask_;
  std::uint64_t newest_;  // the lowest bit of the history
};

}  // namespace tare::model
