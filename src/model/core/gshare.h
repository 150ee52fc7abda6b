// gshare.h: predicts branches by their address and by how those before them went, in one number.
#pragma once

#include <cstdint>

#include "model/core/two_bit_counters.h"

namespace tare::model {

class Gshare {
 public:
  // `history_bits` are no more than the bits of an index.
  Gshare(unsigned entries, unsigned history_bits);

  // Whether the branch was mispredicted; learns from it.
  bool Wrong(std::uint64_t address, bool taken) {
    const std::uint64_t index = MixBranchAddress(address) ^ history_;
    history_ = (history_ << 1 | (taken ? newest_ : 0)) & history_mask_;
    return counters_.Wrong(index, taken);
  }

 private:
  TwoBitCounters counters_;
  // Where it meets the index: a short history meets the upper bits of the address.
  std::uint64_t history_ = 0;
  std::uint64_t history_mask_;
  std::uint64_t newest_;  // its lowest bit
};

}  // namespace tare::model
