// page_stack.cc: pages that were not used recently.
#include "model/reuse/page_stack.h"

namespace tare::reuse {

std::optional<std::uint64_t> PageStack::UseOld(std::uint64_t page) {
  const auto newer = older_.Remove(page);
  if (used_ < kRecent) {
    ++used_;
  } else {
    older_.Push(recent_[kRecent - 1]);
  }
  MoveToFront(used_ - 1, page);
  if (!newer) return std::nullopt;
  return kRecent + *newer;
}

}  // namespace tare::reuse
