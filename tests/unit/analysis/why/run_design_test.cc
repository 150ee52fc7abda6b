// run_design_test.cc: tests the experimental design on synthetic responses with known causes.
#include "analysis/why/run_design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stats/distribution.h"
#include "stats/random.h"

namespace tare::why {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<FactorLevels> kFactors = {
    {Factor::kStack, 16},      {Factor::kHeap, 16},      {Factor::kMappings, 16},
    {Factor::kEnvironment, 8}, {Factor::kArgv0, 8},      {Factor::kDirectory, 8},
    {Factor::kDispatch, 1},    {Factor::kProcessId, 16}, {Factor::kTime, 16},
    {Factor::kRandom, 16},     {Factor::kSystem, 16},
};

unsigned LevelOf(const Levels& levels, Factor factor) {
  const auto found = levels.find(factor);
  return found == levels.end() ? 0 : found->second;
}

Findings Find(const Measure& measure, std::uint64_t seed = 1) {
  auto findings = FindCauses(kFactors, measure, {.seed = seed}, NoProgress);
  EXPECT_TRUE(findings) << findings.error().message;
  return findings.value_or(Findings{});
}

std::vector<std::vector<Factor>> Significant(const Findings& findings) {
  std::vector<std::vector<Factor>> named;
  for (const Cause& cause : findings.causes) {
    if (cause.significant) named.push_back(cause.factors);
  }
  return named;
}

// Approximately normal, with variance 1.
double Noise(stats::Generator& generator) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += generator.Unit();
  return sum;
}

TEST(FindCauses, ClearsAProgramThatNothingMovesInElevenRuns) {
  const Findings findings = Find([](const Levels&) -> Result<double> { return 1000; });
  EXPECT_TRUE(findings.repeats);
  EXPECT_THAT(findings.causes, IsEmpty());
  EXPECT_EQ(findings.cleared.size(), kFactors.size());
  EXPECT_EQ(findings.runs, 11);
}

TEST(FindCauses, NamesEachSingleFactor) {
  for (const FactorLevels& entry : kFactors) {
    const Findings findings = Find([&](const Levels& levels) -> Result<double> {
      return 1000 + 3.0 * LevelOf(levels, entry.factor);
    });
    EXPECT_THAT(Significant(findings), ElementsAre(ElementsAre(entry.factor)));
    EXPECT_EQ(findings.cleared.size(), kFactors.size() - 1);
    EXPECT_LT(findings.runs, 70) << Text(entry.factor).id;
  }
}

TEST(FindCauses, FindsAnEffectThatOnlyOneLevelInEightHas) {
  const Findings findings = Find([](const Levels& levels) -> Result<double> {
    return LevelOf(levels, Factor::kHeap) % 8 == 5 ? 1001 : 1000;
  });
  EXPECT_THAT(Significant(findings), ElementsAre(ElementsAre(Factor::kHeap)));
  EXPECT_EQ(findings.causes[0].largest, 1);
}

TEST(FindCauses, FindsOneOfTwoLevels) {
  const std::vector<FactorLevels> factors = {{Factor::kDispatch, 2}, {Factor::kArgv0, 8}};
  const auto findings = FindCauses(
      factors,
      [](const Levels& levels) -> Result<double> {
        return LevelOf(levels, Factor::kDispatch) == 2 ? 1008 : 1000;
      },
      {}, NoProgress);
  ASSERT_TRUE(findings);
  EXPECT_THAT(Significant(*findings), ElementsAre(ElementsAre(Factor::kDispatch)));
}

// One of few levels changes much: an interval over the levels would contain 0.
TEST(FindCauses, FewUnequalLevelsAreACauseBeyondNoise) {
  stats::Generator noise(5);
  const std::vector<FactorLevels> factors = {{Factor::kNeighbour, 2}, {Factor::kRandom, 16}};
  const auto findings = FindCauses(
      factors,
      [&](const Levels& levels) -> Result<double> {
        const unsigned random = LevelOf(levels, Factor::kRandom);
        return 1000 + (LevelOf(levels, Factor::kNeighbour) == 2 ? 800 : 0) +
               (random % 3 == 1 ? 300 : 0) + 5 * Noise(noise);
      },
      {.min_effect = 0.001}, NoProgress);
  ASSERT_TRUE(findings);
  // What the machine does comes last, although it does more.
  ASSERT_THAT(Significant(*findings),
              ElementsAre(ElementsAre(Factor::kRandom), ElementsAre(Factor::kNeighbour)));
  EXPECT_GT(findings->causes[0].effect.Low(), 50);
  EXPECT_NEAR(findings->causes[1].effect.Value(), 400, 20);
  EXPECT_GT(findings->causes[1].effect.Low(), 350);
}

