// stack_set.cc: an empty set.
#include "model/reuse/stack_set.h"

namespace tare::reuse {

void StackSet::Clear() {
  for (unsigned slot = 0; slot < kRanks; ++slot)
    ranks_[slot] = slot < kSlots ? static_cast<std::uint8_t>(slot) : kNoRank;
  tags_.fill(0);
  states_.fill(kNoState);
}

}  // namespace tare::reuse
