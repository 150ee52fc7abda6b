// recent_lines.h: a filter for lines whose next use only updates their time of last use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/line_entry.h"
#include "model/core/stamped_lru.h"

namespace tare::model {

// Handles most accesses before they reach an L1 cache and its TLB. It is exact: it contains only
// lines that are in the cache, whose access counts no event, and whose page is in the TLB. Code
// that evicts a line or a TLB entry must report it here. The object must not move, because others
// point to clock(). Lines in the upper half of the address space, which no user program has, are
// never remembered.
class RecentLines {
 public:
  // `page_bytes` must be a power of two.
  RecentLines(unsigned line_shift, std::uint64_t page_bytes);
  RecentLines(const RecentLines&) = delete;
  RecentLines& operator=(const RecentLines&) = delete;

  struct Known {
    std::uint64_t line = 0;  // address; plus kUnmarked if a store has to mark the line as dirty
    std::uint32_t line_place = 0;
    std::uint32_t page_place = 0;
  };

  // An access stays within its line if it starts at most `max_offset` bytes after the line's start.
  // Both members have the form that View::Use needs: for a load it shifts the difference left by
  // one bit, which drops kUnmarked. Computed once per instruction.
  struct LineBound {
    std::uint16_t max_offset;
    std::uint8_t shift;
  };
  // `bytes` must not exceed the size of a line.
  static LineBound LineBoundOf(std::uint64_t line_bytes, std::uint64_t bytes, bool store) {
    const auto shift = static_cast<std::uint8_t>(store ? 0 : 1);
    return {static_cast<std::uint16_t>((line_bytes - bytes) << shift), shift};
  }

  // The state that a loop over accesses keeps in registers. Valid as long as the RecentLines
  // object.
  class View {
   public:
    // If the access is to a remembered line, performs it at this time and returns true. kShift is
    // the number of address bits within a line, or 0 if it is not known at compile time.
    template <unsigned kShift = 0>
    bool Use(std::uint64_t address, LineBound bound, std::uint64_t time) const {
      const Known& known = At<kShift>(address);
      if ((address - known.line) << bound.shift > bound.max_offset) return false;
      line_stamps_[known.line_place] = page_stamps_[known.page_place] = time;
      return true;
    }
    // The same for any size; the last byte is `last_byte` bytes after the first.
    bool Use(std::uint64_t address, std::uint64_t last_byte, bool store, std::uint64_t time) const {
      const std::uint64_t line_bytes = std::uint64_t{1} << line_shift_;
      return last_byte < line_bytes &&
             Use(address, LineBoundOf(line_bytes, last_byte + 1, store), time);
    }
    // The same for an access that spans two lines, in order. If only the second is not remembered,
    // the first was used, which the whole access repeats.
    bool UseTwo(std::uint64_t address, std::uint64_t last_byte, bool store,
                std::uint64_t time) const {
      const std::uint64_t line_bytes = std::uint64_t{1} << line_shift_;
      const std::uint64_t in_first = line_bytes - (address & (line_bytes - 1));
      return last_byte < max_two_ && last_byte >= in_first &&
             Use(address, in_first - 1, store, time) &&
             Use(address + in_first, last_byte - in_first, store, time + kClockStep);
    }
    // A load within the line at this address, which need not be the address of a line.
    template <unsigned kShift>
    bool UseLine(std::uint64_t line, std::uint64_t time) const {
      const Known& known = At<kShift>(line);
      if ((line ^ known.line) << 1 != 0) return false;
      line_stamps_[known.line_place] = page_stamps_[known.page_place] = time;
      return true;
    }

   private:
    friend class RecentLines;

    template <unsigned kShift>
    const Known& At(std::uint64_t address) const {
      return known_[(address >> (kShift != 0 ? kShift : line_shift_)) % kKnown];
    }

    const Known* known_ = nullptr;
    std::uint64_t* line_stamps_ = nullptr;
    std::uint64_t* page_stamps_ = nullptr;
    unsigned line_shift_ = 0;
    std::uint64_t max_two_ = 0;  // maximum size of an access for UseTwo
  };
  View view() const {
    View view;
    view.known_ = known_.data();
    view.line_stamps_ = line_stamps_;
    view.page_stamps_ = page_stamps_;
    view.line_shift_ = line_shift_;
    view.max_two_ = max_two_;
    return view;
  }

  // The clock of the L1 cache and its TLB for uses that are not handled here. The caller must set
  // it to the time of an access before passing the access to them.
  std::uint64_t* clock() { return &clock_; }

  // Sets the arrays to which times of last use are written. They must not move.
  void StampLines(std::uint64_t* stamps) { line_stamps_ = stamps; }
  void StampPages(std::uint64_t* stamps, std::uint64_t places);

  // Remembers no lines from now on. For TLBs in which a use changes more than a time.
  void Disable() { disabled_ = true; }

  // Handles no accesses that span two lines. For a core that may shorten them.
  void DisableTwo() { max_two_ = 0; }

  // The following accesses are to the page whose TLB entry is at `place`.
  void OnPage(std::uint64_t place) { page_place_ = static_cast<std::uint32_t>(place); }
  // The following accesses span several pages, so their lines cannot be remembered.
  void OnSeveralPages() { page_place_ = kSeveral; }

  void Remember(LineEntry key, std::uint64_t line_place, bool storable) {
    if (page_place_ == kSeveral || disabled_ || (key & kUnmarked) != 0) return;
    const std::uint64_t line = key >> line_shift_;
    known_[line % kKnown] = {AddressOf(key) | (storable ? 0 : kUnmarked),
                             static_cast<std::uint32_t>(line_place), page_place_};
    page_lines_[page_place_] |= std::uint64_t{1} << (line % 64);
  }

  // Performs a store to a remembered line that is not marked as dirty, and marks it here. Returns
  // the place of the line; the caller must mark the cache entry.
  std::optional<std::uint64_t> UseUnmarked(std::uint64_t address, std::uint64_t last_byte,
                                           std::uint64_t time) {
    if (!view().Use(address, last_byte, false, time)) return std::nullopt;
    Known& known = known_[(address >> line_shift_) % kKnown];
    known.line &= ~kUnmarked;
    return known.line_place;
  }

  void Forget(LineEntry key) {
    const std::uint64_t index = (key >> line_shift_) % kKnown;
    if ((known_[index].line & ~kUnmarked) == AddressOf(key)) known_[index].line = NoneAt(index);
  }

  // The TLB entry at `place`, which was for page number `page`, was evicted.
  void ForgetPage(std::uint64_t page, std::uint64_t place);

 private:
  // Direct-mapped: more entries than most L1 caches have lines, so that there are few conflicts.
  static constexpr std::uint64_t kKnown = 2048;
  static constexpr std::uint64_t kUnmarked = std::uint64_t{1} << 63;
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};

  // The content of an empty entry: a line that maps to another index, so that it never matches.
  std::uint64_t NoneAt(std::uint64_t index) const { return (index ^ 1) << line_shift_; }

  unsigned line_shift_;
  unsigned page_shift_;
  std::uint64_t clock_ = 0;
  std::uint64_t unused_stamp_ = 0;
  std::uint64_t* line_stamps_ = &unused_stamp_;
  std::uint64_t* page_stamps_ = &unused_stamp_;
  std::uint32_t page_place_ = 0;
  bool disabled_ = false;
  std::uint64_t max_two_;
  std::vector<Known> known_;
  // By place of the TLB entry: the lines of its page that may be remembered, by their lowest six
  // bits.
  std::vector<std::uint64_t> page_lines_;
};

}  // namespace tare::model