// 9 of 10,000 is less than a thousandth, 10 is not.
TEST(FindCauses, AnEffectBelowTheFloorIsRealAndNoCause) {
  for (const double change : {9.0, 10.0}) {
    const auto findings = FindCauses(
        kFactors,
        [&](const Levels& levels) -> Result<double> {
          return 10000.0 - (LevelOf(levels, Factor::kDispatch) > 0 ? change : 0) +
                 100 * LevelOf(levels, Factor::kStack);
        },
        {.min_effect = 0.001}, NoProgress);
    ASSERT_TRUE(findings);
    ASSERT_EQ(findings->causes.size(), 2);
    const Cause& dispatch = findings->causes[1];
    EXPECT_THAT(dispatch.factors, ElementsAre(Factor::kDispatch));
    EXPECT_LE(dispatch.p, 0.05);
    EXPECT_EQ(dispatch.negligible, change < 10);
    EXPECT_EQ(dispatch.significant, change == 10);
    EXPECT_TRUE(findings->causes[0].significant);
    EXPECT_FALSE(findings->causes[0].negligible);
  }
}

// The mean over the levels is far below the floor; one level is above it.
TEST(FindCauses, TheFloorIsForTheLargestChange) {
  const auto findings = FindCauses(
      kFactors,
      [](const Levels& levels) -> Result<double> {
        return LevelOf(levels, Factor::kHeap) % 8 == 5 ? 10020 : 10000;
      },
      {.min_effect = 0.001}, NoProgress);
  ASSERT_TRUE(findings);
  EXPECT_THAT(Significant(*findings), ElementsAre(ElementsAre(Factor::kHeap)));
  EXPECT_LT(findings->causes[0].effect.Value(), 10);
}

TEST(FindCauses, NoEffectIsNotNegligibleButNone) {
  stats::Generator generator(7);
  const auto findings = FindCauses(
      kFactors, [&](const Levels&) -> Result<double> { return 1e6 + Noise(generator); },
      {.min_effect = 0.001}, NoProgress);
  ASSERT_TRUE(findings);
  for (const Cause& cause : findings->causes) EXPECT_FALSE(cause.negligible);
  EXPECT_TRUE(findings->negligible_scatter);
}

TEST(FindCauses, ScatterAboveTheFloorIsNotNegligible) {
  stats::Generator generator(7);
  const auto findings = FindCauses(
      kFactors, [&](const Levels&) -> Result<double> { return 1000 + Noise(generator); },
      {.min_effect = 0.001}, NoProgress);
  ASSERT_TRUE(findings);
  EXPECT_FALSE(findings->negligible_scatter);
}

TEST(FindCauses, RanksSeveralByTheirEffect) {
  const Findings findings = Find([](const Levels& levels) -> Result<double> {
    return 1000.0 + LevelOf(levels, Factor::kTime) + 100 * LevelOf(levels, Factor::kStack);
  });
  EXPECT_THAT(Significant(findings),
              ElementsAre(ElementsAre(Factor::kStack), ElementsAre(Factor::kTime)));
}

TEST(FindCauses, NamesAPairThatActsOnlyTogether) {
  const Findings findings = Find([](const Levels& levels) -> Result<double> {
    const bool both = LevelOf(levels, Factor::kStack) > 0 && LevelOf(levels, Factor::kRandom) > 0;
    return both ? 1500 : 1000;
  });
  EXPECT_THAT(Significant(findings), ElementsAre(ElementsAre(Factor::kStack, Factor::kRandom)));
}

TEST(FindCauses, TheEffectOfATwoLevelFactorHasItsSign) {
  const Findings findings = Find([](const Levels& levels) -> Result<double> {
    return 1000.0 - 40 * LevelOf(levels, Factor::kDispatch);
  });
  ASSERT_EQ(findings.causes.size(), 1);
  EXPECT_EQ(findings.causes[0].effect.Value(), -40);
  EXPECT_EQ(findings.causes[0].effect.Low(), -40);
}

TEST(FindCauses, FindsACauseBelowTheNoiseOfSingleRuns) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    stats::Generator generator(seed);
    const Findings findings = Find(
        [&](const Levels& levels) -> Result<double> {
          return 1000 + 2 * Noise(generator) + (LevelOf(levels, Factor::kDispatch) > 0 ? 6 : 0);
        },
        seed);
    EXPECT_FALSE(findings.repeats);
    if (Significant(findings) == std::vector<std::vector<Factor>>{{Factor::kDispatch}}) ++found;
  }
  EXPECT_GE(found, 18);
}

