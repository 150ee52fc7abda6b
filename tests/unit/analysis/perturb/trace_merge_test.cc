// trace_merge_test.cc: tests that metrics of several runs are merged on one axis, that totals are
// kept, and that the trust value is meaningful.
#include "analysis/perturb/trace_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "analysis/perturb/pair_correlation.h"
#include "base/private_directory.h"
#include "format/series_reader.h"
#include "synthetic_runs.h"

namespace tare::perturb {
namespace {

using testing::HasSubstr;

constexpr SyntheticProgram kQuiet{.noise = 0.15};

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class Merging : public testing::Test {
 protected:
  Merging() : random_(5) {
    baseline_ = *MakeBaseline(SyntheticRuns(8, kQuiet, random_), {});
    outer_ = *MakeOuterBaseline(baseline_, {});
  }

  // A run with an additional metric that follows the phases, or not.
  TraceSignals Counted(const std::string& metric, bool follows, double stretched = 1) {
    SyntheticProgram program = kQuiet;
    program.stretched = stretched;
    TraceSignals run = SyntheticRun(program, random_);
    run.name = metric + ".series";
    Signal own{metric, "software", {}};
    for (std::size_t i = 0; i < run.length(); ++i) {
      const double half = static_cast<double>(run.length()) / 2;
      const auto at = static_cast<double>(i);
      const double when = at < half ? at : half + (at - half) / stretched;
      own.values.push_back(std::floor(follows ? 100 + 20 * Phase(when) : 100 * random_.Unit()));
    }
    run.signals.push_back(std::move(own));
    return run;
  }

  Result<Merged> Merged_(const std::vector<TraceSignals>& traces) {
    return Merge(baseline_, outer_, traces, {}, {});
  }

  stats::Generator random_;
  Baseline baseline_;
  OuterBaseline outer_;
};

TEST_F(Merging, TotalsStayAndCoursesComeToTheirPlaces) {
  const auto run = Counted("calls", true, 1.1);
  const auto merged = Merged_({run, Counted("bytes", false)});
  ASSERT_TRUE(merged) << merged.error().message;
  ASSERT_EQ(merged->signals.size(), baseline_.metrics.size() + 2);
  const MergedSignal& calls = merged->signals[baseline_.metrics.size()];
  EXPECT_EQ(calls.signal.name, "calls");
  EXPECT_EQ(calls.trace, "calls.series");
  EXPECT_EQ(calls.signal.values.size(), baseline_.runs[merged->reference].length());
  EXPECT_NEAR(Sum(calls.signal.values), Sum(run.Find("calls")->values), 1e-6);
  // The metric's phases are now at those of the reference.
  std::vector<double> phases;
  for (std::size_t i = 0; i < calls.signal.values.size(); ++i) {
    phases.push_back(Phase(static_cast<double>(i)));
  }
  EXPECT_GT(Correlate(Ranked(phases), Ranked(calls.signal.values)).value_or(0), 0.8);
}

TEST_F(Merging, WhatDependsOnTheAlignmentIsTrustedLess) {
  const auto merged = Merged_({Counted("calls", true), Counted("bytes", false)});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->trust.size(), 2U);
  ASSERT_TRUE(merged->trust[0].agreement);
  ASSERT_TRUE(merged->trust[1].agreement);
  EXPECT_GT(merged->trust[0].agreement->Value(), 0.75);
  EXPECT_GT(merged->trust[0].agreement->Value(), merged->trust[1].agreement->Value() + 0.1);
  EXPECT_LE(merged->trust[0].agreement->Low(), merged->trust[0].agreement->Value());
  EXPECT_GE(merged->trust[0].agreement->High(), merged->trust[0].agreement->Value());
}

TEST_F(Merging, OfTwoTracesWithOneMetricTheBetterIsTaken) {
  auto noise = Counted("calls", false);
  noise.name = "noise.series";
  const auto merged = Merged_({noise, Counted("calls", true)});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->trust.size(), 1U);
  EXPECT_EQ(merged->trust[0].trace, "calls.series");
}

TEST_F(Merging, PerturbedRunsSayWhy) {
  auto run = Counted("calls", true);
  for (double& value : run.signals[0].values) value = Noise(random_);
  const auto merged = Merged_({run});
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->trust[0].against, HasSubstr("perturbed inside"));
}

TEST_F(Merging, WithoutSoftwareThereIsNothingToPutTogether) {
  const auto merged = Merged_({SyntheticRun(kQuiet, random_)});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().message, "no trace has software metrics: there is nothing to merge");
}

TEST_F(Merging, TheFileHasTheReferencesTimesAndTheTrustOfEachMetric) {
  const auto run = Counted("calls", true);
  const auto merged = Merged_({run});
  ASSERT_TRUE(merged);
  const auto directory = PrivateDirectory::MakeOnDisk();
  const auto file = directory->path() / "merged";
  ASSERT_TRUE(WriteMerged(file, baseline_, *merged));
  const auto read = ReadSignals(file, "merged", false);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->times, baseline_.runs[merged->reference].times);
  EXPECT_EQ(read->SoftwareMetrics(), std::vector<std::string>{"calls"});
  EXPECT_EQ(Sum(read->Find("calls")->values), Sum(run.Find("calls")->values));
  auto reader = format::SeriesReader::Open(file);
  ASSERT_TRUE(reader);
  const auto& facts = reader->Head().facts;
  const auto trust = std::ranges::find(facts, "trust calls", &format::SeriesFact::name);
  ASSERT_NE(trust, facts.end());
  EXPECT_THAT(trust->value, HasSubstr("from calls.series"));
}

}  // namespace
}  // namespace tare::perturb
