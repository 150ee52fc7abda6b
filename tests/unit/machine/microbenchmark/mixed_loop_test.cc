// mixed_loop_test.cc: tests that mixed loops stay in their set and work alike for any size.
#include "machine/microbenchmark/mixed_loop.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "machine/microbenchmark/buffer.h"

namespace tare::microbenchmark {
namespace {

TEST(LineLoops, HaveAStreamAndARandomLoopForEachAmountOfWork) {
  std::set<std::pair<bool, unsigned>> kinds;
  for (const LineLoop& loop : LineLoops()) kinds.emplace(loop.random, loop.additions);
  EXPECT_EQ(kinds.size(), LineLoops().size());
  for (const auto& [random, additions] : kinds) {
    EXPECT_TRUE(kinds.contains({!random, additions}));
  }
  EXPECT_TRUE(kinds.contains({false, 0}));
}

// The buffer ends with its last page: an access beyond it would be a fault.
TEST(LineLoops, StayInTheirSet) {
  const auto buffer = Buffer::Make(1 << 16, Pages::kSmall);
  ASSERT_TRUE(buffer.has_value());
  const auto bytes = buffer->bytes();
  for (const LineLoop& loop : LineLoops()) {
    for (const std::uint64_t size : {std::uint64_t{64}, std::uint64_t{4096}}) {
      loop.run(bytes.data() + bytes.size() - size, size - 64, 10000);
    }
  }
}

TEST(StoreForwarding, LeavesItsValueInMemory) {
  alignas(64) std::array<std::byte, 64> place = {};
  StoreForwarding().run(place.data(), 3);
  EXPECT_EQ(place[0], std::byte{1});
}

TEST(MixedInstructions, WriteOnlyTheirPlace) {
  alignas(64) std::array<std::byte, 128> place = {};
  MixedInstructions().run(place.data(), 100);
  for (std::size_t i = 64; i < place.size(); ++i) EXPECT_EQ(place[i], std::byte{0}) << i;
  EXPECT_EQ(place[32], std::byte{8});  // the loaded 0, plus 8
}

}  // namespace
}  // namespace tare::microbenchmark
