// load_estimate_test.cc: tests load estimates on simulated counters with known neighbours.
#include "machine/load/load_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tare::load {
namespace {

constexpr double kRate = 1e9;

CoreRate Calibrated(double rate = kRate, double spread = 1e-3) {
  return {0,
          {rate * (1 - spread), rate, rate * (1 + spread), rate * (1 - spread / 2),
           rate * (1 + spread / 2)}};
}

bool Has(const std::vector<Caveat>& caveats, CaveatId key) {
  return std::ranges::find(caveats, key, &Caveat::key) != caveats.end();
}

struct Simulated {
  int others = 0;
  double time_slice = 3e-3;  // seconds; each varies by up to a fifth
  double speed = kRate;      // counts per second of CPU time
  double slice = 0.1;
  double total = 1;
  std::uint64_t seed = 1;
};

// Round-robin scheduling of the counter and `others` processes that never sleep. As in the real
// counter, a slice ends at the first time at or after its grid point at which the counter runs.
CoreCounts Simulate(const Simulated& how) {
  std::mt19937_64 random(how.seed);
  std::uniform_real_distribution<double> vary(0.8, 1.2);
  CoreCounts counts{0, {}};
  CountSlice slice{};
  double now = 0;
  double place = how.slice;
  // Counting starts at a random time within a time slice.
  double own_slice = how.time_slice * std::uniform_real_distribution<double>(0, 1)(random);
  const auto finish = [&](double next_place) {
    slice.end = now;
    slice.count = slice.cpu_seconds * how.speed;
    counts.slices.push_back(slice);
    slice = {};
    slice.start = now;
    place = next_place;
  };
  while (now < how.total) {
    double left = how.others == 0 ? how.total : own_slice;
    while (left > 0) {
      const double part = std::min(left, std::max(place - now, 0.0));
      now += part;
      left -= part;
      slice.cpu_seconds += part;
      if (now < place) break;
      if (slice.cpu_seconds == 0) {
        // A counter that is scheduled after its grid point runs for a moment before it reads the
        // clock.
        now += 1e-5;
        left -= 1e-5;
        slice.cpu_seconds += 1e-5;
      }
      finish((std::floor(now / how.slice + 1e-9) + 1) * how.slice);
      if (now >= how.total) return counts;
    }
    double gap = 0;
    for (int other = 0; other < how.others; ++other) gap += how.time_slice * vary(random);
    now += gap;
    if (gap > 0) {
      slice.longest_gap = std::max(slice.longest_gap, gap);
      ++slice.gaps;
    }
    own_slice = how.time_slice * vary(random);
  }
  if (slice.cpu_seconds > 0) finish(place);
  return counts;
}

class LoadOfBusyProcesses : public ::testing::TestWithParam<int> {};

// 200 windows of a second at 95 %: fewer than 180 has a probability of less than 1 in 1000.
TEST_P(LoadOfBusyProcesses, IsInTheIntervalAsOftenAsStated) {
  int covered = 0;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto counts = Simulate({.others = GetParam(), .seed = seed});
    const auto window = EstimateLoad(counts.slices, Calibrated(), 0.95).value();
    covered += window.load.Contains(GetParam());
    sum += window.load.Value();
  }
  EXPECT_GE(covered, 180);
  EXPECT_NEAR(sum / 200, GetParam(), 0.02 * (GetParam() + 1));
}

INSTANTIATE_TEST_SUITE_P(Others, LoadOfBusyProcesses, ::testing::Values(0, 1, 2, 3, 7));

// Calibrated rate 3, counted rate 1 per second: two other processes.
TEST(EstimateLoad, IsTheRatioOfTheRatesLessOne) {
  const std::vector<CountSlice> slices = {{0, 1, 1e9, 0.33, 3e-3, 80}, {1, 2, 1e9, 0.33, 4e-3, 90}};
  const auto window = EstimateLoad(slices, Calibrated(3e9), 0.95).value();
  EXPECT_NEAR(window.load.Value(), 2, 1e-12);
  EXPECT_TRUE(window.load.Contains(2));
  EXPECT_NEAR(window.own_share, 0.33, 1e-12);
  EXPECT_EQ(window.longest_gap, 4e-3);
  EXPECT_EQ(window.gaps, 170u);
  EXPECT_EQ(window.start, 0);
  EXPECT_EQ(window.end, 2);
}

