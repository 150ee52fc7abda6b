// bimodal.h: a bimodal branch predictor: a two-bit counter per branch address.
#pragma once

#include <cstdint>

#include "model/core/two_bit_counters.h"

namespace tare::model {

class Bimodal {
 public:
  explicit Bimodal(unsigned entries) : counters_(entries, TwoBitCounters::kWeaklyNot) {}

  // Returns whether the branch was mispredicted, and updates the predictor.
  bool Mispredicts(std::uint64_t address, bool taken) {
    return counters_.Mispredicts(MixBranchAddress(address), taken);
  }

 private:
  TwoBitCounters counters_;
};

}  // namespace tare::model
