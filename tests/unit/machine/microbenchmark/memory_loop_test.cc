// memory_loop_test.cc: tests that loops access the right elements as often as they claim.
#include "machine/microbenchmark/memory_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "machine/microbenchmark/buffer.h"
#include "machine/microbenchmark/ring.h"

namespace tare::microbenchmark {
namespace {

using machine_profile::Access;
using machine_profile::CurveKey;
using machine_profile::Pattern;

constexpr unsigned kLine = 64;
constexpr std::byte kPoison{0x5a};

std::vector<unsigned> Elements() {
  std::vector<unsigned> elements;
  for (const unsigned bytes : {8U, 16U, 32U, 64U}) {
    if (HasElement(bytes)) elements.push_back(bytes);
  }
  return elements;
}

// The last bytes before inaccessible memory, preceded by bytes that must not be written.
class Set {
 public:
  explicit Set(std::uint64_t bytes)
      : buffer_(*Buffer::Make(kRoom, Pages::kSmall)), bytes_(buffer_.bytes().last(bytes)) {
    Poison();
  }

  std::span<std::byte> bytes() const { return bytes_; }
  void Poison() {
    std::memset(buffer_.bytes().data(), std::to_integer<int>(kPoison), buffer_.bytes().size());
  }

  bool BeforeIsUntouched() const {
    // The first byte is the value, and every byte equals the one after it.
    const auto before = buffer_.bytes().first(kRoom - bytes_.size());
    return before[0] == kPoison && std::memcmp(&before[0], &before[1], before.size() - 1) == 0;
  }

  // Returns the offsets of the elements that were written; checks that none was written partly.
  std::vector<std::uint64_t> Written(unsigned element_bytes) const {
    std::vector<std::uint64_t> offsets;
    const std::vector<std::byte> unwritten(element_bytes, kPoison);
    for (std::uint64_t at = 0; at < bytes_.size(); at += element_bytes) {
      const auto element = bytes_.subspan(at, element_bytes);
      if (std::memcmp(element.data(), unwritten.data(), element_bytes) == 0) continue;
      EXPECT_EQ(std::ranges::count(element, kPoison), 0) << at;
      offsets.push_back(at);
    }
    return offsets;
  }

 private:
  static constexpr std::uint64_t kRoom = std::uint64_t{1} << 18;
  Buffer buffer_;
  std::span<std::byte> bytes_;
};

std::vector<std::uint64_t> Steps(std::uint64_t first, std::uint64_t step, std::uint64_t end) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t at = first; at < end; at += step) offsets.push_back(at);
  return offsets;
}

TEST(MemoryLoop, APassOfStoresWritesEveryElementOnce) {
  for (const unsigned element : Elements()) {
    const Set set(8192);
    auto loop =
        MemoryLoop::Over({Access::kStore, Pattern::kStrided, 1, element}, set.bytes(), kLine);
    ASSERT_TRUE(loop.has_value());
    const std::uint64_t all = 8192 / element;
    ASSERT_EQ(loop->Run(all), all);
    EXPECT_EQ(set.Written(element), Steps(0, element, 8192)) << element;
    EXPECT_TRUE(set.BeforeIsUntouched());
  }
}

TEST(MemoryLoop, GoesOnWhereItStopped) {
  for (const unsigned element : Elements()) {
    Set set(8192);
    auto loop =
        MemoryLoop::Over({Access::kStore, Pattern::kStrided, 1, element}, set.bytes(), kLine);
    ASSERT_TRUE(loop.has_value());
    const std::uint64_t half = 4096 / element;
    ASSERT_EQ(loop->Run(half), half);
    EXPECT_EQ(set.Written(element), Steps(0, element, 4096));
    set.Poison();
    ASSERT_EQ(loop->Run(half), half);
    EXPECT_EQ(set.Written(element), Steps(4096, element, 8192));
    set.Poison();
    ASSERT_EQ(loop->Run(half), half);
    EXPECT_EQ(set.Written(element), Steps(0, element, 4096));
  }
}

