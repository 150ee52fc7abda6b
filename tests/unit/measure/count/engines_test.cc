// engines_test.cc: tests that the engines count the same instructions for the same programs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "under_engines.h"

namespace tare::count {
namespace {

// The engines that work here; skips with the reasons when there are fewer than two.
class AllEngines : public testing::Test {
 protected:
  void SetUp() override {
    std::string reasons;
    for (const engine::Engine engine : kEngines) {
      const std::string reason = WhyNot(engine);
      if (reason.empty()) {
        engines_.push_back(engine);
      } else {
        reasons += fmt::format("{}: {}; ", Name(engine), reason);
      }
    }
    if (engines_.size() < 2) GTEST_SKIP() << reasons;
  }

  // Runs the program under each engine; all counts must be equal. Returns the first result.
  UnderEngine ExpectAgreement(std::string_view line, const Wanted& wanted = {}) {
    std::optional<UnderEngine> first;
    for (const engine::Engine engine : engines_) {
      UnderEngine now = RunUnder(engine, line, wanted);
      EXPECT_EQ(now.finished.ended.ShellStatus(), 0) << Name(engine) << ": " << line;
      EXPECT_EQ(now.tally.undecoded, 0u) << Name(engine) << ": " << line;
      EXPECT_GT(now.tally.total[Metric::kInstructions], 0u) << Name(engine) << ": " << line;
      if (!first) {
        first = std::move(now);
        continue;
      }
      EXPECT_EQ(Text(now.tally.total), Text(first->tally.total)) << Name(engine) << ": " << line;
      EXPECT_EQ(now.tally.opcodes, first->tally.opcodes) << Name(engine) << ": " << line;
      EXPECT_EQ(now.tally.region_entries, first->tally.region_entries) << Name(engine);
      EXPECT_EQ(now.tally.processes, first->tally.processes) << Name(engine);
    }
    return first ? *first : UnderEngine{};
  }

