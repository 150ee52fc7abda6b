// virtual_engine_test.cc: tests real programs under the virtual engine, compared with the counting
// engine.
#include "measure/engine/virtual_engine.h"

#include <gtest/gtest.h>

#include "measure/count/count_program.h"
#include "under_engines.h"

namespace tare::count {
namespace {

using model::Event;
using model::Processor;

// Caches of 8 KiB with lines of 64 bytes, a predictor, a target buffer and a return stack.
model::Processor Small() {
  model::Processor processor;
  processor.name = "small";
  processor.l1i = {.bytes = 8192, .ways = 2, .line_bytes = 64};
  processor.l1d = {.bytes = 8192, .ways = 2, .line_bytes = 64};
  processor.branching.direction = model::Direction::kBimodal;
  processor.branching.entries = 1024;
  processor.branching.target_entries = 64;
  processor.branching.return_entries = 8;
  return processor;
}

struct Modelled {
  run::Finished finished;
  Tally tally;
  std::vector<Caveat> caveats;
};

Modelled RunModelled(std::string_view line, const Wanted& wanted = {},
                     VirtualPlan models = {.processor = Small()}) {
  Modelled result;
  auto plan = PlanOf(line, wanted);
  if (!plan) return result;
  plan->virtual_pmu = std::move(models);
  auto run = RunUnder(Engine::kVirtual, BuiltEngines(), *plan);
  EXPECT_TRUE(run) << line << ": " << (run ? "" : run.error().message);
  if (!run) return result;
  Images images;
  auto tally = SumRecordings(run->recordings, RepConvention::kOnce, images, run->events);
  EXPECT_TRUE(tally) << line << ": " << (tally ? "" : tally.error().message);
  if (tally) result.tally = std::move(*tally);
  result.finished = std::move(run->finished);
  result.caveats = std::move(run->caveats);
  return result;
}

class VirtualEngine : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(VirtualEngine, CountsWhatTheValgrindEngineCounts) {
  const std::vector<std::pair<const char*, Wanted>> programs = {
      {"count_loops", {}},        {"memory_walk", {}},
      {"branches", {}},           {"calls", {}},
      {"system_calls", {}},       {"memory_walk", {"main"}},
      {"control_flow", {"main"}}, {"children fork", {"main", true}},
  };
  for (const auto& [line, wanted] : programs) {
    const Modelled modelled = RunModelled(line, wanted);
    const UnderEngine counted = RunUnder(Engine::kValgrind, line, wanted);
    EXPECT_EQ(Text(modelled.tally.total), Text(counted.tally.total)) << line;
    EXPECT_EQ(modelled.finished.ended.ShellStatus(), counted.finished.ended.ShellStatus()) << line;
    EXPECT_EQ(modelled.finished.output, counted.finished.output) << line;
  }
}

// 2,048 words of 8 bytes are 256 lines. An LRU cache of half that size has evicted each of them
// before it is used again. In addition there is the stack.
TEST_F(VirtualEngine, MissesAreThoseOfTheCachesSize) {
  const auto misses = [](std::uint64_t bytes) {
    VirtualPlan models{.processor = Small()};
    models.processor.l1d.bytes = bytes;
    const model::EventCounts events = RunModelled("memory_walk", {"main"}, models).tally.events;
    EXPECT_EQ(events[Event::kL1dStoreMisses], 0U);
    return events[Event::kL1dLoadMisses];
  };
  EXPECT_NEAR(static_cast<double>(misses(8192)), 4 * 256, 8);
  EXPECT_NEAR(static_cast<double>(misses(65536)), 256, 8);
}

// The branch's pattern is "not taken, not taken, taken": a 2-bit counter never predicts the third.
TEST_F(VirtualEngine, MispredictionsAreThoseOfThePredictor) {
  const auto modelled = RunModelled("branches", {"main"});
  EXPECT_NEAR(static_cast<double>(modelled.tally.events[Event::kConditionalMispredictions]), 4000,
              8);
  VirtualPlan models{.processor = Small()};
  models.processor.branching.direction = model::Direction::kGshare;
  models.processor.branching.history_bits = 8;
  const auto learnt = RunModelled("branches", {"main"}, models);
  EXPECT_LT(learnt.tally.events[Event::kConditionalMispredictions], 100U);
}

TEST_F(VirtualEngine, EventsOfFunctionsAndBlocksAddUpToThoseOfTheProgram) {
  const Tally tally = RunModelled("calls").tally;
  model::EventCounts functions;
  for (const auto& [key, function] : tally.functions) functions += function.events;
  EXPECT_EQ(functions, tally.events);
  model::EventCounts blocks;
  for (const BlockTally& block : tally.blocks) blocks += block.events;
  EXPECT_EQ(blocks, tally.events);
  EXPECT_GT(tally.events[Event::kL1iMisses], 0U);
}

TEST_F(VirtualEngine, TwoRunsGiveTheSameEvents) {
  CountRequest request;
  request.program = run::TestProgram("control_flow");
  request.setting = run::Captured();
  request.engines = {Engine::kVirtual};
  request.processor = Small();
  request.events = false;
  Images images;
  const auto report =
      CountProgram(request, BuiltEngines(), images, [](double, std::string_view) { return true; });
  ASSERT_TRUE(report) << report.error().message;
  const EngineCounts& counts = report->engines.front();
  ASSERT_TRUE(counts.Usable()) << counts.absence;
  ASSERT_EQ(counts.events.size(), 2U);
  EXPECT_EQ(counts.events[0], counts.events[1]);
  EXPECT_TRUE(counts.caveats.empty());
}

TEST_F(VirtualEngine, TheFilterChangesNoEvent) {
  Processor with_all = Small();
  with_all.l2 = model::CacheLevel{.bytes = 65536, .ways = 8, .line_bytes = 64};
  with_all.small_pages = {model::TlbLevel{.entries = 8, .ways = 4},
                          model::TlbLevel{.entries = 8, .ways = 4},
                          model::TlbLevel{.entries = 64, .ways = 8}};
  Processor as_cachegrind = Small();
  as_cachegrind.split = model::Split::kOnce;
  as_cachegrind.l1i.write = as_cachegrind.l1d.write = model::WritePolicy::kIgnored;
  const std::vector<std::pair<const char*, Wanted>> programs = {
      {"memory_walk", {}},  {"branches", {}},     {"calls", {"next"}},
      {"control_flow", {}}, {"system_calls", {}}, {"children fork", {"main", true}}};
  for (const Processor& processor : {with_all, as_cachegrind}) {
    for (const auto& [line, wanted] : programs) {
      const Modelled filtered = RunModelled(line, wanted, {.processor = processor, .filter = true});
      const Modelled whole = RunModelled(line, wanted, {.processor = processor});
      EXPECT_EQ(Text(filtered.tally.total), Text(whole.tally.total)) << line;
      EXPECT_EQ(filtered.tally.events, whole.tally.events) << line;
      ASSERT_EQ(filtered.tally.blocks.size(), whole.tally.blocks.size()) << line;
      for (std::size_t i = 0; i < whole.tally.blocks.size(); ++i) {
        EXPECT_EQ(filtered.tally.blocks[i].events, whole.tally.blocks[i].events) << line;
      }
    }
  }
}

TEST_F(VirtualEngine, SamplesAreTakenWhileTheProgramWaits) {
  std::vector<vpmu::SampledTotals> samples;
  VirtualPlan models{.processor = Small()};
  models.sample_instructions = 10'000;
  models.on_sample = [&](const vpmu::SampledTotals& totals) { samples.push_back(totals); };
  const auto modelled = RunModelled("memory_walk", {}, models);
  const std::uint64_t all = modelled.tally.total[Metric::kInstructions];
  ASSERT_EQ(samples.size(), all / 10'000 + 1);
  EXPECT_TRUE(samples.back().last);
  EXPECT_EQ(samples.back().instructions, all);
  EXPECT_EQ(samples.back().events, modelled.tally.events);
  samples.pop_back();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(samples[i].instructions), 10'000 * (static_cast<double>(i) + 1),
                200);
  }
}

TEST_F(VirtualEngine, WithoutAProcessorIsRefused) {
  EnginePlan plan;
  plan.program = run::TestProgram("count_loops");
  plan.setting = run::Captured();
  const auto without = RunUnder(Engine::kVirtual, BuiltEngines(), plan);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, ErrorKind::kUsage);
  plan.virtual_pmu = VirtualPlan{.processor = Small()};
  plan.virtual_pmu->processor.l1d.ways = 0;
  const auto bad = RunUnder(Engine::kVirtual, BuiltEngines(), plan);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::count
