// study_results_test.cc: groups, comparisons, predictions, nodes and differences of known values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/study_results/group_summary.h"
#include "analysis/study_results/level_comparison.h"
#include "analysis/study_results/metric_correlation.h"
#include "analysis/study_results/node_deviation.h"
#include "analysis/study_results/prediction_error.h"
#include "analysis/study_results/study_difference.h"
#include "analysis/study_results/study_export.h"
#include "tests/unit/analysis/study_results/stored_runs.h"

namespace tare::study_results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Noise that is the same for all cases of a round, as drift of a machine is.
double Drift(std::int64_t repetition) { return 1 + 0.05 * static_cast<double>(repetition % 5); }

StoredRuns TwoPrograms(double ratio, std::int64_t runs) {
  StoredRuns stored({"wall"});
  const auto a = stored.AddCase({{"program", "a"}, {"input", "x"}, {"engine", "time"}});
  const auto b = stored.AddCase({{"program", "b"}, {"input", "x"}, {"engine", "time"}});
  for (std::int64_t r = 0; r < runs; ++r) {
    const double small = 1 + 0.001 * static_cast<double>(r % 3 - 1);
    stored.AddRun(a, r, {Drift(r)});
    stored.AddRun(b, r, {ratio * small * Drift(r)});
  }
  return stored;
}

ComparisonRequest OfPrograms() { return {"program", "a", {"input"}, {0}, 0.01, 0.95}; }

TEST(CompareLevels, DriftOfTheMachineCancels) {
  const auto rows = CompareLevels(TwoPrograms(1.5, 20).Set(), OfPrograms());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].level, "b");
  EXPECT_NEAR(rows[0].ratio.Value(), 1.5, 0.003);
  ASSERT_TRUE(rows[0].ratio.HasInterval());
  EXPECT_LT(rows[0].ratio.High() - rows[0].ratio.Low(), 0.005);
  EXPECT_EQ(rows[0].answer, compare::Answer::kSlower);
  EXPECT_EQ(rows[0].pairs, 20u);
}

TEST(CompareLevels, EqualAndUndecidedAreDifferentAnswers) {
  EXPECT_EQ(CompareLevels(TwoPrograms(1.0, 20).Set(), OfPrograms())[0].answer,
            compare::Answer::kEqual);
  const auto few = CompareLevels(TwoPrograms(1.0, 3).Set(), OfPrograms());
  EXPECT_EQ(few[0].answer, compare::Answer::kUndecided);
  EXPECT_FALSE(few[0].ratio.HasInterval());
  EXPECT_EQ(few[0].ratio.verdict, Verdict::kDoubtful);
}

TEST(CompareLevels, PairsOnlyRunsOfTheSameRound) {
  StoredRuns stored({"wall"});
  const auto a = stored.AddCase({{"program", "a"}});
  const auto b = stored.AddCase({{"program", "b"}});
  stored.AddRun(a, 0, {1.0});
  stored.AddRun(a, 2, {1.0});
  stored.AddRun(b, 1, {2.0});
  stored.AddRun(b, 2, {3.0});
  auto request = OfPrograms();
  request.by = {};
  const auto rows = CompareLevels(stored.Set(), request);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].pairs, 1u);
  EXPECT_DOUBLE_EQ(rows[0].ratio.Value(), 3.0);
}

// Runs of half a second each.
StoredRuns WithOtherPrograms(const std::string& unit, double percent) {
  StoredRuns stored({"wall", "other-programs"}, unit);
  const auto a = stored.AddCase({{"program", "a"}});
  for (std::int64_t r = 0; r < 3; ++r) stored.AddRun(a, r, {0.5, percent}).seconds = 0.5;
  return stored;
}

TEST(DoubtOf, TimesOfABusyMachineAreDoubtful) {
  const ResultSet busy = WithOtherPrograms("s", 35).Set();
  EXPECT_EQ(busy.DoubtOf({0, 1, 2}, 0), "other programs used 35 % of the processors");
  const auto rows = SummarizeGroups(busy, {"program"}, {0}, 0.95);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].centre.verdict, Verdict::kDoubtful);
  EXPECT_EQ(WithOtherPrograms("s", 5).Set().DoubtOf({0, 1, 2}, 0), "");
  EXPECT_EQ(WithOtherPrograms("", 35).Set().DoubtOf({0, 1, 2}, 0), "");
}

TEST(DoubtOf, TicksSayNothingAboutShortRuns) {
  StoredRuns stored({"wall", "other-programs"});
  const auto a = stored.AddCase({{"program", "a"}});
  stored.AddRun(a, 0, {0.1, 50.0}).seconds = 0.1;
  EXPECT_EQ(stored.Set().DoubtOf({0}, 0), "");
}

