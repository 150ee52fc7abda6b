// branch_tage_test.cc: compares TAGE with a simple model that folds its whole history at every
// branch.
#include "model/core/tage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/model/core/branch_streams.h"

namespace tare::model {
namespace {

class PlainTage {
 public:
  PlainTage(unsigned entries, unsigned history_bits, unsigned tables)
      : bits_(static_cast<unsigned>(std::countr_zero(entries))),
        lengths_(Tage::HistoryLengths(history_bits, tables)),
        base_(entries, 3),
        tables_(tables, std::vector<Entry>(entries)) {}

  bool Mispredicts(std::uint64_t address, bool taken) {
    int provider = -1;
    int other = -1;
    for (int table = 0; table < Tables(); ++table) {
      if (At(table, address).tag != Hash(table, address).second) continue;
      other = provider;
      provider = table;
    }
    int& base = base_[(address / 4 ^ address * 32 ^ address / (1 << 17)) % base_.size()];
    const bool alternative = (other < 0 ? base : At(other, address).counter) >= 4;
    bool predicted = base >= 4;
    bool wrong = predicted != taken;
    if (provider >= 0) {
      Entry& entry = At(provider, address);
      predicted = entry.counter >= 4;
      const bool fresh = entry.useful == 0 && (entry.counter == 3 || entry.counter == 4);
      wrong = (fresh && trust_ < 0 ? alternative : predicted) != taken;
      if (entry.useful == 0) Learn(other < 0 ? base : At(other, address).counter, taken);
      if (predicted != alternative) {
        if (fresh) trust_ = std::clamp(trust_ + (predicted == taken ? 1 : -1), -8, 7);
        entry.useful = std::clamp(entry.useful + (predicted == taken ? 1 : -1), 0, 3);
      }
      Learn(entry.counter, taken);
    } else {
      Learn(base, taken);
    }
    if (wrong && predicted != taken) Allocate(provider + 1, address, taken);
    history_.push_back(taken);
    if (history_.size() % (1U << 18) == 0) Age();
    return wrong;
  }

 private:
  struct Entry {
    std::uint32_t tag = 0;
    int counter = 3;
    int useful = 0;
  };

  int Tables() const { return static_cast<int>(tables_.size()); }

  static void Learn(int& counter, bool taken) {
    counter = std::clamp(counter + (taken ? 1 : -1), 0, 7);
  }

  // Returns index and tag.
  std::pair<std::uint32_t, std::uint32_t> Hash(int table, std::uint64_t address) const {
    std::uint32_t folded = 0;
    for (unsigned age = 0; age < lengths_[static_cast<std::size_t>(table)]; ++age)
      if (age < history_.size() && history_[history_.size() - 1 - age]) folded ^= 1U << age % 31;
    const auto spread = static_cast<std::uint32_t>(address * 0x93cd3a2c8198e269 >> 32);
    const std::uint32_t hash = (folded ^ spread) * 0x9e3779b1;
    return {hash >> (32 - bits_), hash >> (21 - bits_) & 2047};
  }

  Entry& At(int table, std::uint64_t address) {
    return tables_[static_cast<std::size_t>(table)][Hash(table, address).first];
  }

  void Allocate(int from, std::uint64_t address, bool taken) {
    if (++allocations_ % 4 == 0 && from + 1 < Tables()) ++from;
    for (int table = from; table < Tables(); ++table) {
      Entry& entry = At(table, address);
      if (entry.useful != 0) continue;
      entry = {.tag = Hash(table, address).second, .counter = taken ? 4 : 3, .useful = 0};
      return;
    }
    for (int table = from; table < Tables(); ++table) --At(table, address).useful;
  }

  void Age() {
    const bool upper = ages_++ % 2 == 0;
    for (std::vector<Entry>& table : tables_)
      for (Entry& entry : table) entry.useful = upper ? entry.useful % 2 : entry.useful / 2 * 2;
  }

