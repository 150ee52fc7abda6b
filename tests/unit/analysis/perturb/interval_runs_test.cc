// interval_runs_test.cc: tests which intervals are accepted, and real runs at several of them.
#include "analysis/perturb/interval_runs.h"

#include <gmock/gmock.h>

#include <map>

#include "measure/run/program.h"

namespace tare::perturb {
namespace {

constexpr auto kProfiler = IntervalSampler::kProfiler;

TEST(ParseIntervals, SortsTheLongestFirst) {
  const auto intervals = ParseIntervals("100us,10ms,1 ms,20us", kProfiler);
  ASSERT_TRUE(intervals) << intervals.error().message;
  EXPECT_THAT(*intervals, testing::ElementsAre(testing::DoubleEq(0.01), testing::DoubleEq(0.001),
                                               testing::DoubleEq(1e-4), testing::DoubleEq(2e-5)));
}

TEST(ParseIntervals, RefusesWhatIsNoInterval) {
  for (const char* text : {"", "10", "x", "1ms,", ",1ms", "0s", "-1ms", "10us", "2s", "1ms;2ms"}) {
    const auto intervals = ParseIntervals(text, kProfiler);
    ASSERT_FALSE(intervals) << text;
    EXPECT_EQ(intervals.error().kind, ErrorKind::kUsage) << text;
    EXPECT_THAT(intervals.error().message, testing::HasSubstr("20.0 µs")) << text;
  }
  EXPECT_TRUE(ParseIntervals("10us", IntervalSampler::kObserver));
  const auto twice = ParseIntervals("1ms,1000us", kProfiler);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, testing::HasSubstr("twice"));
}

TEST(ParseIntervals, TheDefaultIsWithinTheLimitsOfEverySampler) {
  for (const auto sampler :
       {IntervalSampler::kProfiler, IntervalSampler::kObserver, IntervalSampler::kSignal}) {
    const auto intervals = ParseIntervals("default", sampler);
    ASSERT_TRUE(intervals);
    EXPECT_TRUE(std::ranges::is_sorted(*intervals, std::greater()));
    EXPECT_LE(intervals->front(), LimitsOf(sampler).longest);
    EXPECT_GE(intervals->back(), LimitsOf(sampler).shortest);
  }
}

IntervalRequest RequestOf(IntervalSampler sampler) {
  IntervalRequest request;
  request.program = *run::Resolve({{std::string(TARE_TEST_PROGRAMS) + "/known_shares", "10000"}});
  request.setting.output = run::Output::kDiscarded;
  request.sampler = sampler;
  request.intervals = {0.02, 0.002, 0.0002};
  request.rounds = 3;
  return request;
}

class SampledOften : public testing::TestWithParam<IntervalSampler> {};

TEST_P(SampledOften, HasMoreSamplesAtShorterIntervals) {
  const auto taken = TakeIntervalRuns(RequestOf(GetParam()), NoProgress);
  if (!taken && taken.error().kind == ErrorKind::kUnsupported) {
    GTEST_SKIP() << taken.error().message;
  }
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->exit_status, 0);
  // Three rounds of one run without sampling and three with it.
  ASSERT_EQ(taken->runs.size(), 12);
  std::map<std::size_t, std::uint64_t> samples;
  std::map<std::pair<std::size_t, std::size_t>, int> runs;
  for (const IntervalRun& run : taken->runs) {
    samples[run.interval] += run.samples;
    ++runs[{run.round, run.interval}];
    EXPECT_GT(run.cpu_seconds, 0);
    EXPECT_GT(run.wall_seconds, 0);
  }
  EXPECT_EQ(runs.size(), 12);
  EXPECT_EQ(samples[0], 0);
  EXPECT_GT(samples[3], samples[2]);
  EXPECT_GT(samples[2], samples[1]);
}

INSTANTIATE_TEST_SUITE_P(Samplers, SampledOften,
                         testing::Values(IntervalSampler::kProfiler, IntervalSampler::kObserver),
                         [](const auto& one) { return std::string(Name(one.param)); });

TEST(TakeIntervalRuns, HasAnotherOrderInEachRoundAndTheSameForASeed) {
  IntervalRequest request = RequestOf(kProfiler);
  request.program = *run::Resolve({{std::string(TARE_TEST_PROGRAMS) + "/known_shares", "1"}});
  request.rounds = 4;
  const auto order = [&]() -> std::vector<std::size_t> {
    std::vector<std::size_t> intervals;
    const auto taken = TakeIntervalRuns(request, NoProgress);
    if (!taken) return intervals;
    for (const IntervalRun& run : taken->runs) intervals.push_back(run.interval);
    return intervals;
  };
  const auto first = order();
  if (first.empty()) GTEST_SKIP() << "this kernel refuses to sample";
  ASSERT_EQ(first.size(), 16);
  EXPECT_EQ(first, order());
  const auto same_as_first_round = [&](std::size_t round) {
    return std::equal(first.begin(), first.begin() + 4,
                      first.begin() + static_cast<std::ptrdiff_t>(4 * round));
  };
  EXPECT_FALSE(same_as_first_round(1) && same_as_first_round(2) && same_as_first_round(3));
  request.seed = 2;
  EXPECT_NE(first, order());
}

TEST(TakeIntervalRuns, StopsWhenAsked) {
  const auto taken = TakeIntervalRuns(
      RequestOf(kProfiler), [](double fraction, std::string_view) { return fraction < 0.01; });
  ASSERT_FALSE(taken);
  if (taken.error().kind == ErrorKind::kUnsupported) GTEST_SKIP() << taken.error().message;
  EXPECT_EQ(taken.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace tare::perturb
