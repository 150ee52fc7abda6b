// page_distances.cc: exchanges pages between the table and the stack.
#include "model/reuse/page_distances.h"

#include <algorithm>
#include <utility>

namespace tare::reuse {

std::optional<std::uint64_t> PageDistances::Use(std::uint64_t page) {
  const auto newer = Remove(page);
  const unsigned in_table = occupied_;
  const std::uint64_t before = std::exchange(recent_[page & mask_], page);
  if (before == kNoPage) {
    ++occupied_;
  } else {
    Add(before);
  }
  if (!newer) return std::nullopt;
  return *newer + in_table;
}

// Returns how many pages that are not in the table were used since its last use.
std::optional<std::uint64_t> PageDistances::Remove(std::uint64_t page) {
  const auto end = newer_.begin() + newer_pages_;
  const auto found = std::find(newer_.begin(), end, page);
  if (found == end) {
    const auto newer = older_.Remove(page);
    if (!newer) return std::nullopt;
    return *newer + newer_pages_;
  }
  std::copy(found + 1, end, found);
  --newer_pages_;
  return static_cast<std::uint64_t>(found - newer_.begin());
}

void PageDistances::Add(std::uint64_t page) {
  if (newer_pages_ == newer_.size()) {
    older_.Touch(newer_.back());
  } else {
    ++newer_pages_;
  }
  std::copy_backward(newer_.begin(), newer_.begin() + (newer_pages_ - 1),
                     newer_.begin() + newer_pages_);
  newer_.front() = page;
}

}  // namespace tare::reuse
