// page_distances.h: LRU stack distances of the pages of one size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/reuse/recency_stack.h"

namespace tare::reuse {

inline constexpr unsigned kMaxPageEntries = 64;
inline constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

// A table has the page used last among those with the same number modulo its number of entries, as
// the sets of a TLB with one way. All other pages are in a stack, in the order in which they left
// the table. With one entry distances are exact. With more, uses of a page in the table need not be
// passed, and a distance may be too long by the number of entries, less one.
class PageDistances {
 public:
  // A power of two up to kMaxPageEntries.
  explicit PageDistances(unsigned entries) : mask_(entries - 1) { recent_.fill(kNoPage); }

  // Whether the page is in the table. Then its distance is 0.
  bool IsRecent(std::uint64_t page) const { return recent_[page & mask_] == page; }
  // The page that a use of this one would replace, or kNoPage.
  std::uint64_t Replaced(std::uint64_t page) const { return recent_[page & mask_]; }
  // Uses a page that is not in the table. Returns how many other pages were used since its last
  // use; nothing at its first.
  std::optional<std::uint64_t> Use(std::uint64_t page);
  // All pages that were used.
  std::uint64_t Pages() const { return older_.size() + newer_pages_ + occupied_; }

 private:
  std::optional<std::uint64_t> Remove(std::uint64_t page);
  void Add(std::uint64_t page);

  std::uint64_t mask_;
  unsigned occupied_ = 0;
  std::array<std::uint64_t, kMaxPageEntries> recent_;
  // The first pages of the stack, in order: most pages that are used again are among them.
  std::array<std::uint64_t, 32> newer_;
  unsigned newer_pages_ = 0;
  RecencyStack older_;
};

}  // namespace tare::reuse
