// stack_set.h: the lines of one set of a cache in the order of their last use.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tare::reuse {

// Always inlined, so that each copy of a caller has its own instructions, and vectors are never
// passed.
#define TARE_INLINE [[gnu::always_inline]] inline

// Lines do not move within a set: a rank for each, 0 for the line used last, orders them. So no
// branch depends on a depth, and the searches of several sets overlap. Empty slots have the last
// ranks.
class StackSet {
 public:
  using Word = std::uint32_t;
  static constexpr unsigned kSlots = 24;
  static constexpr Word kNoState = ~Word{0};

  StackSet() { Clear(); }
  void Clear();

  // The slot of `tag`, or at least kSlots if it is absent. Tags are not 0.
  TARE_INLINE unsigned Find(Word tag) const {
    const Words wanted = Words{} + tag;
    Words found{};
    Words bits = {1, 2, 4, 8};
    for (unsigned i = 0; i < kSlots; i += kWords) {
      Words here;
      std::memcpy(&here, &tags_[i], sizeof here);
      found |= reinterpret_cast<Words>(here == wanted) & bits;
      bits <<= kWords;
    }
    const std::uint64_t all = Joined(found);
    return static_cast<unsigned>(std::countr_zero(static_cast<Word>(all | all >> 32)));
  }

  // How many lines were used after the one in `slot`.
  unsigned Depth(unsigned slot) const { return ranks_[slot]; }
  Word State(unsigned slot) const { return states_[slot]; }
  void SetState(unsigned slot, Word state) { states_[slot] = state; }
  bool IsUsed(unsigned slot) const { return tags_[slot] != 0; }

  TARE_INLINE void Remove(unsigned slot) {
    const auto rank = static_cast<std::int8_t>(ranks_[slot]);
    for (unsigned i = 0; i < kRanks; i += kBytes) {
      SignedBytes here;
      std::memcpy(&here, &ranks_[i], sizeof here);
      here += here > SignedBytes{} + rank;  // true is -1
      std::memcpy(&ranks_[i], &here, sizeof here);
    }
    ranks_[slot] = kSlots - 1;
    tags_[slot] = 0;
    states_[slot] = kNoState;
  }

  // Replaces what is in a slot by the line used last.
  TARE_INLINE void Put(unsigned slot, Word tag, Word state) {
    const std::uint8_t rank = ranks_[slot];
    for (unsigned i = 0; i < kRanks; i += kBytes) {
      Bytes here;
      std::memcpy(&here, &ranks_[i], sizeof here);
      here -= reinterpret_cast<Bytes>(here < Bytes{} + rank);
      std::memcpy(&ranks_[i], &here, sizeof here);
    }
    ranks_[slot] = 0;
    tags_[slot] = tag;
    states_[slot] = state;
  }

  // Adds the line used last. Returns the state of the line that leaves, or kNoState.
  TARE_INLINE Word Add(Word tag, Word state) {
    Bytes slots = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Bytes found{};
    for (unsigned i = 0; i < kRanks; i += kBytes) {
      Bytes here;
      std::memcpy(&here, &ranks_[i], sizeof here);
      found |= reinterpret_cast<Bytes>(here == Bytes{} + (kSlots - 1)) & slots;
      slots += kBytes;
    }
    std::uint64_t slot = Joined(found);
    for (unsigned shift = 32; shift >= 8; shift /= 2) slot |= slot >> shift;
    slot &= 0xff;
    const Word left = states_[slot];
    Put(static_cast<unsigned>(slot), tag, state);
    return left;
  }

 private:
  static constexpr unsigned kBytes = 16;  // vectors that all processors have
  static constexpr unsigned kWords = kBytes / sizeof(Word);
  static constexpr unsigned kRanks = 32;
  // Of ranks that belong to no slot. It is neither greater as a signed number nor less as an
  // unsigned one, so it never changes.
  static constexpr std::uint8_t kNoRank = 0x80;
  using Words [[gnu::vector_size(kBytes)]] = Word;
  using Bytes [[gnu::vector_size(kBytes)]] = std::uint8_t;
  using SignedBytes [[gnu::vector_size(kBytes)]] = std::int8_t;

  template <typename Vector>
  TARE_INLINE static std::uint64_t Joined(const Vector& vector) {
    std::array<std::uint64_t, 2> parts;
    std::memcpy(parts.data(), &vector, sizeof vector);
    return parts[0] | parts[1];
  }

  // Ranks and tags, which every search needs, have two cache lines.
  alignas(64) std::array<std::uint8_t, kRanks> ranks_;
  std::array<Word, kSlots> tags_;
  std::array<Word, kSlots> states_;
};

}  // namespace tare::reuse
