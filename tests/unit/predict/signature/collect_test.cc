// collect_test.cc: programs under the engines of this build.
#include "predict/signature/collect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "model/vpmu/flow_taker.h"
#include "predict/signature/block_use.h"
#include "predict/signature/flow_collector.h"
#include "tests/unit/measure/count/compiled_program.h"
#include "tests/unit/measure/count/under_engines.h"

namespace tare::signature {
namespace {

using count::BuiltEngines;
using engine::Engine;
using model::Event;

CollectPlan PlanFor(run::ResolvedProgram program, const Sampling& sampling) {
  CollectPlan plan;
  plan.files = BuiltEngines();
  plan.engine.program = std::move(program);
  plan.engine.setting = run::Captured();
  plan.engine.setting.environment.bind_now = true;
  plan.engine.setting.timeout_seconds = 600;
  plan.sampling = sampling;
  return plan;
}

// The sum over all blocks; ways from 1.
std::uint64_t NearMisses(const CollectedPart& part, const Grid& grid, std::size_t shape,
                         unsigned ways) {
  std::uint64_t misses = 0;
  for (const BlockUse& use : part.blocks) {
    if (use.near.at_depth.empty()) continue;
    const auto first = use.near.at_depth.begin() + static_cast<long>(shape * grid.Depths());
    misses += std::accumulate(first + ways, first + static_cast<long>(grid.Depths()), 0ULL);
  }
  return misses;
}

std::uint64_t NearWriteBacks(const CollectedPart& part, const Grid& grid, std::size_t shape,
                             unsigned ways) {
  std::uint64_t sum = 0;
  for (const BlockUse& use : part.blocks)
    if (!use.near.write_backs.empty())
      sum += use.near.write_backs[shape * grid.max_ways + ways - 1];
  return sum;
}

std::uint64_t Sum(const CollectedPart& part, std::uint64_t BlockUse::* count) {
  std::uint64_t sum = 0;
  for (const BlockUse& use : part.blocks) sum += use.*count;
  return sum;
}

struct ModelledCache {
  unsigned line_bytes;
  unsigned sets;
  unsigned ways;
};

// Passes one flow to a collector and to models of single caches, so that all of them see the same
// accesses.
class SideBySide : public vpmu::FlowSink {
 public:
  using CoreTaker = vpmu::FlowTaker<model::Core>;

  SideBySide(std::unique_ptr<vpmu::FlowSink> collector, const vpmu::FlowOrigin& origin,
             const std::vector<ModelledCache>& caches, std::vector<model::EventCounts>& totals)
      : collector_(std::move(collector)), totals_(totals) {
    for (const ModelledCache& cache : caches) {
      model::Processor processor;
      processor.name = "one cache";
      processor.l1i = {.bytes = 32768, .ways = 8};
      processor.l1d = {.bytes = std::uint64_t{cache.line_bytes} * cache.sets * cache.ways,
                       .ways = cache.ways,
                       .line_bytes = cache.line_bytes};
      auto core = model::Core::Make(processor);
      EXPECT_TRUE(core) << core.error().message;
      takers_.push_back(std::make_unique<CoreTaker>(std::move(*core), origin.architecture, false));
    }
  }

  Result<void> Learn(std::span<const format::FlowBlock> blocks) override {
    for (auto& taker : takers_) TRY_VOID(taker->Learn(blocks));
    return collector_->Learn(blocks);
  }
  Result<void> Take(std::span<const std::uint64_t> words,
                    const std::function<Result<void>()>& learn) override {
    for (auto& taker : takers_) TRY_VOID(taker->Take(words, learn, {}));
    return collector_->Take(words, learn);
  }
  std::vector<tare_wire_counters> Close(bool cut_short) override {
    for (auto& taker : takers_) {
      totals_.emplace_back();
      for (const model::EventCounts& events : taker->Events()) totals_.back() += events;
    }
    return collector_->Close(cut_short);
  }

