// recent_lines.h: lines whose next use changes nothing but the moment of their last use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/line_entry.h"
#include "model/core/stamped_lru.h"

namespace tare::model {

// Stands before a first level and its translations, and answers for most accesses. It is exact: it
// knows only lines that are held, with nothing to count, while their page's translation is at hand.
// Whoever removes a line or a translation says so here. It must not move: others keep clock().
// Lines in the upper half of all addresses, which no program has, are never known.
class RecentLines {
 public:
  // Pages are of a power of two of bytes.
  RecentLines(unsigned line_shift, std::uint64_t page_bytes);
  RecentLines(const RecentLines&) = delete;
  RecentLines& operator=(const RecentLines&) = delete;

  struct Known {
    std::uint64_t line = 0;  // its address; with kUnmarked when a store has something to mark
    std::uint32_t line_place = 0;
    std::uint32_t page_place = 0;
  };

  // An access of so many bytes stays in its line when it begins no more than `most` bytes behind
  // the start of it. Both are as View::Use wants them: it shifts what a load finds by one bit, so
  // that kUnmarked is gone. Worked out once for each instruction.
  struct Reach {
    std::uint16_t most;
    std::uint8_t shift;
  };
  // `bytes` are those of a line at most.
  static Reach ReachOf(std::uint64_t line_bytes, std::uint64_t bytes, bool store) {
    const auto shift = static_cast<std::uint8_t>(store ? 0 : 1);
    return {static_cast<std::uint16_t>((line_bytes - bytes) << shift), shift};
  }

  // A loop over accesses keeps this in registers; it holds as long as the lines do.
  class View {
   public:
    // Whether the access is one to a line that is known; it is then done, at this moment. kShift is
    // the number of bits of an address in a line, or 0 where that is not known to the compiler.
    template <unsigned kShift = 0>
    bool Use(std::uint64_t address, Reach reach, std::uint64_t moment) const {
      const Known& known = At<kShift>(address);
      if ((address - known.line) << reach.shift > reach.most) return false;
      line_stamps_[known.line_place] = page_stamps_[known.page_place] = moment;
      return true;
    }
    // The same of any width; its last byte is the `last_byte`-th behind the first.
    bool Use(std::uint64_t address, std::uint64_t last_byte, bool store,
             std::uint64_t moment) const {
      const std::uint64_t line_bytes = std::uint64_t{1} << line_shift_;
      return last_byte < line_bytes &&
             Use(address, ReachOf(line_bytes, last_byte + 1, store), moment);
    }
    // A load somewhere in the line with this address, which need not be that of any.
    template <unsigned kShift>
    bool UseLine(std::uint64_t line, std::uint64_t moment) const {
      const Known& known = At<kShift>(line);
      if ((line ^ known.line) << 1 != 0) return false;
      line_stamps_[known.line_place] = page_stamps_[known.page_place] = moment;
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
  };
  View view() const {
    View view;
    view.known_ = known_.data();
    view.line_stamps_ = line_stamps_;
    view.page_stamps_ = page_stamps_;
    view.line_shift_ = line_shift_;
    return view;
  }

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
    if (page_place_ == kSeveral || disabled_ || (key & kUnmarked) != 0) return;
    const std::uint64_t line = key >> line_shift_;
    known_[line % kKnown] = {AddressOf(key) | (storable ? 0 : kUnmarked),
                             static_cast<std::uint32_t>(line_place), page_place_};
    page_lines_[page_place_] |= std::uint64_t{1} << (line % 64);
  }

  // A store to a line that is known, and was not marked as stored to: it is from now on, and the
  // store is done. The line's place.
  std::optional<std::uint64_t> UseUnmarked(std::uint64_t address, std::uint64_t last_byte,
                                           std::uint64_t moment) {
    if (!view().Use(address, last_byte, false, moment)) return std::nullopt;
    Known& known = known_[(address >> line_shift_) % kKnown];
    known.line &= ~kUnmarked;
    return known.line_place;
  }

  void Forget(LineEntry key) {
    const std::uint64_t index = (key >> line_shift_) % kKnown;
    if ((known_[index].line & ~kUnmarked) == AddressOf(key)) known_[index].line = NoneAt(index);
  }

  // The translation at `place` was that of `page` (by number) and is no more.
  void ForgetPage(std::uint64_t page, std::uint64_t place);

 private:
  // Each line has one place among these: more than most first levels have lines, so that few are in
  // each other's way.
  static constexpr std::uint64_t kKnown = 2048;
  static constexpr std::uint64_t kUnmarked = std::uint64_t{1} << 63;
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};

  // What is kept where nothing is known: a line that belongs elsewhere, so that none fits.
  std::uint64_t NoneAt(std::uint64_t index) const { return (index ^ 1) << line_shift_; }

  unsigned line_shift_;
  unsigned page_shift_;
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

}  // namespace tare::model