TEST(MemoryLoop, ASetThatIsNoMultipleOfAnIterationIsCoveredWhole) {
  for (const unsigned element : Elements()) {
    const std::uint64_t bytes = 3 * 1024 + 64;
    const Set set(bytes);
    auto loop =
        MemoryLoop::Over({Access::kStore, Pattern::kStrided, 1, element}, set.bytes(), kLine);
    ASSERT_TRUE(loop.has_value());
    loop->Run(bytes / element);
    EXPECT_EQ(set.Written(element), Steps(0, element, bytes));
    loop->Run(10 * bytes);
    EXPECT_TRUE(set.BeforeIsUntouched());
  }
}

TEST(MemoryLoop, StridedPassesShiftByALineUntilTheStrideIsCovered) {
  for (const unsigned element : Elements()) {
    for (const unsigned stride : {2U, 3U, 8U, 20U, 64U}) {
      const std::uint64_t step = std::uint64_t{stride} * element;
      const std::uint64_t bytes = 32 * step;
      Set set(bytes);
      auto loop = MemoryLoop::Over({Access::kStore, Pattern::kStrided, stride, element},
                                   set.bytes(), kLine);
      ASSERT_TRUE(loop.has_value());
      for (int round = 0; round < 2; ++round) {
        for (std::uint64_t start = 0; start < step; start += kLine) {
          set.Poison();
          ASSERT_EQ(loop->Run(32), 32U);
          ASSERT_EQ(set.Written(element), Steps(start, step, bytes)) << element << " " << stride;
          ASSERT_TRUE(set.BeforeIsUntouched());
        }
      }
    }
  }
}

TEST(MemoryLoop, StridedPassesOfAnyLengthTouchEachElement) {
  for (const unsigned element : Elements()) {
    const std::uint64_t step = 16 * element;
    const std::uint64_t bytes = 37 * step;
    Set set(bytes);
    auto loop =
        MemoryLoop::Over({Access::kStore, Pattern::kStrided, 16, element}, set.bytes(), kLine);
    ASSERT_TRUE(loop.has_value());
    for (std::uint64_t start = 0; start < step; start += kLine) {
      set.Poison();
      ASSERT_EQ(loop->Run(37), 48U);
      ASSERT_EQ(set.Written(element), Steps(start, step, bytes)) << element;
    }
  }
}

// After n draws a fraction e^-1 of n elements is left; its standard deviation is below 0.5 /
// sqrt(n).
TEST(MemoryLoop, RandomStoresAreEven) {
  for (const unsigned element : Elements()) {
    Set set(65536);
    auto loop =
        MemoryLoop::Over({Access::kStore, Pattern::kRandom, 1, element}, set.bytes(), kLine);
    ASSERT_TRUE(loop.has_value());
    const std::uint64_t all = 65536 / element;
    for (int round = 0; round < 4; ++round) {
      set.Poison();
      ASSERT_EQ(loop->Run(all), all);
      const auto written = static_cast<double>(set.Written(element).size());
      const auto n = static_cast<double>(all);
      EXPECT_NEAR(written / n, 1 - std::exp(-1), 4 * 0.5 / std::sqrt(n));
      EXPECT_TRUE(set.BeforeIsUntouched());
    }
    loop->Run(20 * all);
    EXPECT_EQ(set.Written(element), Steps(0, element, 65536));
  }
}

TEST(MemoryLoop, LoadsAndUpdatesKeepWhatIsThere) {
  for (const Access access : {Access::kLoad, Access::kUpdate}) {
    for (const unsigned element : Elements()) {
      for (const CurveKey key : {CurveKey{access, Pattern::kStrided, 1, element},
                                 CurveKey{access, Pattern::kStrided, 5, element},
                                 CurveKey{access, Pattern::kRandom, 1, element}}) {
        const Set set(32768);
        unsigned char next = 0;
        for (std::byte& one : set.bytes()) one = std::byte{next++};
        const std::vector<std::byte> before(set.bytes().begin(), set.bytes().end());
        auto loop = MemoryLoop::Over(key, set.bytes(), kLine);
        ASSERT_TRUE(loop.has_value());
        EXPECT_GE(loop->Run(100000), 100000U);
        EXPECT_TRUE(std::ranges::equal(before, set.bytes())) << CurveName(key);
        EXPECT_TRUE(set.BeforeIsUntouched());
      }
    }
  }
}