 private:
  std::unique_ptr<vpmu::FlowSink> collector_;
  std::vector<std::unique_ptr<CoreTaker>> takers_;
  std::vector<model::EventCounts>& totals_;
};

// Also programs of Debian's that every installation has.
TEST(Collect, TheNearZoneIsThatOfTheModelledCaches) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  const std::vector<ModelledCache> caches = {{64, 64, 1},   {64, 64, 8},    {64, 128, 12},
                                             {64, 1024, 3}, {64, 4096, 24}, {128, 32, 4},
                                             {128, 64, 8},  {128, 2048, 2}};
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{run::ProgramPath("memory_walk")},
        {"/bin/sort", "-S", "1M", std::string(TARE_SOURCE_DIR) + "/ARCHITECTURE.md"},
        {"/bin/gzip", "-c", std::string(TARE_SOURCE_DIR) + "/LICENSE"}}) {
    auto program = run::Resolve({line});
    ASSERT_TRUE(program) << line.front();
    CollectPlan plan = PlanFor(*program, Sampling::Exact());
    std::vector<CollectedFlow> flows;
    std::vector<model::EventCounts> totals;
    const auto collect = CollectFlows(plan, flows);
    plan.engine.virtual_pmu.emplace();
    plan.engine.virtual_pmu->make_sink =
        [&](const vpmu::FlowOrigin& origin) -> Result<std::unique_ptr<vpmu::FlowSink>> {
      TRY(auto collector, collect(origin));
      return std::make_unique<SideBySide>(std::move(collector), origin, caches, totals);
    };
    const auto run = engine::RunUnder(Engine::kVirtual, plan.files, plan.engine);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(flows.size(), 1U);
    ASSERT_EQ(totals.size(), caches.size());
    const CollectedPart& part = flows[0].parts.at(0);
    EXPECT_TRUE(flows[0].near_exact);
    for (std::size_t i = 0; i < caches.size(); ++i) {
      const auto shape = plan.grid.ShapeOf(caches[i].line_bytes, caches[i].sets);
      ASSERT_TRUE(shape);
      const std::string name = fmt::format("{}: {} sets of {} lines of {} bytes", line.front(),
                                           caches[i].sets, caches[i].ways, caches[i].line_bytes);
      const std::uint64_t misses =
          totals[i][Event::kL1dLoadMisses] + totals[i][Event::kL1dStoreMisses];
      EXPECT_GT(misses, 0U) << name;
      EXPECT_EQ(NearMisses(part, plan.grid, *shape, caches[i].ways), misses) << name;
      EXPECT_EQ(NearWriteBacks(part, plan.grid, *shape, caches[i].ways),
                totals[i][Event::kL1dWriteBacks])
          << name;
    }
  }
}

// 2,048 words of 8 bytes, 4 times: 256 lines of 64 bytes on 4 or 5 pages.
TEST(Collect, KnowsTheUseOfMemoryOfAWalk) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  CollectPlan plan = PlanFor(run::TestProgram("memory_walk"), Sampling::Exact());
  plan.sampling.far_bits = 0;
  const auto collected = Collect(plan);
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_TRUE(collected->complete);
  EXPECT_TRUE(collected->near_exact);
  EXPECT_EQ(collected->sampled_lines, 1);
  ASSERT_EQ(collected->parts.size(), 1U);
  ASSERT_EQ(collected->recordings.size(), 1U);
  // The compiler may have copied the loop for each walk.
  CollectedPart loops;
  for (const BlockUse& use : collected->parts[0].blocks)
    if (use.executions >= 2000) loops.blocks.push_back(use);
  const std::uint64_t executions = Sum(loops, &BlockUse::executions);
  // The first iteration may be a part of another block.
  EXPECT_NEAR(static_cast<double>(executions), 8192, 4);
  EXPECT_EQ(Sum(loops, &BlockUse::loads), executions);
  EXPECT_EQ(Sum(loops, &BlockUse::stores), executions);
  EXPECT_EQ(Sum(loops, &BlockUse::load_bytes), 8 * executions);
  EXPECT_LE(Sum(loops, &BlockUse::mispredictions), 20U);
  double cold = 0;
  double far = 0;
  std::uint64_t cold_pages = 0;
  for (const BlockUse& loop : loops.blocks) {
    // Loads have stride one, and each store is at the address of its load.
    EXPECT_GT(loop.strides.sampled, 1000U);
    EXPECT_NEAR(loop.strides.one, 0.5, 0.01);
    EXPECT_NEAR(loop.strides.same, 0.5, 0.01);
    cold += loop.far.cold;
    for (std::size_t bin = DistanceBin(200); bin < loop.far.at_distance.size(); ++bin)
      far += loop.far.at_distance[bin];
    cold_pages += loop.pages.at(0).cold;
  }
  // 16 KiB are more than 1 way of 64 sets, and fit in 8 ways.
  const auto misses = [&](unsigned sets, unsigned ways) {
    return static_cast<double>(NearMisses(loops, plan.grid, *plan.grid.ShapeOf(64, sets), ways));
  };
  EXPECT_NEAR(misses(64, 1), 4 * 256, 4);
  EXPECT_NEAR(misses(64, 8), 256, 2);
  EXPECT_NEAR(misses(4096, 24), 256, 2);
  // After the first walk, every line is used again after 255 others.
  EXPECT_NEAR(cold, 256, 2);
  EXPECT_NEAR(far, 3 * 256, 6);
  EXPECT_LE(cold_pages, 5U);
  EXPECT_GE(cold_pages, 3U);
}