TEST(CompareLevels, LayoutsAreTheUnits) {
  StoredRuns stored({"wall"});
  for (int layout = 0; layout < 8; ++layout) {
    for (const char* program : {"a", "b"}) {
      const auto index = stored.AddCase({{"program", program}, {"layout", std::to_string(layout)}});
      for (std::int64_t r = 0; r < 4; ++r) {
        // b is faster in half of the layouts and slower in the others.
        const double factor = layout % 2 == 0 ? 0.9 : 1.1;
        stored.AddRun(index, r, {(*program == 'b' ? factor : 1.0) * Drift(r)});
      }
    }
  }
  auto request = OfPrograms();
  request.by = {};
  const auto rows = CompareLevels(stored.Set(), request);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].ratio.HasInterval());
  EXPECT_LT(rows[0].ratio.Low(), 0.95);
  EXPECT_GT(rows[0].ratio.High(), 1.05);
  EXPECT_EQ(rows[0].answer, compare::Answer::kUndecided);
}

TEST(CompareLevels, CountsAreExact) {
  StoredRuns stored({"instructions"}, "");
  const auto a = stored.AddCase({{"program", "a"}});
  const auto b = stored.AddCase({{"program", "b"}});
  for (std::int64_t r = 0; r < 2; ++r) {
    stored.AddRun(a, r, {std::int64_t{1000}});
    stored.AddRun(b, r, {std::int64_t{1500}});
  }
  auto request = OfPrograms();
  request.by = {};
  const auto rows = CompareLevels(stored.Set(), request);
  EXPECT_TRUE(rows[0].baseline.exact);
  EXPECT_DOUBLE_EQ(rows[0].ratio.Value(), 1.5);
  EXPECT_EQ(rows[0].answer, compare::Answer::kSlower);
}

TEST(ResultSet, MarksRunsWhoseConditionsChanged) {
  StoredRuns stored = TwoPrograms(1.5, 10);
  const auto other = stored.AddConditions({{"machine", "m"}, {"program sha256", "2"}});
  stored.AddRun(0, 10, {1.0}).conditions = other;
  const ResultSet set = stored.Set();
  EXPECT_EQ(set.ChangedRuns(), 1u);
  EXPECT_EQ(set.ChangedIn(20), "program sha256");
  EXPECT_EQ(set.ChangedIn(3), "");
  const auto groups = SummarizeGroups(set, {"program"}, {0}, 0.95);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].centre.verdict, Verdict::kDoubtful);
  EXPECT_THAT(groups[0].centre.reason, HasSubstr("program sha256"));
  EXPECT_EQ(groups[1].centre.verdict, Verdict::kValid);
}

TEST(ResultSet, DifferentProgramsOnOneMachineAreNoChange) {
  StoredRuns stored = TwoPrograms(1.5, 2);
  const auto other = stored.AddConditions({{"machine", "m"}, {"program sha256", "2"}});
  const auto c = stored.AddCase({{"program", "c"}});
  stored.AddRun(c, 0, {1.0}).conditions = other;
  EXPECT_EQ(stored.Set().ChangedRuns(), 0u);
}

TEST(SummarizeGroups, LeavesOutFailuresAndCountsThem) {
  StoredRuns stored = TwoPrograms(1.5, 10);
  stored.AddRun(0, 10, {99.0}).state = study::RunState::kFailed;
  stored.AddRun(0, -1, {99.0});  // warm-up
  const auto groups = SummarizeGroups(stored.Set(), {"program"}, {0}, 0.95);
  EXPECT_EQ(groups[0].runs, 10u);
  EXPECT_EQ(groups[0].failed, 1u);
  EXPECT_LT(groups[0].summary.maximum, 2);
}

TEST(SummarizeGroups, DoubtsAMedianWithoutAnInterval) {
  EXPECT_EQ(SummarizeGroups(TwoPrograms(1.5, 6).Set(), {"program"}, {0}, 0.95)[0].centre.verdict,
            Verdict::kValid);
  const auto few = SummarizeGroups(TwoPrograms(1.5, 5).Set(), {"program"}, {0}, 0.95);
  EXPECT_EQ(few[0].centre.verdict, Verdict::kDoubtful);
  EXPECT_EQ(few[0].centre.reason, "no interval: too few runs; 6 are needed");
}

TEST(SummarizeGroups, AveragesCasesOfARoundGeometrically) {
  StoredRuns stored({"wall"});
  const auto x = stored.AddCase({{"program", "a"}, {"input", "x"}});
  const auto y = stored.AddCase({{"program", "a"}, {"input", "y"}});
  for (std::int64_t r = 0; r < 6; ++r) {
    stored.AddRun(x, r, {1.0});
    stored.AddRun(y, r, {100.0});
  }
  const auto groups = SummarizeGroups(stored.Set(), {"program"}, {0}, 0.95);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_NEAR(groups[0].centre.Value(), 10.0, 1e-9);
  EXPECT_EQ(groups[0].cases, 2u);
}

TEST(SummarizeGroups, ShowsAGroupWithoutResults) {
  StoredRuns stored = TwoPrograms(1.5, 2);
  stored.AddCase({{"program", "never"}});
  const auto groups = SummarizeGroups(stored.Set(), {"program"}, {0}, 0.95);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_FALSE(groups[2].centre.value.has_value());
  EXPECT_EQ(groups[2].centre.reason, "not run yet");
}

