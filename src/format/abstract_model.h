// abstract_model.h: what the encoder and the decoder of abstract blocks both know at every block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/bit_coder.h"
#include "format/bit_mixer.h"
#include "format/event_trace.h"

namespace tare::format {

// Blocks as numbers to store. Tables are in the order of the first executions, and most blocks are
// named once, by their first use, which is 0.
class NamedBlocks {
 public:
  std::uint64_t CodeOf(std::uint32_t block) const {
    return block == next_ ? 0 : std::uint64_t{block} + 1;
  }
  // kNoBlock if there is no such block.
  std::uint32_t BlockOf(std::uint64_t code) {
    if (code > kNoBlock) return kNoBlock;
    const std::uint32_t block = code == 0 ? next_ : static_cast<std::uint32_t>(code - 1);
    if (block >= next_ && block < kNoBlock) next_ = block + 1;
    return block;
  }
  // Both at once, as in NumberChances.
  std::uint32_t Code(auto& bits, std::uint32_t actual, NumberChances& chances) {
    return BlockOf(chances.Code(bits, CodeOf(actual)));
  }

 private:
  std::uint32_t next_ = 0;
};

// `Coder` decides whether this encodes or decodes. Its members:
//   bool Bit(bool actual, std::uint32_t chance16);
//   bool Bit(bool actual, BitChance& chance);  the chance learns
//   uint32_t Confirm(uint32_t predicted, uint32_t actual);  an exception unless they are equal
//   uint32_t Literal(uint32_t actual);
//   uint64_t Number(uint64_t actual);
// Each returns the actual value, which the decoder reads. Arguments named `actual` are ignored
// by a decoder.
class AbstractModel {
 public:
  AbstractModel() : outcomes_(kHistories * kOutcomes), choices_(kChoices) {}

  // Call before a batch: new blocks may be in the tables.
  void Learn(const std::vector<TraceBlock>& table) {
    for (std::size_t i = blocks_.size(); i < table.size(); ++i) {
      Block& block = blocks_.emplace_back();
      block.end = table[i].end;
      block.words = table[i].words;
      block.first_word = words_.size();
      words_.resize(words_.size() + table[i].words);
      ranges_.push_back({table[i].address, table[i].address + table[i].code_bytes});
      weights_.emplace_back();
    }
  }

  // What coders know of exceptions and literals.
  struct Surprises {
    NamedBlocks blocks;
    NumberChances runs;  // of confirmed predictions
    NumberChances exceptions;
  };
  Surprises& surprises() { return surprises_; }
  std::size_t blocks() const { return blocks_.size(); }
  std::uint32_t WordsOf(std::uint32_t block) const { return blocks_[block].words; }

  void Take(const BlockMark& mark) {
    if (mark.kind == MarkKind::kThread) {
      threads_[thread_] = std::move(now_);
      thread_ = mark.value;
      now_ = std::move(threads_[thread_]);
    } else if (mark.kind == MarkKind::kGap) {
      now_ = {};
      threads_.clear();
    }
  }

  // One executed block.
  template <typename Coder>
  std::uint32_t Next(Coder& coder, std::uint32_t actual) {
    const std::uint32_t previous = now_.previous;
    actual =
        previous == kNoBlock ? coder.Confirm(kNoBlock, actual) : Follow(coder, previous, actual);
    if (actual == kNoBlock) return actual;  // damaged
    now_.previous = actual;
    now_.path = now_.path << 16 ^ Mix(actual);
    return actual;
  }

  // One address of the current block.
  template <typename Coder>
  std::uint64_t NextWord(Coder& coder, std::uint32_t block, std::size_t index,
                         std::uint64_t actual) {
    Word& word = words_[blocks_[block].first_word + index];
    const std::uint64_t predicted = word.last + word.stride;
    if (coder.Bit(actual == predicted, word.follows)) {
      actual = predicted;
    } else if (coder.Bit(actual == word.last, word.repeats)) {
      actual = word.last;
    } else {
      const std::uint64_t code = coder.Number(ZigZag(actual - word.last));
      actual = word.last + UnZigZag(code);
    }
    word.stride = actual - word.last;
    word.last = actual;
    return actual;
  }

