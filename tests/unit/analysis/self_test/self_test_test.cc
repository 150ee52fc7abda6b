// self_test_test.cc: the sources of counts pass the self-test, and a wrong model fails it.
#include "analysis/self_test/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
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

std::vector<std::string> AllShipped() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(TARE_SOURCE_DIR "/data/processors")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// The first of each workload, to be quick: each run under Valgrind takes a good part of a second.
std::vector<Effect> FirstOfEach(const std::vector<Effect>& effects) {
  std::vector<Effect> first;
  for (const Effect& effect : effects) {
    const bool models = std::ranges::any_of(
        effect.known, [](const Known& known) { return known.kind == Kind::kModel; });
    if (models && std::ranges::find(first, effect.workload, &Effect::workload) == first.end())
      first.push_back(effect);
  }
  return first;
}

class QuickSelfTestOf : public testing::TestWithParam<std::string> {};

TEST_P(QuickSelfTestOf, VirtualPmuCountsWhatIsKnown) {
  SelfTestRequest request = RequestFor(Shipped(GetParam()), Engine::kVirtual);
  request.effects = FirstOfEach(request.effects);
  const auto report = RunSelfTest(request, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(Failed(*report), IsEmpty());
  EXPECT_GE(Counted(*report), 5u);
}

INSTANTIATE_TEST_SUITE_P(AllProcessors, QuickSelfTestOf, testing::ValuesIn(AllShipped()),
                         [](const auto& one) {
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

TEST(EffectsOnHardware, ExceedTheCachesOfTheMachine) {
  host::Topology topology;
  topology.caches = {{1, host::CacheKind::kData, 32 << 10, 64, 8, 1, 4},
                     {1, host::CacheKind::kInstruction, 64 << 10, 64, 4, 1, 4},
                     {2, host::CacheKind::kUnified, 1 << 20, 64, 16, 1, 4},
                     {3, host::CacheKind::kUnified, 8 << 20, 64, -1, 4, 1}};
  const auto effects = EffectsOnHardware(topology);
  const auto of = [&](const std::string& event, const std::string& workload) {
    const auto found = std::ranges::find_if(effects, [&](const Effect& effect) {
      return effect.workload == workload &&
             std::ranges::find(effect.known, event, &Known::event) != effect.known.end();
    });
    EXPECT_NE(found, effects.end()) << event;
    return found == effects.end() ? Effect{} : *found;
  };
  EXPECT_EQ(of("l1d-misses", "chase").places, (std::vector<std::string>{"32", "4096"}));
  EXPECT_EQ(of("l1i-misses", "code").places, (std::vector<std::string>{"16", "16384"}));
  EXPECT_EQ(of("l2-data-misses", "chase").places, (std::vector<std::string>{"65536", "64"}));
  EXPECT_EQ(of("l3-misses", "chase").places, (std::vector<std::string>{"524288", "64"}));
  for (const char* event : {"conditional-branches", "l1d-accesses", "l1d-misses", "l1i-misses"}) {
    EXPECT_GT(of(event, "loop").count, 0U);
  }
  EXPECT_GT(of("conditional-mispredictions", "random").count, 0U);
  EXPECT_GT(of("dtlb-misses", "chase").count, 0U);
  EXPECT_GT(of("itlb-misses", "code").count, 0U);
  for (const Effect& effect : effects) {
    EXPECT_LE(effect.known.size(), 4U) << effect.workload;
    for (const Known& known : effect.known) EXPECT_EQ(known.kind, Kind::kHardware);
  }
}

TEST(SelfTest, EventsWithoutAWorkloadAreListed) {
  const auto report = RunSelfTest(RequestFor(Shipped("zen2"), Engine::kKernel), NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<std::string> untested;
  for (const Untested& one : report->untested) {
    if (one.source != "kernel") continue;
    untested.push_back(one.event);
    EXPECT_FALSE(one.reason.empty());
  }
  if (untested == std::vector<std::string>{""}) GTEST_SKIP() << "not available here";
  EXPECT_THAT(untested, Contains("context-switches"));
  EXPECT_THAT(untested, Not(Contains("page-faults")));
}

TEST(SelfTest, InterruptedStops) {
  const auto report = RunSelfTest(RequestFor(Shipped("zen2"), Engine::kVirtual),
                                  [](double, std::string_view) { return false; });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kInterrupted);
}

// A request whose counts are `differences` in turn, for each measurement of one event.
std::pair<SelfTestReport, int> Disturbed(std::vector<std::uint64_t> differences) {
  int runs = 0;
  SelfTestRequest request = RequestFor(Shipped("zen2"), Engine::kVirtual);
  request.effects = {{"chase", 500, {}, "", {{Kind::kModel, "l1d-misses", 500, 510}}}};
  request.count = [&](Engine, const Effect&, std::uint64_t count) -> Result<Counts> {
    const auto measurement = static_cast<std::size_t>(runs++ / 2);
    return Counts{{"l1d-misses", count > 500 ? 100 + differences.at(measurement) : 100}};
  };
  const auto report = RunSelfTest(request, NoProgress);
  EXPECT_TRUE(report) << report.error().message;
  return {report.value_or(SelfTestReport{}), runs};
}

TEST(SelfTest, ADisturbedMeasurementIsRepeated) {
  const auto [report, runs] = Disturbed({530, 500, 501});
  EXPECT_THAT(Failed(report), IsEmpty());
  ASSERT_EQ(report.tests.size(), 1U);
  EXPECT_EQ(report.tests[0].counted, 500U);
  EXPECT_EQ(runs, 6);
}

TEST(SelfTest, AnEventThatIsWrongTwiceFails) {
  const auto [report, runs] = Disturbed({530, 500, 530});
  EXPECT_THAT(Failed(report), Not(IsEmpty()));
}

TEST(SelfTest, RightCountsAreMeasuredOnce) {
  const auto [report, runs] = Disturbed({500});
  EXPECT_THAT(Failed(report), IsEmpty());
  EXPECT_EQ(runs, 2);
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
