// Tests of recency_stack.h and page_stack.h: the same distances as a list.
#include "model/reuse/recency_stack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "model/reuse/page_stack.h"
#include "plain_stacks.h"

namespace tare::reuse {
namespace {

std::optional<std::uint64_t> Use(RecencyStack& stack, std::uint64_t key) {
  const auto distance = stack.Remove(key);
  stack.Push(key);
  return distance;
}

TEST(RecencyStack, HasTheDistancesOfAList) {
  std::mt19937_64 random(3);
  RecencyStack stack;
  PlainStack plain;
  // Few keys first and many later, so that times run out before and after the tree has grown.
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t key = random() % (i < 8000 ? 100 : 3000);
    ASSERT_EQ(Use(stack, key), plain.Use(key)) << i;
  }
}

TEST(RecencyStack, ForgetsKeysAndKeepsTheOrderOfTheOthers) {
  RecencyStack stack;
  for (std::uint64_t key = 0; key < 100; ++key) stack.Push(key);
  stack.Keep([](std::uint64_t key) { return key % 10 == 0; });
  EXPECT_EQ(stack.size(), 10U);
  EXPECT_EQ(stack.Remove(1), std::nullopt);
  EXPECT_EQ(stack.Remove(70), 2U);
  EXPECT_EQ(stack.Remove(0), 8U);
  EXPECT_EQ(stack.size(), 8U);
}

TEST(PageStack, HasTheDistancesOfAList) {
  std::mt19937_64 random(5);
  PageStack stack;
  PlainStack plain;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t page = random() % (i % 100 < 90 ? 12 : 500);
    ASSERT_EQ(stack.Use(page), plain.Use(page)) << i;
    ASSERT_EQ(stack.Last(), page);
  }
}

}  // namespace
}  // namespace tare::reuse