 private:
  // Histories of the last branches that predict an outcome, from the longest to the shortest.
  static constexpr std::size_t kHistories = 3;
  static constexpr std::size_t kOutcomes = 1u << 18;
  static constexpr std::size_t kChoices = 1u << 18;
  static constexpr std::size_t kMaxCalls = 1u << 16;

  // What is known of a block whose end is unknown.
  enum class Learnt : std::uint8_t { kNothing, kOne, kTwo, kMany };

  struct Range {
    std::uint64_t address = 0;
    std::uint64_t behind = 0;
  };
  struct Block {
    std::size_t first_word = 0;
    std::uint32_t words = 0;
    BlockEnd end = BlockEnd::kUnknown;
    Learnt learnt = Learnt::kNothing;
    std::uint32_t next[2] = {kNoBlock, kNoBlock};
    std::uint32_t after_call = kNoBlock;
    BitChance again;  // whether an indirect jump goes where it went last
  };
  struct Word {
    std::uint64_t last = 0;
    std::uint64_t stride = 0;
    BitChance follows;
    BitChance repeats;
  };
  struct Choice {
    std::uint32_t block = kNoBlock;
    BitChance chance;
  };
  struct Thread {
    std::uint32_t previous = kNoBlock;
    std::uint64_t outcomes = 0;  // of the last branches, the newest in bit 0
    std::uint64_t path = 0;      // of the last four blocks
    std::uint64_t turns = 0;     // of the last indirect jumps and their like
    std::vector<std::uint32_t> calls;
  };