// An access that spans two lines is two references, unless the engine omits it.
NearReuse WithoutDepth0(NearReuse near, const Grid& grid) {
  for (std::size_t first = 0; first < near.at_depth.size(); first += grid.Depths())
    near.at_depth[first] = 0;
  return near;
}

// With separate threads the engine omits nothing; the whole process must be the same.
TEST(Collect, WhatTheEngineOmitsChangesNothing) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{run::ProgramPath("memory_walk")},
        {"/bin/gzip", "-c", std::string(TARE_SOURCE_DIR) + "/README.md"}}) {
    auto program = run::Resolve({line});
    ASSERT_TRUE(program) << line.front();
    CollectPlan plan = PlanFor(*program, Sampling::Exact());
    // Windows of pages are at other places in a flow that has more words.
    plan.sampling.page_chunks = plan.sampling.page_period;
    plan.threads_apart = true;
    EXPECT_EQ(FilterOf(plan).entries, 0U);
    const auto all = Collect(plan);
    ASSERT_TRUE(all) << all.error().message;
    const CollectedPart& a = all->parts.at(0);
    plan.threads_apart = false;
    EXPECT_EQ(FilterOf(plan).entries, 32U);
    EXPECT_EQ(FilterOf(plan).groups, 0xffff'ffffU);
    // No window, windows of one part in turn, and one window that is the whole run.
    for (const unsigned parts : {0U, 1U, 2U}) {
      plan.sampling.window_parts = parts;
      plan.sampling.window_period = 2;
      const auto sparse = Collect(plan);
      ASSERT_TRUE(sparse) << sparse.error().message;
      const CollectedPart& b = sparse->parts.at(0);
      ASSERT_EQ(a.blocks.size(), b.blocks.size()) << line.front();
      for (std::size_t i = 0; i < a.blocks.size(); ++i) {
        EXPECT_EQ(a.blocks[i].executions, b.blocks[i].executions) << i;
        EXPECT_EQ(a.blocks[i].second, b.blocks[i].second) << i;
        EXPECT_EQ(a.blocks[i].loads, b.blocks[i].loads) << i;
        EXPECT_EQ(a.blocks[i].stores, b.blocks[i].stores) << i;
        EXPECT_EQ(a.blocks[i].store_bytes, b.blocks[i].store_bytes) << i;
        EXPECT_TRUE(WithoutDepth0(a.blocks[i].near, plan.grid) ==
                    WithoutDepth0(b.blocks[i].near, plan.grid))
            << i;
        EXPECT_TRUE(a.blocks[i].far == b.blocks[i].far) << i;
        if (parts < 2) continue;
        EXPECT_EQ(a.blocks[i].mispredictions, b.blocks[i].mispredictions) << i;
        EXPECT_TRUE(a.blocks[i].pages == b.blocks[i].pages) << i;
      }
    }
  }
}

