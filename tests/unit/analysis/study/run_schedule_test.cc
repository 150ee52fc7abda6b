// run_schedule_test.cc: the order of runs, and the rules that stop them.
#include "analysis/study/run_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

Study WithRuns(const std::string& top, const std::string& end = "") {
  return Parsed("format = 1\n" + top +
                "\n[[program]]\nname = \"a\"\ncommand = \"echo {n}\"\n[parameters]\n"
                "n = [1, 2, 3, 4, 5]\n" +
                end);
}

// Executes all runs; `seconds` gives the time of each.
template <typename Seconds>
std::vector<PlannedRun> Execute(RunSchedule& schedule, Seconds seconds, std::size_t at_once = 1) {
  std::vector<PlannedRun> order;
  while (true) {
    const auto next = schedule.Next(at_once);
    if (next.empty()) return order;
    for (const PlannedRun& run : next) {
      const double value = seconds(run);
      schedule.Add({run, value > 0, value, value});
      order.push_back(run);
    }
  }
}

double OneSecond(const PlannedRun&) { return 1; }

TEST(RunSchedule, EveryRoundHasEveryCaseOnceInItsOwnOrder) {
  const Study study = WithRuns("runs = 20\nwarmup = 1");
  const StudyCases cases = CasesOf(study);
  RunSchedule schedule(study, cases);
  const auto order = Execute(schedule, OneSecond);
  ASSERT_EQ(order.size(), 5 * 21u);
  std::map<std::vector<std::size_t>, int> orders;
  for (std::size_t round = 0; round < 21; ++round) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < 5; ++i) {
      const PlannedRun& run = order[round * 5 + i];
      EXPECT_EQ(run.repetition, static_cast<std::int64_t>(round) - 1);
      indices.push_back(run.index);
    }
    ++orders[indices];
    std::ranges::sort(indices);
    EXPECT_EQ(indices, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  }
  // 21 of 120 orders: so few that are equal to each other by chance.
  EXPECT_GT(orders.size(), 12u);
  EXPECT_TRUE(schedule.IsFinished());
}

TEST(RunSchedule, TheOrderIsTheSameAfterAnInterruptionAtAnyRun) {
  const Study study = WithRuns("runs = 4");
  const StudyCases cases = CasesOf(study);
  RunSchedule whole(study, cases);
  const auto order = Execute(whole, OneSecond);
  for (std::size_t cut = 0; cut < order.size(); ++cut) {
    RunSchedule resumed(study, cases);
    for (std::size_t i = 0; i < cut; ++i) resumed.Add({order[i], true, 1, 1});
    const auto rest = Execute(resumed, OneSecond);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(),
                           order.begin() + static_cast<std::ptrdiff_t>(cut), order.end()))
        << cut;
  }
}

TEST(RunSchedule, AnotherSeedGivesAnotherOrder) {
  const Study first = WithRuns("runs = 4\nseed = 1");
  const Study second = WithRuns("runs = 4\nseed = 2");
  const StudyCases cases = CasesOf(first);
  RunSchedule a(first, cases);
  RunSchedule b(second, cases);
  EXPECT_NE(Execute(a, OneSecond), Execute(b, OneSecond));
}

TEST(RunSchedule, AFailingCaseIsGivenUpAndTheOthersGoOn) {
  const Study study = WithRuns("runs = 10\nmax_failures = 3");
  const StudyCases cases = CasesOf(study);
  RunSchedule schedule(study, cases);
  const auto order =
      Execute(schedule, [](const PlannedRun& run) { return run.index == 2 ? 0.0 : 1.0; });
  EXPECT_EQ(std::ranges::count(order, 2u, &PlannedRun::index), 3);
  EXPECT_EQ(order.size(), 4 * 10 + 3u);
  EXPECT_EQ(schedule.EndOf(2), CaseEnd::kGivenUp);
  EXPECT_EQ(schedule.EndOf(1), CaseEnd::kComplete);
}

