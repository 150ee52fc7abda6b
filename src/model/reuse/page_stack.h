// page_stack.h: exact LRU stack distances of pages, which are mostly short.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/reuse/recency_stack.h"

namespace tare::reuse {

// The pages used last are in an array; older ones are in a RecencyStack.
class PageStack {
 public:
  // The number of other pages that were used since the last use of this page; nothing at its first
  // use.
  std::optional<std::uint64_t> Use(std::uint64_t page) {
    for (unsigned depth = 0; depth < used_; ++depth) {
      if (recent_[depth] != page) continue;
      MoveToFront(depth, page);
      return depth;
    }
    return UseOld(page);
  }
  // The page used last; there must be one.
  std::uint64_t Last() const { return recent_[0]; }

 private:
  static constexpr unsigned kRecent = 16;

  void MoveToFront(unsigned depth, std::uint64_t page) {
    for (; depth > 0; --depth) recent_[depth] = recent_[depth - 1];
    recent_[0] = page;
  }
  std::optional<std::uint64_t> UseOld(std::uint64_t page);

  std::array<std::uint64_t, kRecent> recent_{};
  unsigned used_ = 0;
  RecencyStack older_;
};

}  // namespace tare::reuse
