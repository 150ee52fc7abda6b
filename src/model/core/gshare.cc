// gshare.cc: aligns the history with the upper bits of the index.
#include "model/core/gshare.h"

#include <bit>

#include "base/check.h"

namespace tare::model {

Gshare::Gshare(unsigned entries, unsigned history_bits)
    : counters_(entries, TwoBitCounters::kWeaklyNot) {
  const auto index_bits = static_cast<unsigned>(std::countr_zero(entries));
  CHECK(history_bits <= index_bits);
  newest_ = std::uint64_t{1} << (index_bits - history_bits);
  history_mask_ = std::uint64_t{entries} - newest_;
}

}  // namespace tare::model
