// abstract_model.h: what the encoder and the decoder of abstract blocks both know at every block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/bit_coder.h"
#include "format/event_trace.h"

namespace tare::format {

// `Coder` decides whether this encodes or decodes. Its members:
//   bool Bit(bool actual, BitChance& chance);
//   uint32_t Confirm(uint32_t predicted, uint32_t actual);  an exception unless they are equal
//   uint32_t Literal(uint32_t actual);
//   uint64_t Number(uint64_t actual);
// Each returns the actual value, which the decoder reads. Arguments named `actual` are ignored
// by a decoder.
class AbstractModel {
 public:
  AbstractModel() : outcomes_long_(kOutcomes), outcomes_short_(kOutcomes), choices_(kChoices) {}

  // Call before a batch: new blocks may be in the tables.
  void Learn(const std::vector<TraceBlock>& table) {
    for (std::size_t i = blocks_.size(); i < table.size(); ++i) {
      Block& block = blocks_.emplace_back();
      block.address = table[i].address;
      block.behind = table[i].address + table[i].code_bytes;
      block.end = table[i].end;
      block.words = table[i].words;
      block.first_word = words_.size();
      words_.resize(words_.size() + table[i].words);
    }
  }

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
  static constexpr std::size_t kOutcomes = 1u << 18;
  static constexpr std::size_t kChoices = 1u << 16;
  static constexpr std::size_t kMaxCalls = 1u << 16;
  // A chance that saw so many bits is better than one of a shorter history.
  static constexpr std::uint32_t kTrusted = 3;

  // What is known of a block whose end is unknown.
  enum class Learnt : std::uint8_t { kNothing, kOne, kTwo, kMany };

  struct Block {
    std::uint64_t address = 0;
    std::uint64_t behind = 0;
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
      case BlockEnd::kConditional: {
        const bool taken = coder.kEncodes && blocks_[actual].address != from.behind;
        return Branch(coder, previous, from, taken, actual);
      }
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

  template <typename Coder>
  std::uint32_t Branch(Coder& coder, std::uint32_t previous, Block& from, bool bit,
                       std::uint32_t actual) {
    bit = Outcome(coder, previous, bit);
    return from.next[bit ? 1 : 0] = coder.Confirm(from.next[bit ? 1 : 0], actual);
  }

  // Uses the longer history if it has been seen before.
  template <typename Coder>
  bool Outcome(Coder& coder, std::uint32_t previous, bool bit) {
    BitChance& far = outcomes_long_[Place(previous, now_.outcomes & 0xffffff, kOutcomes)];
    BitChance& near = outcomes_short_[Place(previous, now_.outcomes & 0xff, kOutcomes)];
    BitChance& used = far.Seen() >= kTrusted ? far : near;
    BitChance& other = far.Seen() >= kTrusted ? near : far;
    bit = coder.Bit(bit, used);
    other.Learn(bit);
    now_.outcomes = now_.outcomes << 1 | (bit ? 1 : 0);
    return bit;
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

  template <typename Coder>
  std::uint32_t Choose(Coder& coder, std::uint32_t previous, Block& from, std::uint32_t actual) {
    const std::size_t half = kChoices / 2;
    Choice& far =
        choices_[Place(previous, now_.turns ^ (now_.outcomes & 0xff) << 56 ^ now_.path, half)];
    Choice& near = choices_[half + Place(previous, now_.path & 0xffffffff, half)];
    const bool trusted = far.block != kNoBlock && far.chance.Seen() >= 1;
    Choice& used = trusted ? far : near;
    const std::uint32_t predicted = used.block == kNoBlock ? from.next[0] : used.block;
    if (predicted != kNoBlock && coder.Bit(actual == predicted, used.chance)) {
      actual = predicted;
    } else if (from.next[0] != kNoBlock && from.next[0] != predicted &&
               coder.Bit(actual == from.next[0], from.again)) {
      actual = from.next[0];
    } else {
      actual = coder.Literal(actual);
    }
    far.block = actual;
    near.block = actual;
    from.next[0] = actual;
    now_.turns = std::rotl(now_.turns, 9) ^ Mix(actual);
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
        const bool bit = Outcome(coder, previous, actual == from.next[1]);
        const std::uint32_t predicted = from.next[bit ? 1 : 0];
        const std::uint32_t next = coder.Confirm(predicted, actual);
        if (next != predicted && next != from.next[0] && next != from.next[1])
          from.learnt = Learnt::kMany;
        return next;
      }
      case Learnt::kMany:
        return Choose(coder, previous, from, actual);
    }
    return kNoBlock;
  }

  std::vector<Block> blocks_;
  std::vector<Word> words_;
  std::vector<BitChance> outcomes_long_;
  std::vector<BitChance> outcomes_short_;
  std::vector<Choice> choices_;
  std::unordered_map<std::uint64_t, Thread> threads_;  // those that do not run
  std::uint64_t thread_ = 0;
  Thread now_;
};

}  // namespace tare::format
