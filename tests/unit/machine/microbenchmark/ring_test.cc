// ring_test.cc: tests that the ring is one cycle through all elements, drawn uniformly from all
// cycles.
#include "machine/microbenchmark/ring.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace tare::microbenchmark {
namespace {

std::vector<std::byte> Memory(std::size_t bytes) { return std::vector<std::byte>(bytes); }

std::byte* NextOf(const std::byte* place) {
  std::byte* next = nullptr;
  std::memcpy(&next, place, sizeof next);
  return next;
}

void SetNext(std::byte* place, std::byte* next) { std::memcpy(place, &next, sizeof next); }

// Returns the elements' offsets in the order of the walk.
std::vector<std::ptrdiff_t> Order(const Ring& ring, const std::vector<std::byte>& memory) {
  std::vector<std::ptrdiff_t> order;
  const std::byte* at = ring.start();
  for (std::uint64_t i = 0; i < ring.places(); ++i, at = NextOf(at))
    order.push_back(at - memory.data());
  return order;
}

TEST(Ring, IsOneCycleForEveryNumberOfPlaces) {
  std::vector<std::byte> memory = Memory(500 * 64);
  Ring ring(memory, 64, 7);
  for (std::uint64_t places = 1; places <= 500; ++places) {
    ring.GrowTo(places);
    ASSERT_EQ(ring.places(), places);
    ASSERT_TRUE(ring.IsOneCycle()) << places;
  }
  EXPECT_EQ(ring.max_places(), 500U);
}

TEST(Ring, GrownAtOnceIsTheSameAsGrownStepByStep) {
  std::vector<std::byte> memory = Memory(300 * 16);
  std::vector<std::byte> other = Memory(300 * 16);
  Ring steps(memory, 16, 3);
  for (std::uint64_t places = 2; places <= 300; ++places) steps.GrowTo(places);
  Ring once(other, 16, 3);
  once.GrowTo(300);
  EXPECT_EQ(Order(steps, memory), Order(once, other));
}

TEST(Ring, VisitsEveryPlaceOfTheFront) {
  std::vector<std::byte> memory = Memory(100 * 128);
  Ring ring(memory, 128, 5);
  ring.GrowTo(60);
  std::set<std::ptrdiff_t> expected;
  for (std::ptrdiff_t i = 0; i < 60; ++i) expected.insert(i * 128);
  const std::vector<std::ptrdiff_t> order = Order(ring, memory);
  EXPECT_EQ(std::set<std::ptrdiff_t>(order.begin(), order.end()), expected);
}

TEST(Ring, SkewMovesPlacesInsideTheirSpacing) {
  std::vector<std::byte> memory = Memory(100 * 4096);
  Ring ring(memory, 4096, 5, 64);
  ring.GrowTo(100);
  ASSERT_TRUE(ring.IsOneCycle());
  std::set<std::ptrdiff_t> expected;
  for (std::ptrdiff_t i = 0; i < 100; ++i) expected.insert(i * 4096 + (i * 64) % 4096);
  const std::vector<std::ptrdiff_t> order = Order(ring, memory);
  EXPECT_EQ(std::set<std::ptrdiff_t>(order.begin(), order.end()), expected);
}

// Four elements have six cycles; 20.5 is the 0.999 quantile of chi-squared with 5 degrees of
// freedom.
TEST(Ring, IsDrawnEvenlyFromAllCycles) {
  constexpr int kRings = 6000;
  std::map<std::vector<std::ptrdiff_t>, int> seen;
  for (int seed = 0; seed < kRings; ++seed) {
    std::vector<std::byte> memory = Memory(4 * 8);
    Ring ring(memory, 8, static_cast<std::uint64_t>(seed));
    ring.GrowTo(4);
    ++seen[Order(ring, memory)];
  }
  ASSERT_EQ(seen.size(), 6U);
  double chi_squared = 0;
  for (const auto& [order, count] : seen)
    chi_squared += (count - kRings / 6.0) * (count - kRings / 6.0) / (kRings / 6.0);
  EXPECT_LT(chi_squared, 20.5);
}

TEST(Ring, AShorterCycleIsSeen) {
  std::vector<std::byte> memory = Memory(50 * 8);
  Ring ring(memory, 8, 5);
  ring.GrowTo(50);
  std::byte* const second = NextOf(ring.start());
  std::byte* const third = NextOf(second);
  SetNext(ring.start(), third);
  EXPECT_FALSE(ring.IsOneCycle());
  SetNext(ring.start(), second);
  EXPECT_TRUE(ring.IsOneCycle());
  SetNext(second, second);
  EXPECT_FALSE(ring.IsOneCycle());
}

TEST(Ring, AWayOutIsSeen) {
  std::vector<std::byte> memory = Memory(50 * 8);
  Ring ring(memory, 8, 5);
  ring.GrowTo(40);
  for (const std::ptrdiff_t offset : {41 * 8, 50 * 8, 12}) {
    std::byte* const wrong = memory.data() + offset;
    std::byte* const right = NextOf(ring.start());
    SetNext(ring.start(), wrong);
    EXPECT_FALSE(ring.IsOneCycle()) << offset;
    SetNext(ring.start(), right);
  }
}

}  // namespace
}  // namespace tare::microbenchmark