  std::vector<engine::Engine> engines_;
};

// The programs' first lines state the expected numbers.
TEST_F(AllEngines, AgreeOnALoop) {
  const auto run = ExpectAgreement("count_loops");
  EXPECT_EQ(run.tally.total[Metric::kTakenBranches] / 49999, 1u);
  EXPECT_GE(run.tally.total[Metric::kInstructions], 100000u);
  EXPECT_LT(run.tally.total[Metric::kInstructions], 100050u);
}

TEST_F(AllEngines, AgreeOnLoadsAndStores) {
  const auto run = ExpectAgreement("memory_walk");
  EXPECT_GE(run.tally.total[Metric::kLoads], 8192u);
  EXPECT_LT(run.tally.total[Metric::kLoads], 8300u);
  EXPECT_GE(run.tally.total[Metric::kStoreBytes], 65536u);
}

TEST_F(AllEngines, AgreeOnBranches) {
  const auto run = ExpectAgreement("branches");
  EXPECT_GE(run.tally.total[Metric::kConditionalBranches], 24000u);
  EXPECT_LT(run.tally.total[Metric::kConditionalBranches], 24010u);
  EXPECT_GE(run.tally.total[Metric::kTakenBranches], 4000u + 11999u);
  EXPECT_LT(run.tally.total[Metric::kTakenBranches], 4000u + 11999u + 10u);
}

TEST_F(AllEngines, AgreeOnCalls) {
  const auto run = ExpectAgreement("calls");
  EXPECT_EQ(run.tally.total[Metric::kCalls], 5167u + 1000 + 1);
  EXPECT_EQ(run.tally.total[Metric::kReturns], 5167u + 1000 + 1);
}

TEST_F(AllEngines, AgreeOnSystemCalls) {
  const auto run = ExpectAgreement("system_calls");
  EXPECT_EQ(run.tally.total[Metric::kSystemCalls], 2002u);
  EXPECT_EQ(run.finished.output, "done\n");
}

#if defined(__x86_64__)
TEST_F(AllEngines, AgreeOnRepeatedInstructions) {
  const auto run = ExpectAgreement("strings_x86");
  EXPECT_EQ(run.tally.total[Metric::kRepeatedInstructions], 6u);
  EXPECT_EQ(run.tally.total[Metric::kRepeatIterations], 1000u + 500 + 300 + 200 + 0 + 64);
}

TEST_F(AllEngines, AgreeOnRepeatsOfEveryKind) { ExpectAgreement("repeats_x86"); }

// A region may start with a repeated instruction.
TEST_F(AllEngines, AgreeOnARegionThatBeginsWithARepeat) {
  const auto run = ExpectAgreement("repeats_x86", {.region = "fill"});
  EXPECT_EQ(run.tally.region_entries, 60u);
}
#else
// A failed store is repeated without being counted, until the program is shown that it failed.
TEST(StepEngine, CountsAFailedExclusiveStoreOnce) {
  if (const std::string reason = WhyNot(Engine::kStep); !reason.empty()) GTEST_SKIP() << reason;
  const auto run = RunUnder(Engine::kStep, "exclusive_arm", {.region = "main"});
  EXPECT_EQ(run.finished.ended.ShellStatus(), 0);
  EXPECT_EQ(run.tally.opcodes.at("ldxr"), 20u);
  EXPECT_EQ(run.tally.opcodes.at("stxr"), 20u);
}
#endif

// 1,000 calls of a leaf function.
TEST_F(AllEngines, AgreeOnARegionEnteredOften) {
  const auto run = ExpectAgreement("calls", {.region = "next"});
  EXPECT_EQ(run.tally.region_entries, 1000u);
  EXPECT_EQ(run.tally.total[Metric::kReturns], 1000u);
  EXPECT_EQ(run.tally.total[Metric::kCalls], 0u);
}

// Entered once, however deep it recurses.
TEST_F(AllEngines, AgreeOnARegionThatCallsItself) {
  const auto run = ExpectAgreement("calls", {.region = "fib"});
  EXPECT_EQ(run.tally.region_entries, 1u);
  EXPECT_EQ(run.tally.total[Metric::kCalls], 5166u);
  EXPECT_EQ(run.tally.total[Metric::kReturns], 5167u);
}

TEST_F(AllEngines, AgreeOnMainOfAProgramWithACLibrary) {
  const auto run = ExpectAgreement("descriptors both", {.region = "main"});
  EXPECT_EQ(run.tally.region_entries, 1u);
  EXPECT_EQ(run.finished.output, "out\n");
  EXPECT_EQ(run.finished.errors, "err\n");
}

TEST_F(AllEngines, CountNothingOutsideOfTheRegion) {
  const auto whole = ExpectAgreement("system_calls");
  const auto inner = ExpectAgreement("system_calls", {.region = "main"});
  EXPECT_EQ(inner.tally.total[Metric::kSystemCalls], 2001u);
  EXPECT_LT(inner.tally.total[Metric::kInstructions], whole.tally.total[Metric::kInstructions]);
}

TEST_F(AllEngines, AgreeOnForkedChildren) {
  const auto run = ExpectAgreement("children short 2", {.region = "main", .children = true});
  EXPECT_EQ(run.tally.processes, 3u);
}

TEST_F(AllEngines, LeaveChildrenOutUnlessRequested) {
  const auto run = ExpectAgreement("children short 2", {.region = "main"});
  EXPECT_EQ(run.tally.processes, 1u);
}

// A shell that executes another program; the shell's own count depends on its environment. The qemu
// engine does not count the executed program.
TEST_F(AllEngines, AgreeOnAProgramStartedByExecve) {
  std::erase(engines_, engine::Engine::kQemu);
  if (engines_.size() < 2) GTEST_SKIP() << "needs valgrind and step";
  std::string first;
  for (const engine::Engine engine : engines_) {
    engine::EnginePlan plan;
    const auto shell =
        run::Resolve({{"/bin/sh", "-c", "exec " + run::ProgramPath("system_calls")}});
    ASSERT_TRUE(shell) << shell.error().message;
    plan.program = *shell;
    plan.setting = run::Captured();
    plan.children = true;
    const auto run = RunUnder(engine, BuiltEngines(), plan);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->finished.output, "done\n");
    ASSERT_EQ(run->recordings.size(), 2u) << Name(engine);
    EXPECT_EQ(run->recordings[0].state, TARE_WIRE_REPLACED);
    EXPECT_EQ(run->recordings[1].state, TARE_WIRE_SEALED);
    EXPECT_EQ(run->recordings[1].generation, 1u);
    EXPECT_EQ(run->recordings[1].process, run->recordings[0].process);
    Images images;
    const auto tally =
        SumRecordings(std::span(run->recordings).subspan(1), RepConvention::kOnce, images);
    ASSERT_TRUE(tally) << tally.error().message;
    EXPECT_EQ(tally->total[Metric::kSystemCalls], 2002u);
    if (first.empty()) first = Text(tally->total);
    EXPECT_EQ(Text(tally->total), first) << Name(engine);
  }
}

TEST_F(AllEngines, CountTheThreadsOfAProgram) {
  for (const engine::Engine engine : engines_) {
    const auto run = RunUnder(engine, "threads many 4", {.region = "main"});
    EXPECT_EQ(run.finished.ended.ShellStatus(), 0) << Name(engine);
    EXPECT_EQ(run.tally.threads, 5u) << Name(engine);
    // Each thread runs its function once.
    std::uint64_t returns = 0;
    for (const auto& [key, function] : run.tally.functions) {
      if (function.function == "arrive") returns += function.metrics[Metric::kReturns];
    }
    EXPECT_EQ(returns, 4u) << Name(engine);
  }
}

class OneEngine : public testing::TestWithParam<engine::Engine> {
 protected:
  void SetUp() override {
    const std::string reason = WhyNot(GetParam());
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

INSTANTIATE_TEST_SUITE_P(Each, OneEngine, testing::ValuesIn(kEngines),
                         [](const auto& instance) { return std::string(Name(instance.param)); });

TEST_P(OneEngine, CountsTheSameThreeTimes) {
  for (const char* const line : {"system_calls", "calls"}) {
    const auto first = RunUnder(GetParam(), line);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Text(RunUnder(GetParam(), line).tally.total), Text(first.tally.total)) << line;
    }
  }
}

// A daemon that writes to a file some seconds after the program has exited.
TEST_P(OneEngine, LeavesDescendantsAlone) {
  const run::TemporaryDirectory directory;
  engine::EnginePlan plan;
  plan.program = run::TestProgram("children daemon 2000 " + directory.Path("done"));
  plan.setting = run::Captured();
  plan.region = engine::FindRegion(plan.program, "main").value_or(engine::Region{});
  plan.children = true;
  const auto run = RunUnder(GetParam(), BuiltEngines(), plan);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->finished.ended.ShellStatus(), 0);
  EXPECT_TRUE(std::ranges::any_of(
      run->caveats, [](const Caveat& caveat) { return caveat.key == CaveatId::kIncomplete; }));
  for (int tries = 0; tries < 6000 && directory.Read("done") != "done"; ++tries) ::usleep(10000);
  EXPECT_EQ(directory.Read("done"), "done");
}

TEST_P(OneEngine, CountsACLibraryTheSameTwice) {
  const auto first = RunUnder(GetParam(), "descriptors both");
  EXPECT_EQ(Text(RunUnder(GetParam(), "descriptors both").tally.total), Text(first.tally.total));
}

}  // namespace
}  // namespace tare::count
