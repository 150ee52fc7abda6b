// page_distances.cc: exchanges pages between the table and the stack.
#include "model/reuse/page_distances.h"

#include <utility>

namespace tare::reuse {

std::optional<std::uint64_t> PageDistances::Use(std::uint64_t page) {
  const auto newer = older_.Remove(page);
  const unsigned in_table = occupied_;
  const std::uint64_t before = std::exchange(recent_[page & mask_], page);
  if (before == kNoPage) {
    ++occupied_;
  } else {
    older_.Use(before);
  }
  if (!newer) return std::nullopt;
  return *newer + in_table;
}

}  // namespace tare::reuse