  unsigned bits_;
  std::vector<unsigned> lengths_;
  std::vector<int> base_;
  std::vector<std::vector<Entry>> tables_;
  std::vector<bool> history_;
  int trust_ = 0;
  unsigned allocations_ = 0;
  unsigned ages_ = 0;
};

Branching Describe(unsigned entries, unsigned history_bits, unsigned tables) {
  return {.direction = Direction::kTage,
          .entries = entries,
          .history_bits = history_bits,
          .tables = tables};
}

std::uint64_t PlainWrong(const Branching& branching, const Branches& branches) {
  PlainTage plain(branching.entries, branching.history_bits, branching.tables);
  std::uint64_t wrong = 0;
  for (const Branch& branch : branches)
    wrong += plain.Mispredicts(branch.address, branch.taken) ? 1U : 0U;
  return wrong;
}

TEST(Tage, EqualsAPlainOneToTheLastBranch) {
  // Histories shorter than a fold, equal to it, and of several folds; groups of four tables that
  // are complete and incomplete.
  const std::array shapes = {Describe(16, 4, 1),  Describe(32, 30, 3),   Describe(32, 31, 4),
                             Describe(64, 32, 4), Describe(64, 62, 5),   Describe(16, 130, 6),
                             Describe(128, 7, 4), Describe(64, 1000, 12)};
  for (const Branching& shape : shapes) {
    for (unsigned seed = 1; seed <= 2; ++seed)
      EXPECT_EQ(Mispredicted(shape, Noise(60, 4000, seed)),
                PlainWrong(shape, Noise(60, 4000, seed)))
          << shape.history_bits;
    EXPECT_EQ(Mispredicted(shape, Structured(50)), PlainWrong(shape, Structured(50)))
        << shape.history_bits;
  }
}

// Usefulness is reset every 2^18 branches, one bit after the other.
TEST(Tage, EqualsAPlainOneWhileItForgets) {
  const Branching shape = Describe(16, 12, 3);
  Branches branches = Noise(40, 250000, 3);
  const Branches structured = Structured(6000);
  branches.insert(branches.end(), structured.begin(), structured.end());
  ASSERT_GT(branches.size(), 2U << 18);
  EXPECT_EQ(Mispredicted(shape, branches), PlainWrong(shape, branches));
}

TEST(Tage, HistoriesGrowGeometricallyFromFourToTheLongest) {
  EXPECT_EQ(Tage::HistoryLengths(64, 5), (std::vector<unsigned>{4, 8, 16, 32, 64}));
  EXPECT_EQ(Tage::HistoryLengths(7, 4), (std::vector<unsigned>{4, 5, 6, 7}));
  EXPECT_EQ(Tage::HistoryLengths(20, 1), (std::vector<unsigned>{20}));
}

TEST(Tage, ABranchAlwaysTakenIsMispredictedOnce) {
  EXPECT_EQ(Mispredicted(Describe(256, 64, 4), Repeat("T", 1000)), 1U);
}

// A loop of 40 iterations is longer than gshare's history and shorter than TAGE's.
TEST(Tage, PredictsTheEndOfALoopThatGshareDoesNot) {
  const std::string loop = std::string(39, 'T') + "-";
  const Branching tage = Describe(256, 64, 4);
  const Branching gshare = {.direction = Direction::kGshare, .entries = 1024, .history_bits = 10};
  EXPECT_GE(Mispredicted(gshare, Repeat(loop, 300)), 300U);
  EXPECT_EQ(Mispredicted(tage, Repeat(loop, 300)), Mispredicted(tage, Repeat(loop, 200)));
}

// Nothing can be learnt from noise: it must not cost more than a tenth over the base predictor.
TEST(Tage, IsLittleWorseThanBimodalOnNoise) {
  const Branching bimodal = {.direction = Direction::kBimodal, .entries = 1024};
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Branches noise = Noise(30, 100000, seed);
    EXPECT_LE(Mispredicted(Describe(1024, 64, 4), noise), Mispredicted(bimodal, noise) * 11 / 10);
  }
}

}  // namespace
}  // namespace tare::model
