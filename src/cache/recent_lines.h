// recent_lines.h: lines whose next use changes nothing but the moment of their last use.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/line_entry.h"
#include "cache/stamped_lru.h"

namespace tare::cache {

// Stands before a first level and its translations, and answers for most accesses. It is exact: it
// knows only lines that are held, with nothing to count, while their page's translation is at hand.
// Whoever removes a line or a translation says so here. It must not move: others keep clock().
class RecentLines {
 public:
  // `lines` of the first level. Pages are of a power of two of bytes.
  RecentLines(unsigned line_shift, std::uint64_t lines, std::uint64_t page_bytes);
  RecentLines(const RecentLines&) = delete;
  RecentLines& operator=(const RecentLines&) = delete;

  struct Known {
    std::uint64_t word = 0;
    std::uint32_t line_place = 0;
    std::uint32_t page_place = 0;
  };

  // A loop over accesses keeps this in registers; it holds as long as the lines do.
  class View {
   public:
    // Whether the access, whose last byte is the `last_byte`-th behind the first, is one to a line
    // that is known; it is then done, at this moment.
    bool Use(std::uint64_t address, std::uint64_t last_byte, bool store,
             std::uint64_t moment) const {
      const Known& known = known_[(address >> line_shift_) & index_mask_];
      // The address of its line, when it has all that is asked of it.
      const std::uint64_t line = (known.word | (store ? 0 : kStorable)) ^ (kHeld | kStorable);
      const std::uint64_t first = address & line_mask_;
      const std::uint64_t last = (address + last_byte) & line_mask_;
      if (((first ^ line) | (last ^ line)) != 0) return false;
      line_stamps_[known.line_place] = page_stamps_[known.page_place] = moment;
      return true;
    }

   private:
    friend class RecentLines;
    const Known* known_ = nullptr;
    std::uint64_t* line_stamps_ = nullptr;
    std::uint64_t* page_stamps_ = nullptr;
    std::uint64_t index_mask_ = 0;
    std::uint64_t line_mask_ = 0;
    unsigned line_shift_ = 0;
  };
  View view() const;

  // Of the first level and its translations, for uses that are not known here. To be set to the
  // moment of an access before it is told to them.
  std::uint64_t* clock() { return &clock_; }

  // Where the moments of last use are written, by place; they must stay there.
  void StampLines(std::uint64_t* stamps) { line_stamps_ = stamps; }
  void StampPages(std::uint64_t* stamps, std::uint64_t places);

  // From now on nothing is known. For translations whose use changes more than a moment.
  void Disable() { disabled_ = true; }

  // Accesses from here on lie on the page whose translation is at `place`.
  void OnPage(std::uint64_t place) { page_place_ = static_cast<std::uint32_t>(place); }
  // They lie on several: what they use cannot be remembered.
  void OnSeveralPages() { page_place_ = kSeveral; }

  void Remember(LineEntry key, std::uint64_t line_place, bool storable) {
    if (page_place_ == kSeveral || disabled_) return;
    const std::uint64_t line = key >> line_shift_;
    known_[line & index_mask_] = {key | (storable ? kStorable : 0),
                                  static_cast<std::uint32_t>(line_place), page_place_};
    page_lines_[page_place_] |= std::uint64_t{1} << (line % 64);
  }

  void Forget(LineEntry key) {
    Known& known = known_[(key >> line_shift_) & index_mask_];
    if ((known.word & ~kStorable) == key) known.word = 0;
  }

  // The translation at `place` was that of `page` (by number) and is no more.
  void ForgetPage(std::uint64_t page, std::uint64_t place);

 private:
  static constexpr std::uint64_t kStorable = 2;  // beside kHeld: a store has nothing to mark
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};

  unsigned line_shift_;
  unsigned page_shift_;
  std::uint64_t line_mask_;
  std::uint64_t index_mask_;
  std::uint64_t clock_ = 0;
  std::uint64_t unused_stamp_ = 0;
  std::uint64_t* line_stamps_ = &unused_stamp_;
  std::uint64_t* page_stamps_ = &unused_stamp_;
  std::uint32_t page_place_ = 0;
  bool disabled_ = false;
  std::vector<Known> known_;
  // By place of the translation: lines of its page that may be known, by their lowest six bits.
  std::vector<std::uint64_t> page_lines_;
};

}  // namespace tare::cache
