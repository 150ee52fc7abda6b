// tage.h: a TAGE branch predictor: tagged tables with geometrically increasing history lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare::model {

inline constexpr unsigned kMaxTageTables = 12;
inline constexpr unsigned kMaxTageEntries = 1U << 20;
inline constexpr unsigned kShortestTageHistory = 4;
inline constexpr unsigned kLongestTageHistory = 1000;

// A base table indexed by address, and tagged tables indexed by address and history, each with a
// longer history than the previous one. An entry has a tag of 11 bits, a counter of 3 bits and 2
// bits of usefulness; base entries have only the counter.
class Tage {
 public:
  // `entries` per table is a power of two from 2 to kMaxTageEntries. There are 1 to kMaxTageTables
  // tables. The longest history is from kShortestTageHistory + tables - 1 to kLongestTageHistory
  // bits.
  Tage(unsigned entries, unsigned history_bits, unsigned tables);

  // Returns whether the branch was mispredicted, and updates the predictor.
  bool Mispredicts(std::uint64_t address, bool taken);

  // The history lengths of the tables: a geometric series from the shortest to the longest.
  static std::vector<unsigned> HistoryLengths(unsigned history_bits, unsigned tables);

 private:
  static constexpr unsigned kLanes = 4;
  static constexpr unsigned kGroups = kMaxTageTables / kLanes;
  using Lanes [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;

  // The history of four tables, which are processed together.
  struct Group {
    Lanes folded{};       // the table's history, folded into kFoldedBits by XOR
    Lanes mask{};         // the bits that `folded` uses
    Lanes leaving{};      // the bits that leave a folded history next, highest first
    Lanes leaves_from{};  // the bit of `folded` from which they are removed
  };

  // The location of a branch in a table.
  struct Place {
    std::uint32_t at;
    std::uint32_t tag;
  };

  unsigned Match(std::uint32_t spread) const;
  Place Find(unsigned table, std::uint32_t spread) const;
  std::uint16_t& Entry(unsigned match, std::uint64_t address, std::uint32_t spread);
  bool Learn(std::uint64_t address, bool taken, unsigned matches);
  void Allocate(std::uint32_t spread, unsigned from, bool taken);
  void Remember(bool taken);
  void ForeseeLeaving();
  void Age();

  unsigned tables_;
  unsigned groups_;
  unsigned known_;  // one bit per table
  unsigned index_bits_;
  // The entries of all tables, of the unused tables of the last group, and of the base,
  // concatenated.
  std::vector<std::uint16_t> entries_;
  std::array<Group, kGroups> history_{};
  std::vector<unsigned> lengths_;
  std::array<std::uint16_t, 128> outcomes_{};  // ring of 16 per word, oldest in the top bit
  std::uint32_t recent_ = 1;    // the outcomes since then, below a bit that is always set
  std::uint64_t branches_ = 0;  // in the ring
  std::int32_t trust_new_ = 0;  // -8 to 7; negative: prefer the alternative to new entries
  std::uint32_t allocations_ = 0;
  bool clears_upper_bit_ = true;
};

}  // namespace tare::model
