// bimodal.h: foretells that a branch goes where it mostly went before.
#pragma once

#include <cstdint>

#include "cache/two_bit_counters.h"

namespace tare::cache {

class Bimodal {
 public:
  explicit Bimodal(unsigned entries) : counters_(entries, TwoBitCounters::kWeaklyNot) {}

  // Whether the branch was foretold wrongly; learns from it.
  bool Wrong(std::uint64_t address, bool taken) {
    return counters_.Wrong(MixBranchAddress(address), taken);
  }

 private:
  TwoBitCounters counters_;
};

}  // namespace tare::cache