// With equal slices, the interval comes only from the calibration and the scheduler's turn. With a
// share of 1/2 and a gap of 4 ms in 2 s the share is 0.5 -+ 0.001. So the load is at least 1/0.501
// - 1 = 0.996 even if the calibration has no variance.
TEST(EstimateLoad, KeepsTheUncertaintyOfOneTimeSlice) {
  const std::vector<CountSlice> slices = {{0, 1, 5e8, 0.5, 4e-3, 80}, {1, 2, 5e8, 0.5, 4e-3, 90}};
  const auto window = EstimateLoad(slices, CoreRate{0, {1e9, 1e9}}, 0.95).value();
  EXPECT_NEAR(window.load.Low(), 1 / 0.501 - 1, 1e-9);
  EXPECT_NEAR(window.load.High(), 1 / 0.499 - 1, 1e-9);
}

TEST(EstimateLoad, IsWiderWithAWorseCalibration) {
  const auto counts = Simulate({.others = 1});
  const auto good = EstimateLoad(counts.slices, Calibrated(kRate, 1e-3), 0.95).value();
  const auto bad = EstimateLoad(counts.slices, Calibrated(kRate, 3e-2), 0.95).value();
  EXPECT_GT(bad.load.HalfWidth(), 2 * good.load.HalfWidth());
}

// A core 10 % slower than calibrated: R0/R - 1 is 2/0.9 - 1 = 1.22 with one other process.
TEST(EstimateLoad, CoversTheLoadAtThePresentSpeedAndReportsTheDrift) {
  const auto counts = Simulate({.others = 1, .speed = 0.9 * kRate});
  const auto window = EstimateLoad(counts.slices, Calibrated(), 0.95).value();
  EXPECT_TRUE(Has(window.caveats, CaveatId::kCalibrationDrift));
  EXPECT_TRUE(window.load.Contains(1));
  EXPECT_TRUE(window.load.Contains(2 / 0.9 - 1));
}

TEST(EstimateLoad, DoesNotReportDriftWithinTheSpreadOfTheCalibration) {
  const auto counts = Simulate({.others = 1, .speed = 0.97 * kRate});
  const auto window = EstimateLoad(counts.slices, Calibrated(kRate, 0.03), 0.95).value();
  EXPECT_FALSE(Has(window.caveats, CaveatId::kCalibrationDrift));
}

TEST(EstimateLoad, WarnsOfAWindowOfFewTimeSlices) {
  const auto brief = Simulate({.others = 3, .slice = 0.01, .total = 0.1});
  EXPECT_TRUE(
      Has(EstimateLoad(brief.slices, Calibrated(), 0.95).value().caveats, CaveatId::kFewSamples));
  const auto ample = Simulate({.others = 3, .total = 1});
  EXPECT_FALSE(
      Has(EstimateLoad(ample.slices, Calibrated(), 0.95).value().caveats, CaveatId::kFewSamples));
}

TEST(EstimateLoad, KeepsAnIntervalWhenTheCounterHardlyRan) {
  const std::vector<CountSlice> slices = {{0, 1, 1, 1e-9, 0.999, 1}, {1, 2, 8192, 8e-6, 0.999, 1}};
  const auto window = EstimateLoad(slices, Calibrated(), 0.95).value();
  EXPECT_TRUE(std::isfinite(window.load.High()));
  EXPECT_LE(window.load.Low(), window.load.Value());
}

TEST(EstimateLoad, RefusesSlicesWithoutTimeOrCount) {
  const std::vector<CountSlice> one = {{0, 1, 1e9, 1, 0, 0}};
  EXPECT_FALSE(EstimateLoad({}, Calibrated(), 0.95));
  EXPECT_FALSE(EstimateLoad(one, Calibrated(), 0.95));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const CountSlice& bad : {CountSlice{1, 1, 1e9, 1, 0, 0}, CountSlice{1, 2, 0, 1, 0, 0},
                                CountSlice{1, 2, nan, 1, 0, 0}, CountSlice{2, 1, 1e9, 1, 0, 0}}) {
    const std::vector<CountSlice> two = {one[0], bad};
    EXPECT_FALSE(EstimateLoad(two, Calibrated(), 0.95));
  }
}

