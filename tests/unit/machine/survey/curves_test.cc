// curves_test.cc: tests that a small survey of curves on this machine measures every point,
// whatever the rates.
#include "machine/survey/curves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/microbenchmark/memory_loop.h"

namespace tare::survey {
namespace {

CurveConfig Small() {
  CurveConfig config;
  config.keys = CurvesToMeasure(microbenchmark::WidestVector(), true);
  config.range = {1024, 65536};
  config.quick = true;
  return config;
}

TEST(MeasureCurves, GivesEveryPointItsSamples) {
  std::vector<CurveSamples> curves;
  int saved = 0;
  const auto measured = MeasureCurves(
      Small(), curves,
      [&]() -> Result<void> {
        ++saved;
        return {};
      },
      NoProgress);
  ASSERT_TRUE(measured.has_value()) << measured.error().message;
  EXPECT_EQ(curves.size(), Small().keys.size());
  EXPECT_GE(saved, static_cast<int>(kMinSamples));
  for (const CurveSamples& curve : curves) {
    EXPECT_GE(curve.points.size(), 4u) << machine_profile::CurveName(curve.key);
    EXPECT_EQ(curve.points.back().bytes, 65536u);
    for (const PointSamples& point : curve.points) {
      EXPECT_GE(point.samples.values.size(), kMinSamples);
      EXPECT_TRUE(std::ranges::all_of(point.samples.values, [](double rate) { return rate > 0; }));
    }
  }
}

TEST(MeasureCurves, StopsOnRequestAndContinuesLater) {
  std::vector<CurveSamples> curves;
  int calls = 0;
  const Progress stop_soon = [&](double, std::string_view) { return ++calls < 10; };
  const auto save = []() -> Result<void> { return {}; };
  const auto stopped = MeasureCurves(Small(), curves, save, stop_soon);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
  std::size_t samples = 0;
  for (const CurveSamples& curve : curves) {
    for (const PointSamples& point : curve.points) samples += point.samples.values.size();
  }
  EXPECT_EQ(samples, 9u);
  const auto before = curves;
  ASSERT_TRUE(MeasureCurves(Small(), curves, save, NoProgress).has_value());
  for (std::size_t c = 0; c < before.size(); ++c) {
    for (const PointSamples& point : before[c].points) {
      const auto after = std::ranges::find(curves[c].points, point.bytes, &PointSamples::bytes);
      ASSERT_NE(after, curves[c].points.end());
      EXPECT_TRUE(std::equal(point.samples.values.begin(), point.samples.values.end(),
                             after->samples.values.begin()));
    }
  }
}

}  // namespace
}  // namespace tare::survey
