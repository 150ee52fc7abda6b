// check_advice_test.cc: tests that the advice follows from the measurements.
#include "analysis/check/check_advice.h"

#include <gmock/gmock.h>

namespace tare::check {
namespace {

using testing::HasSubstr;

CheckReport Quiet() {
  CheckReport report;
  report.timed.resize(20);
  run::Noise noise;
  noise.median = Between(1.0, 0.999, 1.001, 0.95);
  noise.smallest_difference = 0.001;
  noise.coefficient_of_variation = 0.001;
  report.noise = noise;
  count::EngineCounts first;
  first.runs.resize(2);
  count::EngineCounts second = first;
  second.engine = engine::Engine::kQemu;
  report.counts.emplace();
  report.counts->engines = {first, second};
  report.counts->reference = 0;
  report.counts->ledgers.resize(2);
  return report;
}

TEST(MakeAdvice, GivesNoneForAQuietMachineAndAgreeingEngines) {
  EXPECT_TRUE(MakeAdvice(Quiet()).empty());
}

TEST(MakeAdvice, MissingCountsComeFirst) {
  CheckReport report = Quiet();
  report.counts.reset();
  report.no_counts = "neither is installed";
  report.counts_need = "install one";
  report.noise->coefficient_of_variation = 0.2;
  const auto advice = MakeAdvice(report);
  ASSERT_GE(advice.size(), 2u);
  EXPECT_EQ(advice.front().what, "get exact counts: install one");
  EXPECT_EQ(advice.front().why, "neither is installed");
}

TEST(MakeAdvice, OneEngineAloneWantsASecondOpinion) {
  CheckReport report = Quiet();
  report.counts->engines[1].absence = "not installed";
  const auto advice = MakeAdvice(report);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_THAT(advice.front().what, HasSubstr("second engine"));
}

TEST(MakeAdvice, ScatterNamesTheRunsThatOnePercentWouldTake) {
  CheckReport report = Quiet();
  report.noise->smallest_difference = 0.02;  // twice 1 %: four times the 20 runs
  const auto advice = MakeAdvice(report);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_THAT(advice.front().why, HasSubstr("about 80 runs"));
}

TEST(MakeAdvice, CountsThatDoNotRepeatAreLookedInto) {
  CheckReport report = Quiet();
  report.counts->engines[0].unrepeatable = {{"program", 16}, {"program", 32}};
  const auto advice = MakeAdvice(report);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_THAT(advice.front().why, HasSubstr("2 functions"));
}

}  // namespace
}  // namespace tare::check