TEST(MemoryLoop, AChainedUpdateWritesTheSecondWordOfEachPlace) {
  Set set(128 * 64);
  Ring ring(set.bytes(), 64, 1);
  ring.GrowTo(128);
  auto loop = MemoryLoop::Over({Access::kUpdate, Pattern::kChained, 1, 8}, set.bytes(), kLine);
  ASSERT_TRUE(loop.has_value());
  const auto second_words = [&] {
    std::uint64_t written = 0;
    for (std::uint64_t place = 0; place < 128; ++place)
      written += set.bytes()[place * 64 + 8] == kPoison ? 0U : 1U;
    return written;
  };
  ASSERT_EQ(loop->Run(2 * 64), 2U * 64);
  EXPECT_EQ(second_words(), 64U);
  ASSERT_EQ(loop->Run(2 * 64), 2U * 64);
  EXPECT_EQ(second_words(), 128U);
  EXPECT_TRUE(ring.IsOneCycle());
  EXPECT_TRUE(set.BeforeIsUntouched());
}

TEST(MemoryLoop, MakesLessThanAnIterationTooMany) {
  for (const unsigned element : Elements()) {
    const Set set(65536);
    Ring ring(set.bytes(), 64, 1);
    ring.GrowTo(1024);
    for (const Pattern pattern : {Pattern::kStrided, Pattern::kRandom, Pattern::kChained}) {
      if (pattern == Pattern::kChained && element != 8) continue;
      auto loop = MemoryLoop::Over({Access::kLoad, pattern, 1, element}, set.bytes(), kLine);
      ASSERT_TRUE(loop.has_value());
      const std::uint64_t iteration = loop->Run(0);
      EXPECT_LE(iteration, 64U);
      EXPECT_GE(iteration, 8U);
      EXPECT_EQ(loop->Run(1), iteration);
      EXPECT_EQ(loop->Run(iteration), iteration);
      EXPECT_EQ(loop->Run(iteration + 1), 2 * iteration);
      EXPECT_EQ(loop->Run(1000 * iteration - 3), 1000 * iteration);
    }
  }
}

TEST(MemoryLoop, WhatCannotBeDoneIsRefused) {
  const Set set(65536);
  const auto kind_of = [&](const CurveKey& key, std::uint64_t bytes) -> std::optional<ErrorKind> {
    const auto loop = MemoryLoop::Over(key, set.bytes().first(bytes), kLine);
    if (loop.has_value()) return std::nullopt;
    EXPECT_FALSE(loop.error().message.empty());
    return loop.error().kind;
  };
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kStrided, 1, 128}, 65536), ErrorKind::kUnsupported);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kStrided, 1, 4}, 65536), ErrorKind::kUnsupported);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kStrided, 0, 8}, 65536), ErrorKind::kUsage);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kRandom, 2, 8}, 65536), ErrorKind::kUsage);
  EXPECT_EQ(kind_of({Access::kStore, Pattern::kChained, 1, 8}, 65536), ErrorKind::kUsage);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kChained, 1, 16}, 65536), ErrorKind::kUsage);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kStrided, 1, 8}, 64), ErrorKind::kUsage);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kRandom, 1, 8}, 0), ErrorKind::kUsage);
  EXPECT_EQ(kind_of({Access::kLoad, Pattern::kStrided, 1, 8}, 65536), std::nullopt);
}

TEST(MinBytes, IsTheSmallestAcceptedSize) {
  const Set set(131072);
  for (const unsigned element : Elements()) {
    for (const unsigned stride : {1U, 2U, 7U, 64U}) {
      const CurveKey key{Access::kStore, Pattern::kStrided, stride, element};
      const std::uint64_t min = MinBytes(key);
      EXPECT_TRUE(MemoryLoop::Over(key, set.bytes().first(min), kLine).has_value());
      EXPECT_FALSE(MemoryLoop::Over(key, set.bytes().first(min - 1), kLine).has_value());
    }
    EXPECT_LE(MinBytes({Access::kLoad, Pattern::kStrided, 1, element}), 1024U);
  }
}

TEST(WidestVector, IsARegisterOfThisProcessor) {
  EXPECT_GE(WidestVector(), 16U);
  EXPECT_TRUE(HasElement(WidestVector()));
  EXPECT_FALSE(HasElement(2 * WidestVector()));
}

}  // namespace
}  // namespace tare::microbenchmark
