// proxy_measurement_test.cc: tests measuring two programs, with and without engines.
#include "analysis/proxy/proxy_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/core/processor_file.h"

namespace tare::proxy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

run::ResolvedProgram Program(const std::string& path) {
  auto program = run::Resolve({{path}});
  EXPECT_TRUE(program) << path;
  return *program;
}

ProxyRequest RequestFor(const std::string& vanilla, const std::string& instrumented) {
  ProxyRequest request;
  request.vanilla = Program(vanilla);
  request.instrumented = Program(instrumented);
  request.setting.input.from = run::Input::From::kNothing;
  request.setting.argv0_length =
      std::max(request.vanilla.path.string().size(), request.instrumented.path.string().size());
  request.pairs = 2;
  request.layouts = 2;
  return request;
}

const std::string kClean = TARE_TEST_PROGRAMS "/why_clean";

TEST(MeasureProxy, WithoutEnginesTheCountsAreAbsentAndTheTimesThere) {
  count::Images images;
  const auto report =
      MeasureProxy(RequestFor(kClean, kClean), host::EngineFiles{}, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->ratios.program, "why_clean");
  EXPECT_EQ(report->pairs, 2u);
  const MetricRatio* time = FindMetric(report->ratios, kRunTime);
  ASSERT_NE(time, nullptr);
  EXPECT_TRUE(time->ratio.value.has_value());
  EXPECT_EQ(time->vanilla.size(), 2u);
  const MetricRatio* stores = FindMetric(report->ratios, "stores");
  ASSERT_NE(stores, nullptr);
  EXPECT_FALSE(stores->ratio.value.has_value());
  EXPECT_FALSE(stores->ratio.reason.empty());
  EXPECT_FALSE(FindMetric(report->ratios, "mispredictions")->ratio.reason.empty());
  EXPECT_TRUE(report->counted.engine.empty());
}

TEST(MeasureProxy, AProgramIsAProxyOfItself) {
  const auto files = host::FindEngineFiles(TARE_BINARY_DIR "/tare", {});
  if (const auto can = engine::CanRun(engine::Engine::kValgrind, files); !can) {
    GTEST_SKIP() << can.error().message;
  }
  count::Images images;
  const auto report = MeasureProxy(RequestFor(kClean, kClean), files, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->layouts, 2u);
  EXPECT_TRUE(report->other_work.empty());
  for (const char* name : {"instructions", "loads", "stores", "conditional-branches"}) {
    const MetricRatio* metric = FindMetric(report->ratios, name);
    ASSERT_NE(metric, nullptr) << name;
    ASSERT_TRUE(metric->ratio.value) << metric->ratio.reason;
    EXPECT_EQ(metric->ratio.Value(), 1) << name;
    EXPECT_TRUE(metric->ratio.exact) << name;
    EXPECT_EQ(metric->ratio.verdict, Verdict::kValid) << name;
  }
  EXPECT_EQ(FindMetric(report->ratios, "l1i-misses")->ratio.reason,
            "no processor description was given");
}

TEST(MeasureProxy, ComparesTheMetricsOfThePublishedTable) {
  const auto files = host::FindEngineFiles(TARE_BINARY_DIR "/tare", {});
  if (const auto can = engine::CanRun(engine::Engine::kVirtual, files); !can) {
    GTEST_SKIP() << can.error().message;
  }
  auto request = RequestFor(kClean, kClean);
  auto processor = model::ReadProcessor(TARE_SOURCE_DIR "/data/processors/zen2.toml");
  ASSERT_TRUE(processor);
  request.processor = *processor;
  count::Images images;
  const auto report = MeasureProxy(request, files, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  const MetricRatio* fetches = FindMetric(report->ratios, "l2-instruction-accesses");
  ASSERT_NE(fetches, nullptr);
  ASSERT_FALSE(fetches->vanilla.empty());
  EXPECT_EQ(fetches->vanilla, FindMetric(report->ratios, "l1i-misses")->vanilla);
  const MetricRatio* conditional = FindMetric(report->ratios, "conditional-mispredictions");
  ASSERT_NE(conditional, nullptr);
  ASSERT_FALSE(conditional->vanilla.empty());
  EXPECT_LE(conditional->vanilla[0], FindMetric(report->ratios, "mispredictions")->vanilla[0]);
  const MetricRatio* stalled = FindMetric(report->ratios, "stalled-cycles");
  ASSERT_NE(stalled, nullptr);
  EXPECT_THAT(stalled->ratio.reason, HasSubstr("no pipeline"));
}

TEST(MeasureProxy, AnEventThatFailedItsSelfTestIsDoubtful) {
  const auto files = host::FindEngineFiles(TARE_BINARY_DIR "/tare", {});
  if (const auto can = engine::CanRun(engine::Engine::kValgrind, files); !can) {
    GTEST_SKIP() << can.error().message;
  }
  auto request = RequestFor(kClean, kClean);
  request.failed_test = [](std::span<const std::string> sources,
                           std::string_view event) -> std::optional<std::string> {
    if (event != "loads" || sources.front() != "valgrind") return std::nullopt;
    return "loads of valgrind counts 2 instead of 1";
  };
  count::Images images;
  const auto report = MeasureProxy(request, files, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  const MetricRatio* loads = FindMetric(report->ratios, "loads");
  EXPECT_EQ(loads->ratio.verdict, Verdict::kDoubtful);
  EXPECT_THAT(loads->ratio.reason, HasSubstr("counts 2 instead of 1"));
  EXPECT_EQ(FindMetric(report->ratios, "stores")->ratio.verdict, Verdict::kValid);
}

TEST(MeasureProxy, OtherStatusesAreOtherWork) {
  count::Images images;
  const auto report =
      MeasureProxy(RequestFor("/bin/true", "/bin/false"), host::EngineFiles{}, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->other_work, ElementsAre("the exit statuses of the programs differ: 0 and 1"));
  EXPECT_EQ(report->caveats.back().key, CaveatId::kExitStatusVaries);
  for (const MetricRatio& metric : report->ratios.metrics) {
    if (!metric.ratio.value) continue;
    EXPECT_NE(metric.ratio.verdict, Verdict::kValid) << metric.metric;
  }
}

TEST(MeasureProxy, OtherOutputIsOtherWork) {
  ProxyRequest request = RequestFor("/bin/echo", "/usr/bin/printf");
  request.vanilla.arguments.emplace_back("text");
  request.instrumented.arguments.emplace_back("text");
  count::Images images;
  const auto report = MeasureProxy(request, host::EngineFiles{}, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->other_work, ElementsAre("the programs write different output"));
}

TEST(MeasureProxy, AProgramThatDoesNotEndIsNamed) {
  ProxyRequest request = RequestFor("/bin/true", "/bin/sleep");
  request.vanilla.arguments.emplace_back("5");
  request.instrumented.arguments.emplace_back("5");
  request.setting.timeout_seconds = 1;
  count::Images images;
  const auto report = MeasureProxy(request, host::EngineFiles{}, images, NoProgress);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("the instrumented program did not exit"));
}

TEST(MeasureProxy, AFunctionMustBeInBoth) {
  ProxyRequest request = RequestFor(kClean, kClean);
  request.region = "no_such_function";
  count::Images images;
  const auto report = MeasureProxy(request, host::EngineFiles{}, images, NoProgress);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("no_such_function"));
}

}  // namespace
}  // namespace tare::proxy
