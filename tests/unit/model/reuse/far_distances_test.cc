// far_distances_test.cc: exact when every line is sampled, and within its own error otherwise.
#include "model/reuse/far_distances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "plain_stacks.h"

namespace tare::reuse {
namespace {

// Bins of 256 lines.
std::size_t Bin(std::uint64_t distance) { return std::min<std::uint64_t>(distance / 256, 200); }

FarPlan Plan(unsigned rate_bits, std::uint64_t seed, std::uint64_t max_lines = 1 << 20) {
  return {.rate_bits = rate_bits, .max_lines = max_lines, .seed = seed, .bin = Bin};
}

// References to lines: sweeps over 8,192 lines, and random ones among 30,000.
std::vector<std::uint64_t> Lines(std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> lines;
  for (std::size_t i = 0; i < count; ++i)
    lines.push_back(i % 2 == 0 ? i / 2 % 8192 : 100'000 + random() % 30'000);
  return lines;
}

// References at each bin or beyond; the last are first references.
std::vector<double> Beyond(const FarDistances::Estimate& estimate, std::size_t bins) {
  std::vector<double> beyond(bins + 1, estimate.cold);
  for (std::size_t bin = bins; bin-- > 0;) {
    const auto& at = estimate.at_distance;
    beyond[bin] = beyond[bin + 1] + (bin < at.size() ? at[bin] : 0);
  }
  return beyond;
}

std::vector<double> ExactBeyond(const std::vector<std::uint64_t>& lines, std::size_t bins) {
  RecencyStack stack;
  FarDistances::Estimate exact;
  exact.at_distance.resize(bins);
  for (const std::uint64_t line : lines) {
    const auto distance = stack.Use(line);
    distance ? exact.at_distance[Bin(*distance)] += 1 : exact.cold += 1;
  }
  return Beyond(exact, bins);
}

void Feed(FarDistances& far, const std::vector<std::uint64_t>& lines) {
  for (const std::uint64_t line : lines)
    if (far.IsSampled(line)) far.Reference(line, 3);
}

constexpr std::size_t kBins = 201;

TEST(FarDistances, AreExactIfAllLinesAreSampled) {
  const auto lines = Lines(100'000);
  FarDistances far(Plan(0, 1));
  Feed(far, lines);
  const auto estimates = far.Estimates();
  ASSERT_EQ(estimates.size(), 1U);
  EXPECT_EQ(estimates[0].first, 3U);
  EXPECT_EQ(Beyond(estimates[0].second, kBins), ExactBeyond(lines, kBins));
  EXPECT_EQ(far.Share(), 1);
}

// The mean square of the estimate minus the truth, in units of its own standard error, over 40
// seeds.
double MeanSquareOf(std::size_t bin) {
  const auto lines = Lines(100'000);
  const double exact = ExactBeyond(lines, kBins)[bin];
  double squares = 0;
  constexpr int kSeeds = 40;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    FarDistances far(Plan(5, static_cast<std::uint64_t>(seed)));
    Feed(far, lines);
    const auto estimate = far.Estimates().at(0).second;
    const auto& errors = estimate.beyond_error;
    const double error = errors[std::min(bin, errors.size() - 1)];
    EXPECT_GT(error, 0);
    const double difference = Beyond(estimate, kBins)[bin] - exact;
    squares += difference * difference / (error * error) / kSeeds;
  }
  return squares;
}

// It is 1 if the error is right. With 7 degrees of freedom each square has mean 7/5, so the mean of
// 40 is within 0.5 and 2.6 with a probability of more than 0.999.
TEST(FarDistances, StateTheirOwnError) {
  for (const std::size_t bin : {std::size_t{16}, kBins}) {
    EXPECT_GT(MeanSquareOf(bin), 0.5) << bin;
    EXPECT_LT(MeanSquareOf(bin), 2.6) << bin;
  }
}

// The sweeps all have a distance of about 15,350 lines (8,192 lines and those of 8,192 random
// references to 30,000), which is estimated to 690: in some samples it is on the other side of
// 15,104, 15,360, 15,616 or 16,384, with all of its 42,000 references.
TEST(FarDistances, StateTheErrorOfTheDistanceItself) {
  for (const std::size_t bin : {std::size_t{59}, std::size_t{60}, std::size_t{61}, std::size_t{64}})
    EXPECT_LT(MeanSquareOf(bin), 4) << bin;
}

TEST(FarDistances, SampleFewerLinesWhenThereAreTooMany) {
  const auto lines = Lines(100'000);
  FarDistances far(Plan(0, 1, 5000));
  Feed(far, lines);
  EXPECT_LE(far.Lines(), 5000U);
  EXPECT_LT(far.Share(), 1);
  // About 38,000 lines: a share of 1/8 leaves 4,750.
  EXPECT_GE(far.Share(), 1.0 / 16);
  const auto estimate = far.Estimates().at(0).second;
  const double cold = ExactBeyond(lines, kBins).back();
  EXPECT_NEAR(estimate.cold, cold, 0.1 * cold);
}

TEST(FarDistances, ATouchedLineIsRecentButNotCounted) {
  FarDistances far(Plan(0, 1));
  far.Reference(1, 0);
  for (std::uint64_t line = 1000; line < 2000; ++line) far.Reference(line, 0);
  far.Touch(1);
  far.Reference(1, 7);
  const auto estimates = far.Estimates();
  ASSERT_EQ(estimates.size(), 2U);
  EXPECT_EQ(estimates[1].first, 7U);
  EXPECT_EQ(estimates[1].second.at_distance, std::vector<double>{1});
  EXPECT_EQ(estimates[0].second.cold, 1001);
}

}  // namespace
}  // namespace tare::reuse
