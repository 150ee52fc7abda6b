// block_predictor.h: what the encoder and the decoder of predicted_blocks.h both know at a block.
//
// Used by predicted_blocks.cc alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/event_trace.h"

namespace tare::format {

class BlockPredictor {
 public:
  // A prediction and how often it was right of late. From kSure on, hits are only counted.
  class Guess {
   public:
    static constexpr std::uint32_t kSure = 7;
    std::uint32_t block() const { return value_ >> 3; }
    std::uint32_t trust() const { return value_ & kSure; }
    bool IsSure() const { return trust() == kSure; }
    // Returns whether it was right, times 8, plus its trust before. Without branches: they would
    // depend on the data, and be mispredicted as often as the guess.
    std::uint32_t Learn(std::uint32_t actual) {
      const std::uint32_t judged = (block() == actual ? kSure + 1 : 0) | trust();
      const std::uint32_t replaced = judged == 0 ? ~0u : 0;
      value_ = ((value_ ^ ((value_ ^ actual << 3) & replaced)) & ~kSure) | kTrust[judged];
      return judged;
    }

   private:
    // By what Learn() returns.
    static constexpr std::array<std::uint8_t, 16> kTrust{0, 0, 1, 1, 2, 2, 3, 3,
                                                         1, 2, 3, 4, 5, 6, 7, 7};
    std::uint32_t value_ = 0;  // tables have fewer than 2^29 blocks
  };

  // Different successors of a block, the newest first. Without branches that depend on the data:
  // those would be mispredicted, because all this happens at surprises.
  class Successors {
   public:
    static constexpr std::uint32_t kCount = 4;

    std::uint32_t At(std::uint32_t at) const {
      return static_cast<std::uint32_t>((at < 2 ? newest_ : oldest_) >> 32 * (at % 2));
    }
    // The position of `actual`; kCount if it is none of them.
    std::uint32_t Find(std::uint32_t actual) const {
      return static_cast<std::uint32_t>(std::countr_zero(Equal(actual) | 1u << kCount));
    }
    // Positions without that of `missed`, which was not the successor.
    std::uint32_t RankOf(std::uint32_t at, std::uint32_t missed) const {
      const std::uint32_t is_before = (Equal(missed) & ((1u << at) - 1)) != 0 ? 1 : 0;
      return at - (is_before & (at < kCount ? 1 : 0));
    }
    std::uint32_t AtRank(std::uint32_t rank, std::uint32_t missed) const {
      return rank + (Find(missed) <= rank ? 1 : 0);
    }
    // `at` is its position.
    void MoveToFront(std::uint32_t at, std::uint32_t actual) {
      constexpr std::uint64_t kFirst = UINT32_MAX;
      constexpr std::uint64_t kBoth = UINT64_MAX;
      constexpr std::array<std::uint64_t, kCount + 1> kNewest{kFirst, kBoth, kBoth, kBoth, kBoth};
      constexpr std::array<std::uint64_t, kCount + 1> kOldest{0, 0, kFirst, kBoth, kBoth};
      const std::uint64_t newest = newest_ << 32 | actual;
      const std::uint64_t oldest = oldest_ << 32 | newest_ >> 32;
      newest_ ^= (newest_ ^ newest) & kNewest[at];
      oldest_ ^= (oldest_ ^ oldest) & kOldest[at];
    }

   private:
    // A bit for each position that holds `block`.
    std::uint32_t Equal(std::uint32_t block) const {
      const auto bit = [&](std::uint32_t at) { return At(at) == block ? 1u << at : 0u; };
      return bit(0) | bit(1) | bit(2) | bit(3);
    }
    // Two each, the newer in the lower half; at first kNoBlock.
    static_assert(kNoBlock == UINT32_MAX);
    std::uint64_t newest_ = UINT64_MAX;
    std::uint64_t oldest_ = UINT64_MAX;
  };

  // Call before a batch: new blocks may be in the tables.
  void Learn(const std::vector<TraceBlock>& table) {
    for (std::size_t i = first_words_.size(); i < table.size(); ++i) {
      first_words_.push_back(last_words_.size());
      last_words_.resize(last_words_.size() + table[i].words);
    }
    successors_.resize(table.size() + 1);
  }

  // Where the trace is. Loops use a copy, which stays in registers.
  struct Place {
    std::uint32_t history = 0;  // of the last eight blocks
    std::uint32_t previous = 0;
    void Advance(std::uint32_t block) {
      history = (history << 2 ^ block * 0x9e3779b1u >> (32 - kBits)) & (kGuesses - 1);
      previous = block + 1;
    }
  };
  Place place;

  void Take(const BlockMark& mark) {
    if (mark.kind != MarkKind::kSignal) place = {};
  }

  Guess& GuessAt(const Place& at) { return guesses_[at.history]; }
  // `previous` is 1 more than the block before.
  Successors& SuccessorsOf(std::uint32_t previous) { return successors_[previous]; }
  std::size_t WordsOf(std::uint32_t block) const {
    const std::size_t end =
        block + 1 < first_words_.size() ? first_words_[block + 1] : last_words_.size();
    return end - first_words_[block];
  }
  // The last words of a block.
  std::uint64_t* LastWords(std::uint32_t block) { return last_words_.data() + first_words_[block]; }

 private:
  // Guesses of 256 KiB stay in the second-level cache.
  static constexpr unsigned kBits = 16;
  static constexpr std::size_t kGuesses = std::size_t{1} << kBits;

  std::vector<Guess> guesses_ = std::vector<Guess>(kGuesses);
  std::vector<Successors> successors_;  // by block + 1; 0: after a mark
  std::vector<std::size_t> first_words_;
  std::vector<std::uint64_t> last_words_;
};

}  // namespace tare::format
