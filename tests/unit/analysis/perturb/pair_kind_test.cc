// pair_kind_test.cc: tests pairs of software metrics that change alone.
#include "analysis/perturb/pair_kind.h"

#include <gtest/gtest.h>

#include "synthetic_runs.h"

namespace tare::perturb {
namespace {

// m2 and m3 are metrics of the program; the last is decorrelated in the judged run.
TEST(CountChanged, RelationsOfSoftwareMetricsCanBeHidden) {
  stats::Generator random(12);
  auto runs = SyntheticRuns(26, {}, random);
  TraceSignals judged = SyntheticRun({.loosened = 0.7}, random);
  for (TraceSignals& run : runs) {
    run.signals[2].group = run.signals[3].group = "software";
  }
  const auto baseline = MakeBaseline(runs, {.software = true});
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_TRUE(HasSoftware(*baseline));
  const auto rows = JudgeInner(*baseline, judged, {});
  ASSERT_TRUE(rows) << rows.error().message;
  const ChangedPairs changed = CountChanged(*baseline, *rows);
  EXPECT_EQ(changed.hardware, 0u);
  EXPECT_EQ(changed.mixed, 2u);     // m0 and m1 with m3
  EXPECT_EQ(changed.software, 1u);  // m2 with m3
  EXPECT_TRUE(changed.IsHidden());
  EXPECT_EQ(KindOf(*baseline, rows->front()), PairKind::kHardware);
}

TEST(CountChanged, AChangeBetweenHardwareMetricsHidesNothing) {
  stats::Generator random(13);
  auto runs = SyntheticRuns(26, {}, random);
  const auto baseline = MakeBaseline(runs, {});
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_FALSE(HasSoftware(*baseline));
  const auto rows = JudgeInner(*baseline, SyntheticRun({.loosened = 0.7}, random), {});
  ASSERT_TRUE(rows) << rows.error().message;
  const ChangedPairs changed = CountChanged(*baseline, *rows);
  EXPECT_EQ(changed.hardware, 3u);
  EXPECT_FALSE(changed.IsHidden());
}

}  // namespace
}  // namespace tare::perturb
