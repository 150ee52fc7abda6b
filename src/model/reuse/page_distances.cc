// page_distances.cc: exchanges pages between the table and the stack.
#include "model/reuse/page_distances.h"

#include <utility>

namespace tare::reuse {

PageDistances::Used PageDistances::Use(std::uint64_t page) {
  const std::uint64_t before = std::exchange(recent_[page & mask_], page);
  const unsigned in_table = occupied_;
  Used used;
  if (IsSampled(page)) {
    used.uses = std::uint64_t{1} << rate_bits_;
    if (const auto newer = older_.Remove(page)) used.distance = *newer * used.uses + in_table;
  }
  if (before == kNoPage) {
    ++occupied_;
  } else if (IsSampled(before)) {
    older_.Use(before);
  }
  if (older_.size() > max_pages_ && rate_bits_ < kSampleHashBits) {
    ++rate_bits_;
    older_.Keep([this](std::uint64_t sampled) { return IsSampled(sampled); });
  }
  return used;
}

}  // namespace tare::reuse
