// bimodal.h: predicts that a branch goes where it mostly went before.
#pragma once

#include <cstdint>

#include "model/core/two_bit_counters.h"

namespace tare::model {

class Bimodal {
 public:
  explicit Bimodal(unsigned entries) : counters_(entries, TwoBitCounters::kWeaklyNot) {}

  // Whether the branch was mispredicted; learns from it.
  bool Wrong(std::uint64_t address, bool taken) {
    return counters_.Wrong(MixBranchAddress(address), taken);
  }

 private:
  TwoBitCounters counters_;
};

}  // namespace tare::model
