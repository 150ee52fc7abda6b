// page_distances.h: LRU stack distances of the pages of one size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/reuse/recency_stack.h"
#include "model/reuse/sample_hash.h"

namespace tare::reuse {

inline constexpr unsigned kMaxPageEntries = 64;
inline constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

struct PagePlan {
  unsigned entries = 1;               // of the table; a power of two up to kMaxPageEntries
  std::uint64_t max_pages = 1 << 26;  // in the stack; when there are more, half of them are sampled
};

// A table has the page used last among those with the same number modulo its number of entries, as
// the sets of a TLB with one way. All other pages are in a stack, in the order in which they left
// the table. With one entry and without sampling distances are exact. With more, uses of a page in
// the table need not be passed, and a distance may be too long by the number of entries, less one.
class PageDistances {
 public:
  explicit PageDistances(const PagePlan& plan)
      : mask_(plan.entries - 1), max_pages_(plan.max_pages) {
    recent_.fill(kNoPage);
  }

  // Whether the page is in the table. Then its distance is 0.
  bool IsRecent(std::uint64_t page) const { return recent_[page & mask_] == page; }
  // The page that a use of this one would replace, or kNoPage.
  std::uint64_t Replaced(std::uint64_t page) const { return recent_[page & mask_]; }

  struct Used {
    std::uint64_t uses = 0;  // that this one stands for; 0: the page is not sampled
    // How many other pages were used since its last use; nothing at its first.
    std::optional<std::uint64_t> distance;
  };
  // Uses a page that is not in the table.
  Used Use(std::uint64_t page);

 private:
  bool IsSampled(std::uint64_t page) const {
    return SampleHash(page) >> (kSampleHashBits - rate_bits_) == 0;
  }

  std::uint64_t mask_;
  std::uint64_t max_pages_;
  unsigned rate_bits_ = 0;
  unsigned occupied_ = 0;
  std::array<std::uint64_t, kMaxPageEntries> recent_;
  RecencyStack older_;
};

}  // namespace tare::reuse
