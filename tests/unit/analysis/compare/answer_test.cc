// answer_test.cc: tests of answer.h, with simulated times.
#include "analysis/compare/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "tests/unit/stats/simulation.h"

namespace tare::compare {
namespace {

using stats::Generator;

// A machine on which the same program takes other times from run to run.
struct Machine {
  double correlation = 0;  // of the logarithm of the speed from one run to the next
  double noise = 0.03;     // standard deviation of that logarithm
  double spikes = 0;       // probability that a run is disturbed
  double layout = 0;       // standard deviation of the layout's effect on each program
};

// Simulates rounds as RoundRunner runs them: random order, then its reverse.
class Simulation {
 public:
  Simulation(const Machine& machine, double ratio, std::uint64_t seed)
      : machine_(machine), ratio_(ratio), generator_(seed) {}

  void AddLayout() {
    const std::size_t layout = ++layouts_;
    const double effects[] = {machine_.layout * stats::DrawNormal(generator_),
                              machine_.layout * stats::DrawNormal(generator_)};
    bool second_first = generator_.Below(2) == 1;
    for (int round = 0; round < 2; ++round) {
      Round timed{layout, 0, {0, 0}};
      for (int run = 0; run < 2; ++run) {
        const std::size_t command = (run == 1) != second_first ? 1 : 0;
        timed.seconds[command] =
            0.01 * (command == 1 ? ratio_ : 1) * std::exp(Disturbance() + effects[command]);
      }
      rounds.push_back(timed);
      second_first = !second_first;
    }
  }

  std::vector<Round> rounds;

 private:
  double Disturbance() {
    state_ =
        machine_.correlation * state_ +
        std::sqrt(1 - machine_.correlation * machine_.correlation) * stats::DrawNormal(generator_);
    double logarithm = machine_.noise * state_;
    // Skewed: an interruption only makes a run longer.
    if (generator_.Unit() < machine_.spikes) logarithm += 0.3 * stats::DrawExponential(generator_);
    return logarithm;
  }

  Machine machine_;
  double ratio_;
  Generator generator_;
  double state_ = 0;
  std::size_t layouts_ = 0;
};

// The whole procedure: pilot, decision, plan, final decision.
Measured Decide(Simulation& simulation, double detect, Answer& answer) {
  const LookLevels levels = LevelsFor(0.95, 1);
  for (int i = 0; i < 12; ++i) simulation.AddLayout();
  auto ratios = LogRatios(simulation.rounds, 1, Unit::kLayout);
  Measured ratio = *RatioOf(ratios, levels.pilot);
  answer = AnswerOf(ratio, detect);
  const double difference = std::abs(ratio.Value() - 1);
  if (answer != Answer::kUndecided && ratio.HalfWidth() <= std::max(detect, difference / 5)) {
    return ratio;
  }
  const double wanted = std::min(200.0, *UnitsNeeded(ratios, detect, levels.final));
  for (double i = 12; i < wanted; ++i) simulation.AddLayout();
  ratio = *RatioOf(LogRatios(simulation.rounds, 1, Unit::kLayout), levels.final);
  answer = AnswerOf(ratio, detect);
  return ratio;
}

const Machine kMachines[] = {
    {.noise = 0.02},
    {.noise = 0.02, .spikes = 0.2},
    {.correlation = 0.9, .noise = 0.05},
    {.correlation = 0.5, .noise = 0.03, .spikes = 0.1},
    {.correlation = 0.5, .noise = 0.01, .spikes = 0.05, .layout = 0.03},
};

TEST(Comparison, ClaimsNoDifferenceOfAProgramFromItself) {
  constexpr int kTrials = 600;
  for (const Machine& machine : kMachines) {
    int claims = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Simulation simulation(machine, 1, static_cast<std::uint64_t>(trial + 1));
      Answer answer = Answer::kUndecided;
      Decide(simulation, 0.01, answer);
      claims += answer == Answer::kFaster || answer == Answer::kSlower;
    }
    EXPECT_TRUE(stats::IsRate(claims, kTrials, 0.02, 0.05)) << claims;
  }
}

TEST(Comparison, CoversAKnownDifference) {
  constexpr int kTrials = 400;
  for (const Machine& machine : kMachines) {
    for (const double ratio : {1.005, 1.02, 1.05, 0.8}) {
      int covered = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        Simulation simulation(machine, ratio, static_cast<std::uint64_t>(1000 + trial));
        Answer answer = Answer::kUndecided;
        covered += Decide(simulation, 0.01, answer).Contains(ratio);
      }
      EXPECT_TRUE(stats::IsRate(covered, kTrials, 0.93, 0.97)) << covered << " at " << ratio;
    }
  }
}

TEST(Comparison, FindsTheDifferenceThatItWasPlannedFor) {
  constexpr int kTrials = 300;
  int found = 0;
  int equal = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Answer answer = Answer::kUndecided;
    Simulation slower(kMachines[0], 1.01, static_cast<std::uint64_t>(trial + 1));
    Decide(slower, 0.01, answer);
    found += answer == Answer::kSlower;
    Simulation same(kMachines[0], 1, static_cast<std::uint64_t>(trial + 1));
    Decide(same, 0.01, answer);
    equal += answer == Answer::kEqual;
  }
  EXPECT_GT(found, 0.8 * kTrials);
  EXPECT_GT(equal, 0.7 * kTrials);
}

TEST(AnswerOf, ReadsTheIntervalOnly) {
  EXPECT_EQ(AnswerOf(Between(0.9, 0.88, 0.95, 0.95), 0.01), Answer::kFaster);
  EXPECT_EQ(AnswerOf(Between(1.1, 1.05, 1.2, 0.95), 0.01), Answer::kSlower);
  EXPECT_EQ(AnswerOf(Between(1, 0.995, 1.004, 0.95), 0.01), Answer::kEqual);
  EXPECT_EQ(AnswerOf(Between(1, 0.98, 1.004, 0.95), 0.01), Answer::kUndecided);
}

TEST(LayoutEffect, IsFoundWhereThereIsOne) {
  Simulation with({.noise = 0.005, .layout = 0.05}, 1, 1);
  Simulation without({.noise = 0.02}, 1, 1);
  for (int i = 0; i < 24; ++i) {
    with.AddLayout();
    without.AddLayout();
  }
  const auto found = LayoutEffectOf(with.rounds, 1);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->matters);
  EXPECT_LT(found->low, 0.95);
  EXPECT_GT(found->high, 1.05);
  EXPECT_FALSE(LayoutEffectOf(without.rounds, 1)->matters);
}

TEST(LogRatios, AverageTheRoundsOfAUnit) {
  const std::vector<Round> rounds = {{1, 0, {1, 2}}, {1, 0, {1, 8}}, {2, 1, {1, 1}}};
  const auto by_layout = LogRatios(rounds, 1, Unit::kLayout);
  ASSERT_EQ(by_layout.size(), 2u);
  EXPECT_NEAR(by_layout[0], std::log(4), 1e-12);
  EXPECT_EQ(LogRatios(rounds, 1, Unit::kRound).size(), 3u);
  EXPECT_EQ(LogRatios(rounds, 1, Unit::kBuild).size(), 2u);
}

}  // namespace
}  // namespace tare::compare
