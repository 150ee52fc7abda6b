// gselect.cc: divides the bits of an index between address and history.
#include "model/core/gselect.h"

#include <bit>

#include "base/check.h"

namespace tare::model {

Gselect::Gselect(unsigned entries, unsigned history_bits, unsigned aligned_bits)
    : counters_(entries, TwoBitCounters::kStronglyNot), aligned_bits_(aligned_bits) {
  const auto index_bits = static_cast<unsigned>(std::countr_zero(entries));
  CHECK(history_bits <= index_bits);
  address_bits_ = index_bits - history_bits;
  address_mask_ = (std::uint64_t{1} << address_bits_) - 1;
}

}  // namespace tare::model
