// record_blocks_test.cc: block traces by QEMU have what Valgrind and single steps see, of threads,
// children and programs that are killed.
#include "measure/events/record_blocks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "measure/events/print_trace.h"
#include "measure/events/trace_summary.h"
#include "tests/unit/measure/count/under_engines.h"

namespace tare::events {
namespace {

std::string WhyNoTrace(BlockSource source) {
  return count::WhyNot(source == BlockSource::kQemu   ? engine::Engine::kQemu
                       : source == BlockSource::kStep ? engine::Engine::kStep
                                                      : engine::Engine::kVirtual);
}

BlockPlan PlanOf(BlockSource source, const run::ResolvedProgram& program,
                 const std::string& output) {
  BlockPlan plan;
  plan.source = source;
  plan.files = count::BuiltEngines();
  plan.engine.program = program;
  plan.engine.setting = run::Captured();
  plan.engine.setting.environment.bind_now = true;
  plan.engine.setting.environment.pin_dispatch = true;
  plan.head.source = "test";
  plan.head.content = "blocks";
  plan.head.encoding = format::TraceEncoding::kAbstract;
  plan.output = output;
  return plan;
}

// Code that ran from its first instruction to its last without a jump. However an engine divides
// code into blocks, the stretches are the same.
struct Stretch {
  std::uint64_t offset = 0;  // from the first instruction of the program
  std::uint64_t bytes = 0;
  std::uint64_t instructions = 0;

  friend bool operator==(const Stretch&, const Stretch&) = default;
};

std::vector<Stretch> StretchesOf(const std::string& path) {
  std::vector<Stretch> stretches;
  auto reader = format::EventTraceReader::Open(path);
  EXPECT_TRUE(reader);
  if (!reader) return stretches;
  std::uint64_t first = 0;
  while (reader->Next()) {
    for (const std::uint32_t number : reader->Blocks().blocks) {
      const format::TraceBlock& block = reader->Tables().blocks[number];
      if (block.operation) continue;
      if (stretches.empty()) first = block.address;
      const std::uint64_t offset = block.address - first;
      if (stretches.empty() || stretches.back().offset + stretches.back().bytes != offset)
        stretches.push_back({offset, 0, 0});
      stretches.back().bytes += block.code_bytes;
      stretches.back().instructions += block.instructions;
    }
  }
  return stretches;
}

class RecordedBlockTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoTrace(BlockSource::kQemu); !why.empty()) GTEST_SKIP() << why;
  }

  TraceSummary Record(const BlockPlan& plan) {
    const auto recorded = RecordBlocks(plan);
    EXPECT_TRUE(recorded) << recorded.error().message;
    if (!recorded) return {};
    recorded_ = *recorded;
    const auto checked = CheckTrace(plan.output);
    EXPECT_TRUE(checked);
    for (const CheckedRule& rule : checked->rules)
      EXPECT_EQ(rule.broken, 0u) << rule.rule << ": " << rule.first;
    auto summary = Summarize(plan.output, 0.95);
    EXPECT_TRUE(summary);
    return summary ? std::move(*summary) : TraceSummary{};
  }

  TraceSummary Record(BlockSource source, const std::string& line) {
    return Record(PlanOf(source, run::TestProgram(line), Path()));
  }

  std::string Path() const { return directory_.Path("x.events"); }

  run::TemporaryDirectory directory_;
  Recorded recorded_;
};

class ControlFlow : public RecordedBlockTraces, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Of, ControlFlow,
                         testing::Values("calls", "branches", "count_loops", "system_calls"),
                         [](const auto& program) { return std::string(program.param); });

TEST_P(ControlFlow, ByQemuIsThatOfOtherEngines) {
  const TraceSummary by_qemu = Record(BlockSource::kQemu, GetParam());
  EXPECT_TRUE(by_qemu.outcome.complete) << by_qemu.outcome.reason;
  const std::vector<Stretch> expected = StretchesOf(Path());
  EXPECT_GT(expected.size(), 10u);
  for (const BlockSource other : {BlockSource::kValgrind, BlockSource::kStep}) {
    if (!WhyNoTrace(other).empty()) continue;
    const TraceSummary summary = Record(other, GetParam());
    EXPECT_EQ(summary.instructions, by_qemu.instructions);
    EXPECT_EQ(StretchesOf(Path()), expected);
  }
}

#if defined(__x86_64__)
TEST_F(RecordedBlockTraces, ByQemuHaveRepeatedInstructionsOnceWithTheirOperations) {
  for (const char* program : {"strings_x86", "repeats_x86"}) {
    const TraceSummary by_qemu = Record(BlockSource::kQemu, program);
    const std::vector<Stretch> expected = StretchesOf(Path());
    for (const BlockSource other : {BlockSource::kValgrind, BlockSource::kStep}) {
      if (!WhyNoTrace(other).empty()) continue;
      const TraceSummary summary = Record(other, program);
      EXPECT_EQ(summary.instructions, by_qemu.instructions) << program;
      // A step is a block, and the operations of an instruction are not steps.
      if (other != BlockSource::kStep) {
        EXPECT_EQ(summary.blocks, by_qemu.blocks) << program;
      }
      EXPECT_EQ(StretchesOf(Path()), expected) << program;
    }
  }
}
#endif