// Of covered groups, a sample is what the whole flow has.
TEST(Collect, SampledLinesAreThoseOfTheWholeFlow) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  auto program = run::Resolve({{"/bin/gzip", "-c", std::string(TARE_SOURCE_DIR) + "/README.md"}});
  ASSERT_TRUE(program);
  CollectPlan plan = PlanFor(*program, Sampling());
  // Without windows, which show how groups differ.
  plan.sampling.window_parts = 0;
  plan.sampling.page_chunks = 0;
  EXPECT_EQ(std::popcount(FilterOf(plan).groups), 2);
  const auto sparse = Collect(plan);
  ASSERT_TRUE(sparse) << sparse.error().message;
  plan.threads_apart = true;
  const auto all = Collect(plan);
  ASSERT_TRUE(all) << all.error().message;
  const CollectedPart& a = all->parts.at(0);
  const CollectedPart& b = sparse->parts.at(0);
  // An access that begins in a line outside the sample and ends in it is not seen.
  for (const std::size_t shape : {0U, 6U, 13U}) {
    for (const unsigned ways : {1U, 8U, 24U}) {
      const auto misses = static_cast<double>(NearMisses(a, plan.grid, shape, ways));
      EXPECT_GT(misses, 0);
      EXPECT_NEAR(static_cast<double>(NearMisses(b, plan.grid, shape, ways)), misses,
                  0.01 * misses + 8)
          << shape << " " << ways;
    }
  }
}

TEST(Collect, SamplesGroupsOfSetsWithinTheStatedError) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  // Without a buffer size, sort computes one from the free memory, in a number of steps that
  // varies.
  auto program =
      run::Resolve({{"/bin/sort", "-S", "1M", std::string(TARE_SOURCE_DIR) + "/ARCHITECTURE.md"}});
  ASSERT_TRUE(program);
  const auto exact = Collect(PlanFor(*program, Sampling::Exact()));
  ASSERT_TRUE(exact) << exact.error().message;
  const auto sampled = Collect(PlanFor(*program, Sampling()));
  ASSERT_TRUE(sampled) << sampled.error().message;
  EXPECT_FALSE(sampled->near_exact);
  const CollectedPart& part = sampled->parts.at(0);
  EXPECT_EQ(Sum(part, &BlockUse::loads), Sum(exact->parts[0], &BlockUse::loads));
  const std::size_t shape = *sampled->grid.ShapeOf(64, 64);
  const auto truth = static_cast<double>(NearMisses(exact->parts[0], exact->grid, shape, 8));
  double variance = 0;
  for (const BlockUse& use : part.blocks) {
    if (use.near.at_depth.empty()) continue;
    const auto first = use.near.at_depth.begin() + static_cast<long>(shape * 25);
    const double error = use.near.ErrorOf(
        static_cast<double>(std::accumulate(first + 8, first + 25, std::uint64_t{0})));
    variance += error * error;
  }
  const auto estimate = static_cast<double>(NearMisses(part, sampled->grid, shape, 8));
  EXPECT_GT(variance, 0);
  EXPECT_NEAR(estimate, truth, 4 * std::sqrt(variance)) << std::sqrt(variance);
  // A bound that does not depend on the stated error.
  EXPECT_NEAR(estimate, truth, 0.25 * truth);
}

TEST(Collect, GroupsAreDistributedOverAPage) {
  Sampling sampling;
  std::set<std::uint32_t> choices;
  for (const unsigned count : {2U, 4U, 5U, 8U, 31U}) {
    for (sampling.seed = 1; sampling.seed <= 20; ++sampling.seed) {
      sampling.near_groups = count;
      const std::uint32_t groups = MemoryPlanOf(Grid(), sampling, 8).groups;
      EXPECT_EQ(std::popcount(groups), static_cast<int>(count));
      EXPECT_NE(groups & 0xffff, 0U);
      EXPECT_NE(groups >> 16, 0U);
      choices.insert(groups);
    }
  }
  EXPECT_GT(choices.size(), 60U);
  EXPECT_EQ(MemoryPlanOf(Grid(), Sampling::Exact(), 8).groups, 0xffff'ffffU);
}

TEST(Collect, ThreadsAreCollectedTogetherAndApart) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  CollectPlan plan = PlanFor(run::TestProgram("threads many 3"), Sampling::Exact());
  plan.threads_apart = true;
  const auto collected = Collect(plan);
  ASSERT_TRUE(collected) << collected.error().message;
  ASSERT_EQ(collected->parts.size(), 1U + 4);
  const CollectedPart& all = collected->parts[0];
  EXPECT_EQ(all.thread, 0U);
  for (std::uint64_t BlockUse::* const count :
       {&BlockUse::executions, &BlockUse::loads, &BlockUse::stores, &BlockUse::store_bytes}) {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < collected->parts.size(); ++i) {
      EXPECT_EQ(collected->parts[i].thread, i);
      EXPECT_GT(Sum(collected->parts[i], count), 0U) << i;
      sum += Sum(collected->parts[i], count);
    }
    EXPECT_EQ(sum, Sum(all, count));
  }
}