TEST(RunSchedule, ACaseOfWhichAllRunsFailedHasFailed) {
  const Study study = WithRuns("runs = 2\nwarmup = 1");
  const StudyCases cases = CasesOf(study);
  RunSchedule schedule(study, cases);
  EXPECT_FALSE(schedule.HasNoResult(1));
  // The warm-up run of the second case succeeds.
  Execute(schedule,
          [](const PlannedRun& run) { return run.index == 1 && run.repetition >= 0 ? 0.0 : 1.0; });
  EXPECT_EQ(schedule.EndOf(0), CaseEnd::kComplete);
  EXPECT_EQ(schedule.EndOf(1), CaseEnd::kFailed);
  EXPECT_TRUE(schedule.HasNoResult(1));
}

TEST(RunSchedule, ASpentBudgetStopsAndALargerOneContinues) {
  const Study small = WithRuns("runs = 10\nbudget = \"7s\"");
  const StudyCases cases = CasesOf(small);
  RunSchedule schedule(small, cases);
  const auto order = Execute(schedule, OneSecond);
  EXPECT_EQ(order.size(), 7u);
  EXPECT_TRUE(schedule.IsBudgetSpent());
  EXPECT_TRUE(schedule.IsFinished());
  const Study large = WithRuns("runs = 10\nbudget = \"1h\"");
  RunSchedule more(large, cases);
  for (const PlannedRun& run : order) more.Add({run, true, 1, 1});
  EXPECT_EQ(Execute(more, OneSecond).size(), 50 - 7u);
}

TEST(RunSchedule, APreciseCaseStopsAndANoisyOneGetsMoreRuns) {
  const Study study = WithRuns("runs = 6", "[precision]\nwidth = \"5%\"\nmax_runs = 30\n");
  const StudyCases cases = CasesOf(study);
  RunSchedule schedule(study, cases);
  const auto order = Execute(schedule, [](const PlannedRun& run) {
    // Case 3 alternates between two times, so its interval stays wide.
    return run.index == 3 ? 1.0 + static_cast<double>(run.repetition % 2) : 1.0;
  });
  EXPECT_EQ(std::ranges::count(order, 0u, &PlannedRun::index), 6);
  EXPECT_EQ(std::ranges::count(order, 3u, &PlannedRun::index), 30);
  EXPECT_EQ(schedule.EndOf(0), CaseEnd::kPrecise);
  EXPECT_EQ(schedule.EndOf(3), CaseEnd::kMaxRuns);
}

TEST(RunSchedule, HandsOutManyRunsAtOnceAndNoneTwice) {
  const Study study = WithRuns("runs = 6", "[precision]\nwidth = \"5%\"\nmax_runs = 30\n");
  const StudyCases cases = CasesOf(study);
  RunSchedule schedule(study, cases);
  const auto first = schedule.Next(7);
  EXPECT_EQ(first.size(), 7u);
  const auto second = schedule.Next(1000);
  EXPECT_EQ(second.size(), 30 - 7u);
  EXPECT_TRUE(schedule.Next(10).empty());  // the rule needs the runs that are out
  EXPECT_FALSE(schedule.IsFinished());
  std::vector<PlannedRun> all = first;
  all.insert(all.end(), second.begin(), second.end());
  for (const PlannedRun& run : all) {
    EXPECT_EQ(std::ranges::count(all, run), 1);
    schedule.Add({run, true, 1, static_cast<double>(run.repetition % 2 + 1)});
  }
  EXPECT_EQ(schedule.Next(1000).size(), 5u);
}

TEST(RunSchedule, EstimatesTheTimeThatIsLeft) {
  const Study study = WithRuns("runs = 3");
  const StudyCases cases = CasesOf(study);
  RunSchedule schedule(study, cases);
  EXPECT_FALSE(schedule.SecondsLeft());
  EXPECT_EQ(schedule.RunsLeft(), 15u);
  for (std::size_t i = 0; i < 5; ++i) {
    schedule.Add({{i, 0}, true, static_cast<double>(i + 1), std::nullopt});
  }
  EXPECT_DOUBLE_EQ(*schedule.SecondsLeft(), 2 * (1 + 2 + 3 + 4 + 5));
}

}  // namespace
}  // namespace tare::study