TEST(ComparePredictions, GivesErrorsByGroup) {
  StoredRuns stored({"wall", "predicted"});
  for (const char* input : {"x", "y"}) {
    const auto measured = stored.AddCase({{"program", "run"}, {"input", input}});
    const auto predicted = stored.AddCase({{"program", "model"}, {"input", input}});
    for (std::int64_t r = 0; r < 8; ++r) {
      stored.AddRun(measured, r, {2.0});
      stored.AddRun(predicted, r, {0.1, *input == 'x' ? 2.2 : 1.0});
    }
  }
  const auto errors = ComparePredictions(stored.Set(), {"predicted", {{"program", "model"}}},
                                         {"wall", {{"program", "run"}}}, {"input"}, 0.95);
  ASSERT_EQ(errors.rows.size(), 2u);
  EXPECT_NEAR(errors.rows[0].error.Value(), 0.1, 1e-9);
  EXPECT_NEAR(errors.rows[1].error.Value(), -0.5, 1e-9);
  EXPECT_NEAR(*errors.max_error, 0.5, 1e-9);
}

TEST(CompareNodes, FindsTheSlowNode) {
  StoredRuns stored({"wall"});
  const auto index = stored.AddCase({{"program", "a"}});
  std::vector<std::size_t> nodes = {0};
  for (const char* name : {"n1", "n2", "n3", "n4", "n5"}) nodes.push_back(stored.AddNode(name));
  std::int64_t repetition = 0;
  for (const std::size_t node : nodes) {
    for (int r = 0; r < 6; ++r) {
      const double value =
          (node == 3 ? 1.5 : 1.0) * (1 + 0.001 * r + 0.002 * static_cast<double>(node));
      stored.AddRun(index, repetition++, {value}).node = node;
    }
  }
  const auto rows = CompareNodes(stored.Set(), {"program"}, {0}, 0.95);
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  ASSERT_EQ(rows->size(), 6u);
  for (const NodeDeviation& row : *rows) EXPECT_EQ(row.outlier, row.node == "n3") << row.node;
  EXPECT_FALSE(CompareNodes(TwoPrograms(1, 3).Set(), {"program"}, {0}, 0.95).has_value());
}

TEST(CompareCorrelations, FindsAPairThatNoLongerMovesTogether) {
  StoredRuns stored({"x", "y"});
  const auto plain = stored.AddCase({{"program", "plain"}});
  const auto changed = stored.AddCase({{"program", "changed"}});
  for (std::int64_t r = 0; r < 30; ++r) {
    const auto x = static_cast<double>(r * 7 % 30);
    stored.AddRun(plain, r, {x, x + 0.1});
    stored.AddRun(changed, r, {x, -x});
  }
  const auto rows = CompareCorrelations(stored.Set(), "program", "plain", {0, 1}, 0.95);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].differs);
  EXPECT_NEAR(rows[0].correlation.Value(), -1, 1e-9);
}

TEST(CompareStudies, EqualNumbersOfABusyMachineAreDoubtful) {
  StoredRuns busy({"wall", "other-programs"});
  const auto a = busy.AddCase({{"program", "a"}});
  for (std::int64_t r = 0; r < 3; ++r) busy.AddRun(a, r, {2.0, 35.0}).seconds = 2;
  const auto rows = CompareStudies(busy.Set(), busy.Set(), {"wall"}, 0.1, 0.95).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].ratio.verdict, Verdict::kDoubtful);
  EXPECT_EQ(rows[0].ratio.reason, "other programs used 35 % of the processors");
}

TEST(CompareStudies, PairsCasesByTheirLevels) {
  StoredRuns second = TwoPrograms(1.5, 20);
  const auto c = second.AddCase({{"program", "c"}, {"input", "x"}, {"engine", "time"}});
  second.AddRun(c, 0, {1.0});
  const auto difference =
      CompareStudies(TwoPrograms(1.0, 20).Set(), second.Set(), {"wall"}, 0.1, 0.95);
  ASSERT_EQ(difference.rows.size(), 2u);
  EXPECT_EQ(difference.rows[0].answer, compare::Answer::kEqual);
  EXPECT_EQ(difference.rows[1].answer, compare::Answer::kSlower);
  EXPECT_NEAR(difference.rows[1].ratio.Value(), 1.5, 1e-6);
  EXPECT_THAT(difference.only_after, ElementsAre(ElementsAre("c", "x", "time")));
  EXPECT_TRUE(difference.only_before.empty());
}

TEST(RunsAsCsv, HasARowForEachRunAndQuotesText) {
  StoredRuns stored({"wall"});
  const auto a = stored.AddCase({{"program", "a,b"}, {"input", "=1+1"}});
  stored.AddRun(a, 0, {0.25}).message = "line\nbreak";
  const std::string csv = RunsAsCsv(stored.Set(), {});
  EXPECT_THAT(csv, HasSubstr("run,program,input,engine,repetition,attempt,started,state,"));
  EXPECT_THAT(csv, HasSubstr("1,\"a,b\",'=1+1,,0,1,"));
  EXPECT_THAT(csv, HasSubstr("\"line\nbreak\",,0.25\n"));
}

}  // namespace
}  // namespace tare::study_results
