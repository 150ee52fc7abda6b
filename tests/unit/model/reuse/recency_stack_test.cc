// recency_stack_test.cc: stacks and page distances give the same distances as a list.
#include "model/reuse/recency_stack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "model/reuse/page_distances.h"
#include "plain_stacks.h"

namespace tare::reuse {
namespace {

TEST(RecencyStack, HasTheDistancesOfAList) {
  std::mt19937_64 random(3);
  RecencyStack stack;
  PlainStack plain;
  // Few keys first and many later, so that times run out before and after the tree has grown.
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t key = random() % (i < 8000 ? 100 : 3000);
    ASSERT_EQ(stack.Use(key), plain.Use(key)) << i;
  }
}

TEST(RecencyStack, TouchUsesAKeyWithoutANumber) {
  std::mt19937_64 random(4);
  RecencyStack stack;
  PlainStack plain;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // Often the key used last, which keeps its time.
    const std::uint64_t key = random() % 4 == 0 ? i / 4 % 50 : random() % 500;
    const auto expected = plain.Use(key);
    if (random() % 2 == 0) {
      stack.Touch(key);
    } else {
      ASSERT_EQ(stack.Use(key), expected) << i;
    }
  }
}

TEST(RecencyStack, ForgetsKeysAndKeepsTheOrderOfTheOthers) {
  RecencyStack stack;
  for (std::uint64_t key = 0; key < 100; ++key) stack.Use(key);
  stack.Keep([](std::uint64_t key) { return key % 10 == 0; });
  EXPECT_EQ(stack.size(), 10U);
  EXPECT_EQ(stack.Remove(1), std::nullopt);
  EXPECT_EQ(stack.Remove(70), 2U);
  EXPECT_EQ(stack.Remove(0), 8U);
  EXPECT_EQ(stack.size(), 8U);
}

TEST(RecencyStack, ForgetsARemovedKey) {
  RecencyStack stack;
  for (std::uint64_t key = 0; key < 5; ++key) stack.Use(key);
  EXPECT_EQ(stack.Remove(3), 1U);
  EXPECT_EQ(stack.Remove(3), std::nullopt);
  EXPECT_EQ(stack.Use(3), std::nullopt);
  EXPECT_EQ(stack.Use(2), 2U);
}

TEST(PageDistances, AreThoseOfAListWithOneEntry) {
  std::mt19937_64 random(5);
  PageDistances pages(1);
  PlainStack plain;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t page = random() % (i % 100 < 90 ? 12 : 500);
    const auto expected = plain.Use(page);
    ASSERT_EQ(pages.IsRecent(page), expected == 0U) << i;
    if (pages.IsRecent(page)) continue;
    ASSERT_EQ(pages.Use(page), expected) << i;
  }
}

// Pages in the table are not passed; what is passed is too far by less than the entries.
TEST(PageDistances, AreTooLongByLessThanTheEntries) {
  std::mt19937_64 random(5);
  PageDistances pages(8);
  PlainStack plain;
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t page = random() % 500;
    const auto expected = plain.Use(page);
    if (pages.IsRecent(page)) continue;
    const auto distance = pages.Use(page);
    ASSERT_EQ(distance.has_value(), expected.has_value());
    if (!distance) continue;
    ++passed;
    // Pages may have been in the table while others were used.
    ASSERT_NEAR(static_cast<double>(*distance), static_cast<double>(*expected), 60) << i;
  }
  EXPECT_GT(passed, 10000U);
}

}  // namespace
}  // namespace tare::reuse
