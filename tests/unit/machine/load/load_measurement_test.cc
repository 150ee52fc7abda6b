// load_measurement_test.cc: tests which load measurements are rejected, and the form of the report.
#include "machine/load/load_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/host/affinity.h"

namespace tare::load {
namespace {

Calibration Of(unsigned core) {
  return {"box",
          "Linux",
          "2026-01-02T03:04:05Z",
          std::string(kLoopId),
          0.2,
          {{core, {1e9, 1.001e9, 0.999e9}}}};
}

TEST(MeasureLoad, ReportsEveryWindowOfACore) {
  const unsigned core = host::AllowedProcessors().value().front();
  const auto report = MeasureLoad({{core}, 0.3, {}, 0.9, 0.95}, Of(core), NoProgress).value();
  ASSERT_EQ(report.cores.size(), 1u);
  EXPECT_EQ(report.cores[0].whole.core, core);
  EXPECT_GT(report.started, 0);
  // On a core so busy that the counter misses windows, the report says so.
  if (report.windows.size() < 3) {
    EXPECT_FALSE(report.cores[0].caveats.empty());
  }
  for (const LoadWindow& window : report.windows) {
    EXPECT_LE(window.load.Low(), window.load.Value());
    EXPECT_GE(window.load.High(), window.load.Value());
  }
}

// Three windows of 0.1 s at 0, 0.3 and 0.6 s, and pauses between them.
TEST(MeasureLoad, PausesBetweenWindows) {
  const unsigned core = host::AllowedProcessors().value().front();
  LoadConfig config{{core}, 0.3, {}, 0.9, 0.95};
  config.window = 0.1;
  const auto report = MeasureLoad(config, Of(core), NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<double> loads;
  for (std::size_t i = 0; i < report->windows.size(); ++i) {
    const LoadWindow& window = report->windows[i];
    EXPECT_GE(window.start, 0.3 * static_cast<double>(i));
    // The counter ran for no longer than its windows.
    EXPECT_LE(window.own_share, 1.01);
    if (i > 0) {
      EXPECT_GT(window.start, report->windows[i - 1].end);
    }
    loads.push_back(window.load.Value());
  }
  if (loads.size() < 3) {
    EXPECT_FALSE(report->cores[0].caveats.empty());
  } else {
    const double mean = (loads[0] + loads[1] + loads[2]) / 3;
    EXPECT_NEAR(report->cores[0].whole.load.Value(), mean, 1e-9);
    EXPECT_GE(report->cores[0].whole.load.High(), mean);
  }
}

TEST(MeasureLoad, RefusesWindowsThatDoNotFit) {
  for (const double window : {0.01, 2.0}) {
    LoadConfig config{{0}, 1, window, 2, 0.95};
    EXPECT_FALSE(MeasureLoad(config, Of(0), NoProgress)) << window;
  }
}

TEST(MeasureLoad, NamesTheCalibratedCoresWhenAnotherIsRequested) {
  const auto missing = MeasureLoad({{7}, 1, {}, 1, 0.95}, Of(3), NoProgress);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              ::testing::HasSubstr("core 7 is not calibrated (calibrated: 3"));
}

TEST(MeasureLoad, RefusesTheCalibrationOfAnotherLoop) {
  Calibration other = Of(0);
  other.loop = "chain-1";
  const auto refused = MeasureLoad({{0}, 1, {}, 1, 0.95}, other, NoProgress);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kFormat);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("chain-1"));
}

TEST(MeasureLoad, RefusesImpossibleTimes) {
  for (const auto& [every, duration] :
       {std::pair{0.01, 1.0}, {1.0, 0.5}, {0.0, 1.0}, {-1.0, 1.0}, {4000.0, 8000.0}}) {
    EXPECT_FALSE(MeasureLoad({{0}, every, {}, duration, 0.95}, Of(0), NoProgress)) << every;
  }
  EXPECT_FALSE(MeasureLoad({{0}, 1, {}, 1, 1.5}, Of(0), NoProgress));
  EXPECT_FALSE(MeasureLoad({{}, 1, {}, 1, 0.95}, Of(0), NoProgress));
}

TEST(MeasureLoad, StopsOnRequest) {
  const unsigned core = host::AllowedProcessors().value().front();
  const auto stopped = MeasureLoad({{core}, 1, {}, 100, 0.95}, Of(core),
                                   [](double, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace tare::load