// One run in ten takes much longer. With differences of means instead of medians, fewer than half
// of these causes were found.
TEST(FindCauses, FindsACauseDespiteOutliers) {
  for (const Factor cause : {Factor::kDispatch, Factor::kHeap}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      stats::Generator generator(seed);
      const auto noise = [&generator] {
        const double usual = Noise(generator);
        return generator.Below(10) == 0 ? usual + std::abs(20 * Noise(generator)) : usual;
      };
      const Findings findings = Find(
          [&](const Levels& levels) -> Result<double> {
            return 1000 + noise() + (LevelOf(levels, cause) > 0 ? 3 : 0);
          },
          seed);
      EXPECT_NEAR(findings.detectable, 0.0035, 0.002);
      if (Significant(findings) == std::vector<std::vector<Factor>>{{cause}}) ++found;
    }
    EXPECT_GE(found, 19) << Text(cause).id;
  }
}

// There are too few runs for an interval by ranks then; the search must not fail.
TEST(FindCauses, AcceptsASmallAlpha) {
  for (const double alpha : {1e-3, 1e-6}) {
    stats::Generator generator(1);
    const auto findings = FindCauses(
        {{Factor::kDispatch, 1}},
        [&](const Levels& levels) -> Result<double> {
          return 1000 + Noise(generator) + (LevelOf(levels, Factor::kDispatch) > 0 ? 20 : 0);
        },
        {.alpha = alpha}, NoProgress);
    ASSERT_TRUE(findings) << findings.error().message;
    ASSERT_EQ(findings->causes.size(), 1);
    EXPECT_TRUE(findings->causes[0].effect.Contains(20));
  }
}

// Noise of several kinds, without a cause: the probability of any alarm is at most alpha.
TEST(FindCauses, RaisesNoMoreFalseAlarmsThanAlpha) {
  int alarms = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    stats::Generator generator(static_cast<std::uint64_t>(trial) + 100);
    double drift = 0;
    const Findings findings = Find(
        [&](const Levels&) -> Result<double> {
          if (trial % 3 == 0) return 1000 + Noise(generator);
          if (trial % 3 == 1) return 1000 + std::exp(1.5 * Noise(generator));
          drift += 0.05;  // a machine that slows down, in ticks
          return 1000 + std::round(drift + Noise(generator));
        },
        static_cast<std::uint64_t>(trial) + 1);
    if (!Significant(findings).empty()) ++alarms;
  }
  RecordProperty("alarms", alarms);
  EXPECT_GT(stats::BinomialAtLeast(alarms, kTrials, 0.05), 0.001) << alarms;
}

// Rare differences that are independent of all factors, as from threads: no factor may be blamed.
TEST(FindCauses, BlamesNoFactorForRareScatter) {
  int alarms = 0;
  int seen = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    stats::Generator generator(static_cast<std::uint64_t>(trial) + 1000);
    const Findings findings = Find(
        [&](const Levels&) -> Result<double> { return generator.Below(10) == 0 ? 1001 : 1000; },
        static_cast<std::uint64_t>(trial) + 1);
    if (!Significant(findings).empty()) ++alarms;
    if (!findings.repeats) ++seen;
  }
  EXPECT_GT(stats::BinomialAtLeast(alarms, kTrials, 0.05), 0.001) << alarms;
  EXPECT_GT(seen, kTrials / 2);
}

TEST(FindCauses, StopsWhenTheBudgetIsSpentAndSaysWhatIsLeft) {
  std::size_t runs = 0;
  const auto findings = FindCauses(
      kFactors,
      [&](const Levels& levels) -> Result<double> {
        ++runs;
        return 1000.0 + LevelOf(levels, Factor::kRandom);
      },
      {.fits = [&](std::size_t more) { return runs + more <= 5; }}, NoProgress);
  ASSERT_TRUE(findings);
  EXPECT_TRUE(findings->out_of_budget);
  EXPECT_GT(findings->unaffordable_runs, 0U);
  EXPECT_THAT(findings->causes, IsEmpty());
  ASSERT_EQ(findings->cleared.size(), kFactors.size());
  EXPECT_EQ(findings->cleared[0].levels, 0);
}