TEST(Collect, BlockVectorsAddUpToTheExecutions) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  CollectPlan plan = PlanFor(run::TestProgram("memory_walk"), Sampling());
  plan.vector_instructions = 10'000;
  const auto collected = Collect(plan);
  ASSERT_TRUE(collected) << collected.error().message;
  // 8,192 iterations of 6 instructions, and a little.
  EXPECT_EQ(collected->vectors.size(), 5U);
  std::uint64_t sum = 0;
  for (const BlockVector& vector : collected->vectors)
    for (const auto& element : vector.blocks) sum += element.executions;
  EXPECT_EQ(sum, Sum(collected->parts.at(0), &BlockUse::executions));
}

TEST(Collect, AProgramThatIsKilledGivesAnIncompleteResultThatSaysSo) {
  if (const std::string why = count::WhyNot(Engine::kVirtual); !why.empty()) GTEST_SKIP() << why;
  const auto collected = Collect(PlanFor(run::TestProgram("endings signal 9"), Sampling()));
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_FALSE(collected->complete);
  EXPECT_EQ(collected->finished.ended.ShellStatus(), 128 + 9);
  EXPECT_TRUE(std::ranges::any_of(collected->caveats, [](const Caveat& caveat) {
    return caveat.key == CaveatId::kIncomplete &&
           caveat.detail.find("killed by signal 9") != std::string::npos;
  }));
  ASSERT_FALSE(collected->parts.empty());
  EXPECT_GT(Sum(collected->parts[0], &BlockUse::executions), 0U);
}

const char* const kTwoWalks = R"(
enum { N = 256, WIDE = 512 };
double matrix[N][WIDE] __attribute__((aligned(4096)));
__attribute__((noinline)) double rows(void) { double s = 0; for (int i = 0; i < N; i++) for (int j = 0; j < WIDE; j++) { s += matrix[i][j]; __asm__ volatile(""); } return s; }
__attribute__((noinline)) double columns(void) { double s = 0; for (int j = 0; j < WIDE; j++) for (int i = 0; i < N; i++) { s += matrix[i][j]; __asm__ volatile(""); } return s; }
int main(void) { return rows() + columns() != 0; }
)";

TEST(Collect, ReadsTheStreamOfACompiledProgram) {
  count::CompiledProgram program;
  std::string why;
  if (!program.Build(kTwoWalks, false, true, why)) GTEST_SKIP() << why;
  CollectPlan plan = PlanFor(program.Plan().program, Sampling::Exact());
  plan.source = Source::kCompiled;
  const auto collected = Collect(plan);
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_TRUE(collected->complete);
  EXPECT_TRUE(collected->coverage.has_value());
  ASSERT_EQ(collected->parts.size(), 1U);
  const CollectedPart& part = collected->parts[0];
  EXPECT_FALSE(part.has_mispredictions);
  constexpr std::uint64_t kAccesses = 256 * 512;
  EXPECT_NEAR(static_cast<double>(Sum(part, &BlockUse::loads)), 2 * kAccesses, 100);
  // 64 sets of 8 ways: rows miss once per line, columns always.
  const std::uint64_t misses = NearMisses(part, plan.grid, *plan.grid.ShapeOf(64, 64), 8);
  EXPECT_NEAR(static_cast<double>(misses), 1.125 * kAccesses, 20);
  // What the source cannot see is said.
  EXPECT_TRUE(std::ranges::any_of(collected->caveats, [](const Caveat& caveat) {
    return caveat.detail.starts_with("source compiled:");
  }));
}

TEST(Collect, SaysThatAProgramHasNoStream) {
  CollectPlan plan = PlanFor(run::TestProgram("memory_walk"), Sampling());
  plan.source = Source::kCompiled;
  if (const std::string why = count::WhyNot(Engine::kCompiled); !why.empty()) GTEST_SKIP() << why;
  const auto collected = Collect(plan);
  ASSERT_FALSE(collected);
  EXPECT_EQ(collected.error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace tare::signature
