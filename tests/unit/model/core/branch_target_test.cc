// branch_target_test.cc: tests target buffers and return stacks, and which configurations are
// rejected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/model/core/branch_streams.h"

namespace tare::model {
namespace {

struct Jump {
  std::uint64_t address = 0;
  std::uint64_t target = 0;
};

std::uint64_t Mispredicted(const Branching& branching, const std::vector<Jump>& jumps,
                           unsigned aligned_bits) {
  BranchUnit unit(branching, aligned_bits);
  EventCounts counts;
  for (const Jump& jump : jumps) unit.IndirectJump(jump.address, jump.target, counts);
  return counts[Event::kIndirectMispredictions];
}

std::vector<Jump> RandomJumps(unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<Jump> jumps;
  for (unsigned i = 0; i < 20000; ++i) {
    const std::uint64_t address = 0x5000 + draw() % 200 * 6;
    jumps.push_back({address, 0x9000 + draw() % 8 / 6 * 16 + address % 3});
  }
  return jumps;
}

// Sets as lists, the most recently used first.
std::uint64_t PlainTargets(const std::vector<Jump>& jumps, unsigned sets, unsigned ways,
                           unsigned aligned_bits) {
  std::vector<std::list<Jump>> buffer(sets);
  std::uint64_t wrong = 0;
  for (const Jump& jump : jumps) {
    std::list<Jump>& set = buffer[(jump.address >> aligned_bits) % sets];
    bool right = false;
    for (auto at = set.begin(); at != set.end(); ++at) {
      if (at->address != jump.address) continue;
      right = at->target == jump.target;
      set.erase(at);
      break;
    }
    if (!right) ++wrong;
    set.push_front(jump);
    if (set.size() > ways) set.pop_back();
  }
  return wrong;
}

TEST(TargetBuffer, EqualsAPlainOneToTheLastJump) {
  for (const unsigned ways : {2U, 4U, 5U, 32U}) {
    for (const unsigned aligned_bits : {0U, 2U}) {
      const unsigned sets = ways == 32 ? 1 : 16;
      const Branching branching = {.target_entries = sets * ways, .target_ways = ways};
      for (unsigned seed = 1; seed <= 3; ++seed)
        EXPECT_EQ(Mispredicted(branching, RandomJumps(seed), aligned_bits),
                  PlainTargets(RandomJumps(seed), sets, ways, aligned_bits));
    }
  }
}

// Cachegrind's: 512 targets indexed by the lowest address bits, without tags.
TEST(TargetBuffer, WithOneWayIsATableWithoutNames) {
  const Branching cachegrind = {.target_entries = 512, .target_ways = 1};
  for (const unsigned aligned_bits : {0U, 2U}) {
    std::map<std::uint64_t, std::uint64_t> table;
    std::uint64_t wrong = 0;
    for (const Jump& jump : RandomJumps(4)) {
      std::uint64_t& target = table[(jump.address >> aligned_bits) % 512];
      if (target != jump.target) ++wrong;
      target = jump.target;
    }
    EXPECT_EQ(Mispredicted(cachegrind, RandomJumps(4), aligned_bits), wrong);
  }
  const std::vector<Jump> one_place = {{0x1000, 0x9000}, {0x1000 + 512 * 4, 0x9000}};
  EXPECT_EQ(Mispredicted(cachegrind, one_place, 2), 1U);
}

TEST(TargetBuffer, ThreeJumpsInASetOfTwoAreNeverKnown) {
  const Branching branching = {.target_entries = 8, .target_ways = 2};
  std::vector<Jump> jumps;
  for (unsigned time = 0; time < 50; ++time)
    for (const std::uint64_t address : {0x100U, 0x110U, 0x120U})
      jumps.push_back({address, 0x9000 + address});
  EXPECT_EQ(Mispredicted(branching, jumps, 2), 150U);
}

std::uint64_t Returns(const Branching& branching, unsigned depth, unsigned times) {
  BranchUnit unit(branching);
  EventCounts counts;
  for (unsigned time = 0; time < times; ++time) {
    for (unsigned call = 0; call < depth; ++call) unit.Call(0x1000 + call * 8);
    for (unsigned call = depth; call-- > 0;) unit.Return(0x1000 + call * 8, counts);
  }
  return counts[Event::kReturnMispredictions];
}

TEST(ReturnStack, ReturnsWithinItsDepthArePredicted) {
  EXPECT_EQ(Returns({.return_entries = 8}, 8, 100), 0U);
  EXPECT_EQ(Returns({.return_entries = 12}, 12, 100), 0U);
}

// The oldest entries are overwritten, so their returns are mispredicted.
TEST(ReturnStack, EachDeeperCallIsMispredicted) {
  EXPECT_EQ(Returns({.return_entries = 8}, 11, 100), 300U);
  EXPECT_EQ(Returns({.return_entries = 1}, 2, 10), 10U);
}

TEST(ReturnStack, AReturnElsewhereAndOneWithoutACallAreMispredicted) {
  BranchUnit unit({.return_entries = 4});
  EventCounts counts;
  unit.Return(0x1000, counts);
  EXPECT_EQ(counts[Event::kReturnMispredictions], 1U);
  unit.Call(0x2000);
  unit.Return(0x2004, counts);
  EXPECT_EQ(counts[Event::kReturnMispredictions], 2U);
  unit.Call(0x3000);
  unit.Return(0x3000, counts);
  EXPECT_EQ(counts[Event::kReturnMispredictions], 2U);
}

TEST(BranchUnit, CountsNeitherTargetsNorReturnsWithoutAModel) {
  BranchUnit unit({.direction = Direction::kBimodal, .entries = 16});
  EventCounts counts;
  unit.IndirectJump(0x100, 0x200, counts);
  unit.Call(0x100);
  unit.Return(0x999, counts);
  unit.Return(0x999, counts);
  EXPECT_EQ(counts, EventCounts());
}

TEST(ValidateBranching, TakesWhatCanBeBuilt) {
  for (const Branching& good : std::vector<Branching>{
           {},
           {.direction = Direction::kBimodal, .entries = 512},
           {.direction = Direction::kGshare, .entries = 4096, .history_bits = 12},
           {.direction = Direction::kGselect, .entries = 16384, .history_bits = 7},
           {.direction = Direction::kTage, .entries = 1024, .history_bits = 130, .tables = 6},
           {.target_entries = 1536, .target_ways = 3, .return_entries = 12}}) {
    const Result<void> result = ValidateBranching(good);
    EXPECT_TRUE(result) << result.error().message;
    const BranchUnit unit(good);
  }
}

TEST(ValidateBranching, SaysWhichFieldCannotBeBuiltAndWhy) {
  const std::vector<std::pair<Branching, std::string>> bad = {
      {{.direction = Direction::kBimodal},
       "branching entries is 0: the number of counters must be a power of two"},
      {{.direction = Direction::kGshare, .entries = 1000, .history_bits = 4}, "entries is 1000"},
      {{.direction = Direction::kGshare, .entries = 1U << 21, .history_bits = 4}, "2 to 1048576"},
      {{.direction = Direction::kGshare, .entries = 1024, .history_bits = 11},
       "history_bits is 11: an index into 1024 counters has 10 bits, so the history can have 1 to "
       "10"},
      {{.direction = Direction::kGselect, .entries = 1024}, "history_bits is 0"},
      {{.direction = Direction::kBimodal, .entries = 64, .history_bits = 3}, "has no history"},
      {{.direction = Direction::kTage, .entries = 64, .history_bits = 30}, "tables is 0"},
      {{.direction = Direction::kTage, .entries = 64, .history_bits = 30, .tables = 13},
       "1 to 12 tagged tables"},
      {{.direction = Direction::kTage, .entries = 64, .history_bits = 6, .tables = 4},
       "with 4 tables the longest history has 7 to 1000 bits"},
      {{.direction = Direction::kTage, .entries = 64, .history_bits = 2000, .tables = 4},
       "history_bits is 2000"},
      {{.direction = Direction::kBimodal, .entries = 64, .tables = 2},
       "only tage has tagged tables"},
      {{.target_entries = 512, .target_ways = 0}, "target_ways is 0"},
      {{.target_entries = 512, .target_ways = 3}, "512 target_entries are not a multiple of it"},
      {{.target_entries = 48, .target_ways = 4}, "12 sets, which is not a power of two"},
      {{.target_entries = 1U << 22}, "target_entries is 4194304"},
      {{.return_entries = 100000}, "return_entries is 100000"}};
  for (const auto& [branching, sentence] : bad) {
    const Result<void> result = ValidateBranching(branching);
    ASSERT_FALSE(result) << sentence;
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message, testing::HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace tare::model
