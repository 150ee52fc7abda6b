// document_method_test.cc: tests the document's rule on signals whose correlations are computed by
// hand: Spearman's is 1 - 6 S / (n (n² - 1)), where S is the sum of squared differences of ranks.
#include "analysis/perturb/document_method.h"

#include <gmock/gmock.h>

#include "analysis/perturb/run_verdict.h"
#include "synthetic_runs.h"

namespace tare::perturb {
namespace {

// A run whose first metric counts 1 to 5; `second` is the other one.
TraceSignals RunOf(std::vector<double> second) {
  TraceSignals run;
  run.name = "made";
  run.program = "./made";
  run.clock = "instructions";
  run.times = {1, 2, 3, 4, 5};
  run.signals = {{"x", "virtual", {1, 2, 3, 4, 5}}, {"y", "virtual", std::move(second)}};
  return run;
}

// n = 5: a swap of neighbours has S = 2 and correlation 1 - 12/120 = 0.9, two have 0.8.
Baseline SmallBaseline() {
  auto baseline =
      MakeBaseline({RunOf({1, 2, 3, 4, 5}), RunOf({2, 1, 3, 4, 5}), RunOf({1, 2, 3, 5, 4})},
                   {.metrics = {"x", "y"}});
  EXPECT_TRUE(baseline) << baseline.error().message;
  return std::move(*baseline);
}

TEST(PathCorrelation, CountsARecordOncePerStep) {
  // The path reads 1 2 2 3 beside 1 5 2 4: ranks 1 2.5 2.5 4 and 1 4 2 3, centred products
  // 2.25 + 0 + 0 + 0.75, norms 4.5 and 5: 3 / sqrt(22.5).
  const Alignment alignment{{{0, 0}, {1, 1}, {1, 2}, {2, 3}}, 1};
  const std::vector<double> a = {1, 2, 3};
  const std::vector<double> b = {1, 5, 2, 4};
  EXPECT_NEAR(*PathCorrelation(alignment, a, b), 3 / std::sqrt(22.5), 1e-12);
  EXPECT_FALSE(PathCorrelation(alignment, std::vector<double>{7, 7, 7}, b));
}

TEST(DocumentMethod, ObservesTheLargestDeviationFromTheFirstRun) {
  const auto document = MakeDocumentBaseline(SmallBaseline(), {});
  ASSERT_TRUE(document) << document.error().message;
  ASSERT_EQ(document->inner.size(), 1);
  EXPECT_NEAR(document->inner[0], 0.1, 1e-12);
  ASSERT_EQ(document->outer.size(), 2);
  EXPECT_GE(document->outer[0], 0);
}

TEST(DocumentMethod, OnlyALargerDeviationIsSignificant) {
  const Baseline baseline = SmallBaseline();
  const auto document = MakeDocumentBaseline(baseline, {});
  ASSERT_TRUE(document);
  // Another swap deviates as much as identical runs do.
  const auto same = JudgeByDocument(baseline, *document, RunOf({1, 3, 2, 4, 5}), {});
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_NEAR(same->inner[0].deviation, 0.1, 1e-12);
  EXPECT_FALSE(same->IsPerturbedInside());
  // Two swaps: 0.8.
  const auto more = JudgeByDocument(baseline, *document, RunOf({2, 1, 3, 5, 4}), {});
  ASSERT_TRUE(more);
  EXPECT_NEAR(*more->inner[0].run, 0.8, 1e-12);
  EXPECT_NEAR(more->inner[0].baseline, 1, 1e-12);
  EXPECT_NEAR(more->inner[0].deviation, 0.2, 1e-12);
  EXPECT_TRUE(more->IsPerturbedInside());
  EXPECT_THAT(VerdictOf(*more), testing::HasSubstr("x and y: 0.80 instead of 1.00"));
}

TEST(DocumentMethod, ComparesMagnitudes) {
  const Baseline baseline = SmallBaseline();
  const auto document = MakeDocumentBaseline(baseline, {});
  // -1 has the magnitude of 1.
  const auto judged = JudgeByDocument(baseline, *document, RunOf({5, 4, 3, 2, 1}), {});
  ASSERT_TRUE(judged);
  EXPECT_NEAR(*judged->inner[0].run, -1, 1e-12);
  EXPECT_NEAR(judged->inner[0].deviation, 0, 1e-12);
  EXPECT_FALSE(judged->IsPerturbedInside());
}

TEST(DocumentMethod, OuterDeviationIsFromOne) {
  const Baseline baseline = SmallBaseline();
  const auto document = MakeDocumentBaseline(baseline, {});
  const auto itself = JudgeByDocument(baseline, *document, baseline.runs.front(), {});
  ASSERT_TRUE(itself);
  for (const DocumentOuter& row : itself->outer) {
    EXPECT_NEAR(*row.correlation, 1, 1e-12);
    EXPECT_NEAR(row.deviation, 0, 1e-12);
    EXPECT_FALSE(row.significant);
  }
  // A band of 0.001 of 5 records is one record, rounded up: x stays aligned with itself, and y
  // reversed has a correlation far below 1.
  const auto reversed =
      JudgeByDocument(baseline, *document, RunOf({5, 4, 3, 2, 1}), {.by = "x", .band = 0.001});
  ASSERT_TRUE(reversed);
  EXPECT_NEAR(*reversed->outer[0].correlation, 1, 1e-12);
  EXPECT_NEAR(*reversed->outer[1].correlation, -1, 1e-12);
  EXPECT_NEAR(reversed->outer[1].deviation, 2, 1e-12);
  EXPECT_TRUE(reversed->IsPerturbedOutside());
}

TEST(DocumentMethod, AConstantMetricIsSignificant) {
  const Baseline baseline = SmallBaseline();
  const auto document = MakeDocumentBaseline(baseline, {});
  const auto judged = JudgeByDocument(baseline, *document, RunOf({3, 3, 3, 3, 3}), {});
  ASSERT_TRUE(judged);
  EXPECT_FALSE(judged->inner[0].run);
  EXPECT_TRUE(judged->IsPerturbedInside());
  EXPECT_TRUE(judged->outer[1].significant);
}

TEST(DocumentMethod, RefusesARunWithoutAMetric) {
  const Baseline baseline = SmallBaseline();
  const auto document = MakeDocumentBaseline(baseline, {});
  TraceSignals run = RunOf({1, 2, 3, 4, 5});
  run.signals.pop_back();
  const auto judged = JudgeByDocument(baseline, *document, run, {});
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().kind, ErrorKind::kUsage);
}

// Without a level and a correction, some pair of an identical run exceeds what 25 others showed in
// far more than one run of twenty; the default method keeps its level.
TEST(DocumentMethod, RaisesMoreFalseAlarmsThanTheDefault) {
  stats::Generator random(5);
  const SyntheticProgram program{.metrics = 6};
  const auto baseline = MakeBaseline(SyntheticRuns(26, program, random), {});
  ASSERT_TRUE(baseline);
  const auto document = MakeDocumentBaseline(*baseline, {});
  const auto outer = MakeOuterBaseline(*baseline, {});
  ASSERT_TRUE(document && outer);
  int by_document = 0;
  int by_default = 0;
  for (int i = 0; i < 40; ++i) {
    const TraceSignals run = SyntheticRun(program, random);
    by_document += JudgeByDocument(*baseline, *document, run, {})->IsPerturbed() ? 1 : 0;
    by_default += JudgeRun(*baseline, *outer, run, {}, {})->IsPerturbed() ? 1 : 0;
  }
  EXPECT_LE(by_default, 8);
  EXPECT_GT(by_document, by_default);
}

}  // namespace
}  // namespace tare::perturb