// Noise of half the response hides large effects: one screening is not enough while budget is left.
TEST(FindCauses, GoesOnWhileALargeEffectMayBeMissed) {
  int larger = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto search = [&](std::size_t max_runs) {
      stats::Generator generator(seed);
      std::size_t runs = 0;
      const auto findings = FindCauses(
          kFactors,
          [&](const Levels&) -> Result<double> {
            ++runs;
            return 1000 + 1000 * generator.Unit();
          },
          {.seed = seed, .fits = [&](std::size_t more) { return runs + more <= max_runs; }},
          NoProgress);
      EXPECT_TRUE(findings);
      return findings.value_or(Findings{});
    };
    const Findings cut = search(30);
    if (!cut.out_of_budget || !cut.causes.empty() || cut.cleared.front().levels == 0) continue;
    const Findings whole = search(1000);
    EXPECT_EQ(cut.runs, 27);
    EXPECT_GT(whole.runs, cut.runs);
    ++larger;
  }
  EXPECT_GT(larger, 3);
}

// Responses that repeat, that scatter, and that begin to scatter, at every budget.
TEST(FindCauses, BeginsNoRunThatDoesNotFit) {
  for (const double noise : {0.0, 2.0, 0.1}) {
    for (std::size_t max_runs = 3; max_runs < 160; ++max_runs) {
      stats::Generator generator(max_runs);
      std::size_t runs = 0;
      const auto findings = FindCauses(
          kFactors,
          [&](const Levels& levels) -> Result<double> {
            ++runs;
            return 1000 + std::round(noise * Noise(generator)) +
                   50 * (LevelOf(levels, Factor::kHeap) % 8) + 90 * LevelOf(levels, Factor::kTime);
          },
          {.fits = [&](std::size_t more) { return runs + more <= max_runs; }}, NoProgress);
      ASSERT_TRUE(findings) << findings.error().message;
      EXPECT_LE(runs, max_runs);
      EXPECT_EQ(findings->runs, runs);
      EXPECT_EQ(findings->samples.size(), runs);
      // Each factor is a candidate or is said to be untested or without effect.
      std::size_t named = findings->cleared.size();
      for (const Cause& cause : findings->causes) named += cause.factors.size();
      EXPECT_EQ(named, kFactors.size()) << max_runs;
    }
  }
}

TEST(FindCauses, TooFewRunsForTheFixedSetupAreNoAnswer) {
  std::size_t runs = 0;
  const auto findings = FindCauses(
      kFactors,
      [&](const Levels&) -> Result<double> {
        ++runs;
        return 1000;
      },
      {.fits = [&](std::size_t more) { return runs + more <= 2; }}, NoProgress);
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().kind, ErrorKind::kTimedOut);
}

TEST(FindCauses, ARunThatTheBudgetEndedIsNoFailure) {
  std::size_t runs = 0;
  bool spent = false;
  const auto findings = FindCauses(
      kFactors,
      [&](const Levels&) -> Result<double> {
        spent = ++runs == 6;
        if (spent) return Fail(ErrorKind::kTimedOut, "ended");
        return 1000;
      },
      {.fits = [&](std::size_t) { return !spent; }}, NoProgress);
  ASSERT_TRUE(findings);
  EXPECT_TRUE(findings->out_of_budget);
  // Two levels were seen to change nothing.
  EXPECT_EQ(findings->cleared[0].levels, 2);
}

// A budget that is too short for eight levels is enough for the one that changed.
TEST(FindCauses, ConfirmsAtOneLevelWhereTheBudgetIsShort) {
  const std::vector<FactorLevels> factors = {{Factor::kHeap, 16}};
  for (const std::size_t max_runs : {15UZ, 27UZ}) {
    std::size_t runs = 0;
    const auto findings = FindCauses(
        factors,
        [&](const Levels& levels) -> Result<double> {
          ++runs;
          return 1000.0 + LevelOf(levels, Factor::kHeap);
        },
        {.fits = [&](std::size_t more) { return runs + more <= max_runs; }}, NoProgress);
    ASSERT_TRUE(findings);
    EXPECT_THAT(Significant(*findings), ElementsAre(ElementsAre(Factor::kHeap)));
    EXPECT_EQ(findings->causes[0].levels, max_runs == 15 ? 1 : 8);
  }
}

TEST(FindCauses, AFailedRunIsTheAnswer) {
  const auto findings = FindCauses(
      kFactors, [](const Levels&) -> Result<double> { return Fail(ErrorKind::kNotFound, "gone"); },
      {}, NoProgress);
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().message, "gone");
}

TEST(FindCauses, StopsWhenTheUserSaysSo) {
  const auto findings = FindCauses(
      kFactors, [](const Levels&) -> Result<double> { return 1; }, {},
      [](double, std::string_view) { return false; });
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace tare::why
