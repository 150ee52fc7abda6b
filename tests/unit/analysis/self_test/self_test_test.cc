// self_test_test.cc: the sources of counts pass the self-test, and a wrong model fails it.
#include "analysis/self_test/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/core/processor_file.h"

namespace tare::self_test {
namespace {

using engine::Engine;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

model::Processor Shipped(const std::string& name) {
  auto processor = model::ReadProcessor(TARE_SOURCE_DIR "/data/processors/" + name + ".toml");
  EXPECT_TRUE(processor) << name;
  return processor ? *processor : model::Processor{};
}

SelfTestRequest RequestFor(const model::Processor& processor, Engine engine) {
  SelfTestRequest request;
  request.files = host::FindEngineFiles(TARE_BINARY_DIR "/tare", {});
  request.program = TARE_BINARY_DIR "/engines/tare-known";
  request.processor = processor;
  request.effects = EffectsOn(processor);
  request.engines = {engine};
  request.interrupted = [] { return false; };
  return request;
}

std::vector<std::string> Failed(const SelfTestReport& report) {
  std::vector<std::string> failed;
  for (const Tested& test : report.tests) {
    if (test.counted && !test.Passed()) {
      failed.push_back(test.event + ": " + std::to_string(*test.counted) + ", expected " +
                       std::to_string(test.low) + " to " + std::to_string(test.high));
    }
  }
  return failed;
}

std::size_t Counted(const SelfTestReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.tests, [](const Tested& test) { return test.counted.has_value(); }));
}

class SelfTestOf : public testing::TestWithParam<std::string> {};

TEST_P(SelfTestOf, VirtualPmuCountsWhatIsKnown) {
  const auto report = RunSelfTest(RequestFor(Shipped(GetParam()), Engine::kVirtual), NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(Failed(*report), IsEmpty());
  EXPECT_GE(Counted(*report), 10u);
}

INSTANTIATE_TEST_SUITE_P(Processors, SelfTestOf,
                         testing::Values("zen2", "neoverse-v1", "cachegrind"), [](const auto& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class SelfTestBy : public testing::TestWithParam<Engine> {};

TEST_P(SelfTestBy, EnginesCountWhatIsKnown) {
  const auto report = RunSelfTest(RequestFor(Shipped("zen2"), GetParam()), NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(Failed(*report), IsEmpty());
  if (Counted(*report) == 0) GTEST_SKIP() << "not available here";
  EXPECT_GE(Counted(*report), GetParam() == Engine::kKernel ? 1u : 9u);
}

INSTANTIATE_TEST_SUITE_P(Engines, SelfTestBy,
                         testing::Values(Engine::kKernel, Engine::kValgrind, Engine::kQemu),
                         [](const auto& one) { return std::string(Name(one.param)); });

// The workloads fill a set of a cache that the model gives four times as many ways.
TEST(SelfTest, WrongModelFails) {
  SelfTestRequest request = RequestFor(Shipped("zen2"), Engine::kVirtual);
  request.processor.l1d.ways *= 4;
  request.processor.l1d.bytes *= 4;
  const auto report = RunSelfTest(request, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(Failed(*report), Contains(testing::HasSubstr("l1d-misses: 0,")));
  EXPECT_THAT(Failed(*report), Not(Contains(testing::HasSubstr("return-mispredictions"))));
}

TEST(SelfTest, MissingEngineIsUntested) {
  SelfTestRequest request = RequestFor(Shipped("zen2"), Engine::kQemu);
  request.files = {};
  const auto report = RunSelfTest(request, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->tests, IsEmpty());
  ASSERT_FALSE(report->untested.empty());
  EXPECT_EQ(report->untested.front().source, "qemu");
  EXPECT_FALSE(report->untested.front().reason.empty());
}

TEST(SelfTest, InterruptedStops) {
  const auto report = RunSelfTest(RequestFor(Shipped("zen2"), Engine::kVirtual),
                                  [](double, std::string_view) { return false; });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kInterrupted);
}

TEST(VerdictsOf, AnEventFailsIfOneOfItsTestsDoes) {
  SelfTestReport report;
  report.tests = {{"hardware", "branches", "", 100, 100, 101, 100, ""},
                  {"hardware", "branches", "", 100, 100, 101, 200, ""},
                  {"kernel", "page-faults", "", 10, 10, 10, 11, ""},
                  {"hardware", "loads", "", 10, 10, 10, std::nullopt, "no counter"},
                  {"valgrind", "branches", "", 100, 100, 100, 100, ""}};
  const auto verdicts = VerdictsOf(report);
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0],
            (pmu::EventVerdict{"hardware", "branches", false, "200 instead of 100 to 101"}));
  EXPECT_EQ(verdicts[1], (pmu::EventVerdict{"kernel", "page-faults", false, "11 instead of 10"}));
  EXPECT_EQ(verdicts[2], (pmu::EventVerdict{"valgrind", "branches", true, ""}));
}

}  // namespace
}  // namespace tare::self_test