TEST(EstimateLoad, RefusesACalibrationThatVariesAsMuchAsItsValue) {
  const auto counts = Simulate({.others = 1});
  EXPECT_FALSE(EstimateLoad(counts.slices, CoreRate{0, {1e9, 1e3}}, 0.95));
  EXPECT_FALSE(EstimateLoad(counts.slices, CoreRate{0, {1e9}}, 0.95));
}

TEST(EstimateWindows, PartsTheSlicesAtWholeWindows) {
  const auto counts = Simulate({.others = 1, .total = 3});
  const auto windows = EstimateWindows(counts, Calibrated(), 1, 0.95).value();
  ASSERT_EQ(windows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(windows[i].start, static_cast<double>(i), 0.02);
    EXPECT_NEAR(windows[i].load.Value(), 1, 0.1);
  }
  EXPECT_EQ(windows[0].end, windows[1].start);
}

TEST(EstimateWindows, FollowsALoadThatComesAndGoes) {
  CoreCounts counts = Simulate({.others = 0, .total = 1});
  for (CountSlice slice : Simulate({.others = 2, .total = 1}).slices) {
    slice.start += counts.slices[9].end;
    slice.end += counts.slices[9].end;
    counts.slices.push_back(slice);
  }
  const auto windows = EstimateWindows(counts, Calibrated(), 1, 0.95).value();
  ASSERT_GE(windows.size(), 2u);
  EXPECT_TRUE(windows[0].load.Contains(0));
  EXPECT_TRUE(windows[1].load.Contains(2));
  EXPECT_FALSE(windows[1].load.Contains(0));
}

TEST(EstimateWindows, LeavesOutAWindowInWhichTheCounterNeverCameToRun) {
  CoreCounts counts{0, {}};
  counts.slices = {{0, 0.5, 1e8, 0.1, 0.1, 1},
                   {0.5, 2.1, 1e8, 0.1, 1.5, 1},
                   {2.1, 2.5, 1e8, 0.1, 0.1, 1},
                   {2.5, 3, 1e8, 0.1, 0.1, 1}};
  const auto windows = EstimateWindows(counts, Calibrated(), 1, 0.95).value();
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[1].start, 2.1);
}

TEST(EstimateWindows, RefusesWindowsOfNoTime) {
  const auto counts = Simulate({});
  for (double every : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(EstimateWindows(counts, Calibrated(), every, 0.95)) << every;
  }
}

LoadWindow Window(double start, const Measured& load) {
  LoadWindow window{};
  window.start = start;
  window.end = start + 1;
  window.load = load;
  window.own_share = 0.5;
  return window;
}

// Three windows that agree: their calibration can still be wrong by a tenth.
TEST(MeanWindow, KeepsTheUncertaintyThatAllWindowsShare) {
  const std::vector<LoadWindow> windows = {Window(0, Between(1, 0.9, 1.1, 0.95)),
                                           Window(60, Between(1.001, 0.9, 1.3, 0.95)),
                                           Window(120, Between(0.999, 0.9, 1.2, 0.95))};
  const auto mean = MeanWindow(windows, 0.95).value();
  EXPECT_NEAR(mean.load.Value(), 1, 1e-9);
  EXPECT_NEAR(mean.load.Low(), 0.9, 1e-9);
  EXPECT_NEAR(mean.load.High(), 1.2, 1e-9);
  EXPECT_EQ(mean.load.confidence, 0.95);
  EXPECT_EQ(mean.end, 121);
  EXPECT_NEAR(mean.own_share, 0.5, 1e-9);
}

// 1 2 3: mean 2, standard deviation 1, t(2 degrees, 95 %) = 4.3027, half-width 2.484.
TEST(MeanWindow, HasTheSpreadOfTheWindowsWhereThatIsWider) {
  std::vector<LoadWindow> windows;
  for (const double load : {1.0, 2.0, 3.0}) {
    windows.push_back(Window(load, Between(load, load - 0.1, load + 0.1, 0.95)));
  }
  const auto mean = MeanWindow(windows, 0.95).value();
  EXPECT_NEAR(mean.load.High(), 4.484, 1e-3);
  EXPECT_EQ(mean.load.Low(), 0);  // a load is not negative
}

TEST(MeanWindow, OfOneWindowIsThatWindow) {
  const std::vector<LoadWindow> one = {Window(3, Between(1, 0.5, 2, 0.95))};
  EXPECT_EQ(MeanWindow(one, 0.95)->load, one.front().load);
}

}  // namespace
}  // namespace tare::load