TEST_F(RecordedBlockTraces, ByQemuHaveAsManyInstructionsAsItCounts) {
  const auto counted = count::RunUnder(engine::Engine::kQemu, "endings exit 3");
  const TraceSummary summary = Record(BlockSource::kQemu, "endings exit 3");
  EXPECT_EQ(recorded_.finished.ended.ShellStatus(), 3);
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(summary.instructions, counted.tally.total[count::Metric::kInstructions]);
  EXPECT_FALSE(summary.functions.empty());
}

TEST_F(RecordedBlockTraces, ByQemuHaveEveryThread) {
  const TraceSummary summary = Record(BlockSource::kQemu, "threads many 40");
  EXPECT_EQ(recorded_.finished.ended.ShellStatus(), 0);
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(summary.threads, 41u);
  EXPECT_EQ(summary.processes, 1u);
}

TEST_F(RecordedBlockTraces, ByQemuHaveForkedChildren) {
  BlockPlan plan = PlanOf(BlockSource::kQemu, run::TestProgram("children short 20"), Path());
  plan.engine.children = true;
  const TraceSummary summary = Record(plan);
  EXPECT_EQ(recorded_.finished.ended.ShellStatus(), 0) << recorded_.finished.errors;
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(summary.processes, 21u);
}

TEST_F(RecordedBlockTraces, ByQemuSayThatAnotherProgramIsNotFollowed) {
  Record(BlockSource::kQemu, "children chain 1");
  EXPECT_EQ(std::ranges::count(recorded_.caveats, CaveatId::kExecNotFollowed, &Caveat::key), 1);
}

TEST_F(RecordedBlockTraces, ByQemuOfKilledProgramsAreComplete) {
  // In a system call, and by a fault in code.
  for (const auto& [how, signal] : {std::pair("kill-group", SIGKILL), std::pair("null", SIGSEGV)}) {
    const std::string line = std::string("endings ") + how;
    const auto counted = count::RunUnder(engine::Engine::kQemu, line);
    const TraceSummary summary = Record(BlockSource::kQemu, line);
    EXPECT_EQ(recorded_.finished.ended.ShellStatus(), 128 + signal);
    EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
    EXPECT_EQ(summary.instructions, counted.tally.total[count::Metric::kInstructions]);
  }
}

TEST_F(RecordedBlockTraces, ByQemuMarkSignals) {
  const TraceSummary summary = Record(BlockSource::kQemu, "signals storm 20");
  EXPECT_EQ(recorded_.finished.ended.ShellStatus(), 0);
  EXPECT_GE(summary.signals, 20u);
}

TEST_F(RecordedBlockTraces, ByQemuCanBeSamples) {
  BlockPlan plan = PlanOf(BlockSource::kQemu, run::TestProgram("count_loops"), Path());
  plan.sampling = {.kept = 100, .period = 1000};
  plan.head.sample_kept = 100;
  plan.head.sample_period = 1000;
  const TraceSummary sampled = Record(plan);
  const TraceSummary whole = Record(BlockSource::kQemu, "count_loops");
  EXPECT_EQ(sampled.blocks + sampled.skipped, whole.blocks);
  EXPECT_NEAR(static_cast<double>(sampled.blocks), static_cast<double>(whole.blocks) / 10, 100);
}

// The program waits with blocks in a chunk that is not full. They reach the file nevertheless, so
// that they are there when the recorder is killed.
TEST_F(RecordedBlockTraces, ByQemuReachTheFileWhileTheProgramWaits) {
  const auto shell = run::Resolve({{"/bin/sh", "-c", ":"}});
  ASSERT_TRUE(shell);
  const TraceSummary whole = Record(PlanOf(BlockSource::kQemu, *shell, Path()));
  const std::string pipe = directory_.Path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto waits = run::Resolve({{"/bin/sh", "-c", "read line < " + pipe}});
  ASSERT_TRUE(waits);
  const std::string path = directory_.Path("y.events");
  const pid_t recorder = ::fork();
  if (recorder == 0) {
    const auto recorded = RecordBlocks(PlanOf(BlockSource::kQemu, *waits, path));
    ::_exit(recorded ? 0 : 1);
  }
  const std::uint64_t wanted = whole.blocks * 9 / 10;
  std::uint64_t blocks = 0;
  for (int tries = 0; tries < 600 && blocks < wanted; ++tries) {
    ::usleep(100'000);
    if (const auto summary = Summarize(path, 0.95)) blocks = summary->blocks;
  }
  EXPECT_GE(blocks, wanted);
  ::kill(recorder, SIGKILL);
  ::waitpid(recorder, nullptr, 0);
  const auto summary = Summarize(path, 0.95);
  ASSERT_TRUE(summary);
  EXPECT_FALSE(summary->outcome.complete);
  EXPECT_GE(summary->blocks, blocks);
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);  // the program ends
  EXPECT_EQ(::write(writer, "\n", 1), 1);
  ::usleep(100'000);
  ::close(writer);
}

}  // namespace
}  // namespace tare::events