  static std::uint64_t Mix(std::uint64_t value) { return value * 0x9e3779b97f4a7c15u >> 40; }
  static std::uint64_t ZigZag(std::uint64_t difference) {
    return (difference << 1) ^ (0 - (difference >> 63));
  }
  static std::uint64_t UnZigZag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }
  static std::size_t Place(std::uint64_t first, std::uint64_t second, std::size_t size) {
    const std::uint64_t mixed = (first * 0xd6e8feb86659fd93u) ^ (second * 0x9e3779b97f4a7c15u);
    return static_cast<std::size_t>((mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u >> 32) & (size - 1);
  }

  template <typename Coder>
  std::uint32_t Follow(Coder& coder, std::uint32_t previous, std::uint32_t actual) {
    Block& from = blocks_[previous];
    switch (from.end) {
      case BlockEnd::kContinues:
        return from.next[0] = coder.Confirm(from.next[0], actual);
      case BlockEnd::kConditional:
        return Branch(coder, previous, from, actual, [&](std::uint32_t next) {
          return ranges_[next].address != ranges_[previous].behind;
        });
      case BlockEnd::kCall:
        Call(previous);
        return from.next[0] = coder.Confirm(from.next[0], actual);
      case BlockEnd::kReturn:
        return Return(coder, actual);
      case BlockEnd::kIndirectCall:
        Call(previous);
        return Choose(coder, previous, from, actual);
      case BlockEnd::kIndirectJump:
        return Choose(coder, previous, from, actual);
      case BlockEnd::kUnknown:
        return FollowLearnt(coder, previous, from, actual);
    }
    return kNoBlock;
  }

  // `bit_of` gives the outcome that leads to a block.
  template <typename Coder>
  std::uint32_t Branch(Coder& coder, std::uint32_t previous, Block& from, std::uint32_t actual,
                       auto bit_of) {
    const std::uint64_t outcomes = now_.outcomes;
    BitChance& far = outcomes_[Place(previous, outcomes & 0xffffff, kOutcomes)];
    bool bit = false;
    if (far.IsCertain()) {
      const std::uint32_t predicted = from.next[far.Likely() ? 1 : 0];
      actual = coder.Confirm(predicted, actual);
      bit = far.Likely();
      if (actual != predicted) [[unlikely]] {
        if (actual == kNoBlock) return actual;
        bit = bit_of(actual);
        far.Learn(bit);
        from.next[bit ? 1 : 0] = actual;
      }
    } else {
      BitChance& middle = outcomes_[kOutcomes + Place(previous, outcomes & 0xfff, kOutcomes)];
      BitChance& near = outcomes_[2 * kOutcomes + Place(previous, outcomes & 0x1f, kOutcomes)];
      BitMixer<kHistories> mixer({&far, &middle, &near}, weights_[previous]);
      if (Coder::kEncodes) bit = bit_of(actual);
      bit = coder.Bit(bit, mixer.Of16());
      mixer.Learn(bit);
      from.next[bit ? 1 : 0] = actual = coder.Confirm(from.next[bit ? 1 : 0], actual);
    }
    now_.outcomes = outcomes << 1 | (bit ? 1 : 0);
    return actual;
  }

  void Call(std::uint32_t block) {
    if (now_.calls.size() == kMaxCalls)
      now_.calls.erase(now_.calls.begin(), now_.calls.begin() + kMaxCalls / 2);
    now_.calls.push_back(block);
  }

  template <typename Coder>
  std::uint32_t Return(Coder& coder, std::uint32_t actual) {
    if (now_.calls.empty()) return coder.Confirm(kNoBlock, actual);
    Block& caller = blocks_[now_.calls.back()];
    now_.calls.pop_back();
    return caller.after_call = coder.Confirm(caller.after_call, actual);
  }

  // Asks those who know, the longest history first, until one is right.
  template <typename Coder>
  std::uint32_t Choose(Coder& coder, std::uint32_t previous, Block& from, std::uint32_t actual) {
    const std::size_t part = kChoices / 2;
    Choice& far = choices_[Place(previous, now_.turns ^ (now_.outcomes & 0xff) << 56, part)];
    Choice& near = choices_[part + Place(previous, now_.path, part)];
    const std::uint32_t asked[] = {far.block, near.block, from.next[0]};
    BitChance* const chances[] = {&far.chance, &near.chance, &from.again};
    bool found = false;
    for (std::size_t i = 0; i < 3 && !found; ++i) {
      const bool repeats = std::find(asked, asked + i, asked[i]) != asked + i;
      if (asked[i] == kNoBlock || repeats) continue;
      found = coder.Bit(actual == asked[i], *chances[i]);
      if (found) actual = asked[i];
    }
    if (!found) actual = coder.Literal(actual);
    far.block = actual;
    near.block = actual;
    from.next[0] = actual;
    now_.turns = now_.turns << 8 ^ Mix(actual);
    return actual;
  }

  template <typename Coder>
  std::uint32_t FollowLearnt(Coder& coder, std::uint32_t previous, Block& from,
                             std::uint32_t actual) {
    switch (from.learnt) {
      case Learnt::kNothing:
        from.learnt = Learnt::kOne;
        return from.next[0] = coder.Confirm(kNoBlock, actual);
      case Learnt::kOne: {
        const std::uint32_t next = coder.Confirm(from.next[0], actual);
        if (next != from.next[0]) {
          from.learnt = Learnt::kTwo;
          from.next[1] = next;
        }
        return next;
      }
      case Learnt::kTwo: {
        const std::uint32_t known[] = {from.next[0], from.next[1]};
        const std::uint32_t next = Branch(coder, previous, from, actual,
                                          [&](std::uint32_t block) { return block == known[1]; });
        if (next != known[0] && next != known[1]) from.learnt = Learnt::kMany;
        return next;
      }
      case Learnt::kMany:
        return Choose(coder, previous, from, actual);
    }
    return kNoBlock;
  }

  Surprises surprises_;
  std::vector<Block> blocks_;
  std::vector<Range> ranges_;                           // by block
  std::vector<BitMixer<kHistories>::Weights> weights_;  // by block
  std::vector<Word> words_;
  std::vector<BitChance> outcomes_;  // of the histories, one after another
  std::vector<Choice> choices_;
  std::unordered_map<std::uint64_t, Thread> threads_;  // those that do not run
  std::uint64_t thread_ = 0;
  Thread now_;
};

}  // namespace tare::format
