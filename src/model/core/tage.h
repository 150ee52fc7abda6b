// tage.h: predicts branches by the longest history that is known to tell.
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

// A base by address alone and tables by address and history, each with a longer one than the table
// before. An entry has a tag of 11 bits, a counter of 3 and two bits that tell of how much use it
// has been; those of the base have the counter only.
class Tage {
 public:
  // `entries` of each table, a power of two of at least 2 and at most kMaxTageEntries; 1 to
  // kMaxTageTables tables; the longest history is no shorter than kShortestTageHistory + tables -
  // 1 and no longer than kLongestTageHistory.
  Tage(unsigned entries, unsigned history_bits, unsigned tables);

  // Whether the branch was mispredicted; learns from it.
  bool Wrong(std::uint64_t address, bool taken);

  // Lengths of history of the tables: a geometric row from the shortest to the longest.
  static std::vector<unsigned> HistoryLengths(unsigned history_bits, unsigned tables);

 private:
  static constexpr unsigned kLanes = 4;
  static constexpr unsigned kGroups = kMaxTageTables / kLanes;
  using Lanes [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;

  // What is kept for four tables, which are treated at once.
  struct Group {
    Lanes folded{};   // the history of the table, xor-ed into kFoldedBits
    Lanes mask{};     // of the bits that `folded` has
    Lanes leaving{};  // of histories that are folded: what grows too old next, highest bit first
    Lanes leaves_from{};  // the bit of `folded` where it then is
  };

  // Where a branch is to be found in a table.
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
  unsigned known_;  // one bit for each table
  unsigned index_bits_;
  // Of all tables, of those that the last group lacks, and of the base, one behind the other.
  std::vector<std::uint16_t> entries_;
  std::array<Group, kGroups> history_{};
  std::vector<unsigned> lengths_;
  std::array<std::uint16_t, 128> outcomes_{};  // a ring of 16 each, the oldest in the highest bit
  std::uint32_t recent_ = 1;                   // those since, below a bit that is always set
  std::uint64_t branches_ = 0;                 // in the ring
  std::int32_t trust_new_ = 0;  // from -8 to 7; below 0: rather than a new entry, what it replaces
  std::uint32_t allocations_ = 0;
  bool clears_upper_bit_ = true;
};

}  // namespace tare::model
