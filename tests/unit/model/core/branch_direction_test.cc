// branch_direction_test.cc: compares one-table predictors with simple models and with answers
// worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/model/core/branch_streams.h"

namespace tare::model {
namespace {

constexpr Branching kBimodal = {.direction = Direction::kBimodal, .entries = 64};
constexpr Branching kGshare = {.direction = Direction::kGshare, .entries = 256, .history_bits = 6};
constexpr Branching kGselect = {
    .direction = Direction::kGselect, .entries = 256, .history_bits = 4};

// A model of any one-table predictor: the index of a branch's counter, and the counters' initial
// value.
template <typename Index>
std::uint64_t Plain(const Branches& branches, int start, Index index) {
  std::map<std::uint64_t, int> counters;
  std::vector<bool> history;  // the latest is last
  std::uint64_t wrong = 0;
  for (const Branch& branch : branches) {
    const auto [at, fresh] = counters.try_emplace(index(branch.address, history), start);
    if ((at->second >= 2) != branch.taken) ++wrong;
    at->second = std::clamp(at->second + (branch.taken ? 1 : -1), 0, 3);
    history.push_back(branch.taken);
  }
  return wrong;
}

std::uint64_t Latest(const std::vector<bool>& history, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned age = 0; age < bits && age < history.size(); ++age)
    if (history[history.size() - 1 - age]) value += std::uint64_t{1} << age;
  return value;
}

std::uint64_t Mixed(std::uint64_t address) {
  return address / 4 ^ address * 32 ^ address / (1 << 17);
}

TEST(Bimodal, EqualsAPlainOneToTheLastBranch) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Branches branches = Noise(100, 20000, seed);
    const auto index = [](std::uint64_t address, const auto&) { return Mixed(address) % 64; };
    EXPECT_EQ(Mispredicted(kBimodal, branches), Plain(branches, 1, index));
  }
}

TEST(Gshare, EqualsAPlainOneToTheLastBranch) {
  const auto index = [](std::uint64_t address, const auto& history) {
    return (Mixed(address) ^ Latest(history, 6) * 4) % 256;
  };
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Branches branches = Noise(100, 20000, seed);
    EXPECT_EQ(Mispredicted(kGshare, branches), Plain(branches, 1, index));
  }
  EXPECT_EQ(Mispredicted(kGshare, Structured(200)), Plain(Structured(200), 1, index));
}

TEST(Gselect, EqualsAPlainOneToTheLastBranchOnBothArchitectures) {
  for (const unsigned aligned_bits : {0U, 2U}) {
    const auto index = [&](std::uint64_t address, const auto& history) {
      return Latest(history, 4) * 16 + (address >> aligned_bits) % 16;
    };
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Branches branches = Noise(100, 20000, seed);
      EXPECT_EQ(Mispredicted(kGselect, branches, aligned_bits), Plain(branches, 0, index));
    }
    EXPECT_EQ(Mispredicted(kGselect, Structured(200), aligned_bits),
              Plain(Structured(200), 0, index));
  }
}

// Cachegrind's: 14 bits, with seven bits of history above seven of the address.
TEST(Gselect, ChoosesItsCounterAsCachegrindDoes) {
  const Branching cachegrind = {
      .direction = Direction::kGselect, .entries = 16384, .history_bits = 7};
  // Addresses that are 128 instructions apart share counters; those 127 apart do not.
  Branches shared = Repeat("T", 100, 0x10000);
  const std::uint64_t learnt = Mispredicted(cachegrind, shared);
  EXPECT_EQ(learnt, 9U);  // 7 new histories, then the same one until its counter is 2
  shared.push_back({0x10000 + 128 * 4, true});
  EXPECT_EQ(Mispredicted(cachegrind, shared), learnt);
  shared.back().address = 0x10000 + 127 * 4;
  EXPECT_EQ(Mispredicted(cachegrind, shared), learnt + 1);
}

TEST(Bimodal, ABranchAlwaysTakenIsMispredictedOnceAndOneNeverTakenNever) {
  EXPECT_EQ(Mispredicted(kBimodal, Repeat("T", 1000)), 1U);
  EXPECT_EQ(Mispredicted(kBimodal, Repeat("-", 1000)), 0U);
}

// The counter alternates between 1 and 2 and is always one step late.
TEST(Bimodal, ABranchThatAlternatesIsAlwaysMispredicted) {
  EXPECT_EQ(Mispredicted(kBimodal, Repeat("T-", 500)), 1000U);
}

TEST(Bimodal, ALoopIsMispredictedOnceForEachTimeItEnds) {
  EXPECT_EQ(Mispredicted(kBimodal, Repeat("TTTTTTT-", 100)), 101U);
}

TEST(Gshare, LearnsToAlternate) {
  EXPECT_LE(Mispredicted(kGshare, Repeat("T-", 500)), 8U);
  EXPECT_EQ(Mispredicted(kGshare, Repeat("T-", 500)), Mispredicted(kGshare, Repeat("T-", 5000)));
}

// Six bits of history cover a loop of seven. In a loop of eight, the last iteration and the exit
// have the same history after six iterations; their counter is one step late both times. In a
// longer loop only the exit is mispredicted.
TEST(Gshare, PredictsTheEndOfALoopNoLongerThanItsHistory) {
  const auto extra = [](const std::string& loop) {
    return Mispredicted(kGshare, Repeat(loop, 200)) - Mispredicted(kGshare, Repeat(loop, 100));
  };
  EXPECT_EQ(extra("TTTTT-"), 0U);
  EXPECT_EQ(extra("TTTTTT-"), 0U);
  EXPECT_EQ(extra("TTTTTTT-"), 200U);
  EXPECT_EQ(extra("TTTTTTTTTTTTT-"), 100U);
}

TEST(BranchUnit, CountsNothingWithoutAPredictor) {
  EXPECT_EQ(Mispredicted({}, Noise(100, 1000, 1)), 0U);
}

TEST(BranchUnit, IsTheSameAgainAndAgain) {
  const Branches branches = Noise(300, 20000, 7);
  for (const Branching& branching : {kBimodal, kGshare, kGselect})
    EXPECT_EQ(Mispredicted(branching, branches), Mispredicted(branching, branches));
}

}  // namespace
}  // namespace tare::model
