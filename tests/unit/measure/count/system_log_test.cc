// system_log_test.cc: tests recording and replaying of system inputs, and programs whose stack,
// heap and mappings are moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "under_engines.h"

namespace tare::count {
namespace {

using format::SystemLogKind;
using Played = std::map<SystemLogKind, std::filesystem::path>;

class SystemLogTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = WhyNot(engine::Engine::kValgrind);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  static engine::EnginePlan Plan(std::string_view line) {
    engine::EnginePlan plan;
    plan.program = run::TestProgram(line);
    plan.setting = run::Captured();
    plan.setting.environment.bind_now = true;
    plan.setting.environment.pin_dispatch = true;
    plan.setting.timeout_seconds = 300;
    return plan;
  }

  static UnderEngine Run(const engine::EnginePlan& plan) {
    UnderEngine result;
    auto run = engine::RunUnder(engine::Engine::kValgrind, BuiltEngines(), plan);
    EXPECT_TRUE(run) << (run ? "" : run.error().message);
    if (!run) return result;
    Images images;
    const auto tally = SumRecordings(run->recordings, RepConvention::kOnce, images);
    EXPECT_TRUE(tally) << (tally ? "" : tally.error().message);
    if (tally) result.tally = *tally;
    result.finished = std::move(run->finished);
    result.recordings = std::move(run->recordings);
    return result;
  }

  UnderEngine Record(std::string_view line) {
    engine::EnginePlan plan = Plan(line);
    plan.system_logs.record = system_log_;
    return Run(plan);
  }

  UnderEngine Replay(std::string_view line, std::initializer_list<SystemLogKind> kinds) {
    engine::EnginePlan plan = Plan(line);
    for (const SystemLogKind kind : kinds) plan.system_logs.replay[kind] = system_log_;
    return Run(plan);
  }

  // On x86-64 the loader reads the time stamp counter. The program itself reads no time here.
  std::uint64_t TimeReadsOfLoader() {
    Record("system_inputs random 1");
    return Read().Requests(SystemLogKind::kTime);
  }

  // Recorded once and replayed three times: the same output and counts. Without the log they
  // differ.
  void ExpectRepeatable(std::string_view line) {
    const UnderEngine recorded = Record(line);
    EXPECT_EQ(recorded.finished.ended.ShellStatus(), 7);
    EXPECT_NE(recorded.finished.output, "");
    for (int i = 0; i < 3; ++i) {
      const UnderEngine replayed =
          Replay(line, {SystemLogKind::kTime, SystemLogKind::kRandom, SystemLogKind::kSystem});
      EXPECT_EQ(replayed.finished.ended.ShellStatus(), 7);
      EXPECT_EQ(replayed.finished.output, recorded.finished.output);
      EXPECT_EQ(Text(replayed.tally.total), Text(recorded.tally.total));
    }
    const UnderEngine plain = Run(Plan(line));
    EXPECT_NE(plain.finished.output, recorded.finished.output);
    EXPECT_NE(Text(plain.tally.total), Text(recorded.tally.total));
  }

  format::SystemLog Read() const {
    auto system_log = format::ReadSystemLog(system_log_);
    EXPECT_TRUE(system_log) << (system_log ? "" : system_log.error().message);
    return system_log ? *system_log : format::SystemLog{};
  }

  const run::TemporaryDirectory directory_;
  const std::filesystem::path system_log_ = directory_.Path("system_log");
};

const format::SystemLogStream* Find(const format::SystemLog& system_log, SystemLogKind kind,
                                    std::string_view name) {
  const auto found =
      std::ranges::find_if(system_log.streams, [&](const format::SystemLogStream& stream) {
        return stream.kind == kind && stream.name == name;
      });
  return found == system_log.streams.end() ? nullptr : &*found;
}

std::uint64_t Place(const UnderEngine& run, std::string_view name) {
  const std::string text = run::Value(run.finished.output, name);
  EXPECT_NE(text, "") << name;
  return text.empty() ? 0 : std::stoull(text);
}

TEST_F(SystemLogTest, ClocksAreReplayed) { ExpectRepeatable("system_inputs clocks 20"); }

TEST_F(SystemLogTest, TheProcessorsClockIsReplayed) {
  ExpectRepeatable("system_inputs counter 20");
}

TEST_F(SystemLogTest, RandomNumbersAreReplayed) { ExpectRepeatable("system_inputs random 20"); }

TEST_F(SystemLogTest, SystemFilesAreReplayed) { ExpectRepeatable("system_inputs system"); }

TEST_F(SystemLogTest, OnlyRequestedKindsAreReplayed) {
  const UnderEngine recorded = Record("system_inputs random 20");
  const UnderEngine replayed =
      Replay("system_inputs random 20", {SystemLogKind::kTime, SystemLogKind::kSystem});
  EXPECT_NE(replayed.finished.output, recorded.finished.output);
}

TEST_F(SystemLogTest, IdsAreRecordedAndNeverReplayed) {
  Record("system_inputs ids");
  const format::SystemLog system_log = Read();
  const format::SystemLogStream* const id = Find(system_log, SystemLogKind::kProcess, "getpid");
  ASSERT_NE(id, nullptr);
  ASSERT_EQ(id->inputs.size(), 1u);
  EXPECT_EQ(id->inputs[0].result, static_cast<std::int64_t>(system_log.process));
  engine::EnginePlan plan = Plan("system_inputs ids");
  plan.system_logs.replay[SystemLogKind::kProcess] = system_log_;
  const auto run = engine::RunUnder(engine::Engine::kValgrind, BuiltEngines(), plan);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kUsage);
}

TEST_F(SystemLogTest, ASystemLogStatesTheRequests) {
  Record("system_inputs system");
  const format::SystemLog system_log = Read();
  EXPECT_EQ(system_log.lost_inputs, 0u);
  // The file in several reads, and its end.
  const format::SystemLogStream* const uptime =
      Find(system_log, SystemLogKind::kSystem, "/proc/uptime");
  ASSERT_NE(uptime, nullptr);
  EXPECT_EQ(uptime->inputs.size(), 2u);
  EXPECT_EQ(uptime->inputs[1].result, 0);
  EXPECT_NE(Find(system_log, SystemLogKind::kSystem, "/proc/self/stat"), nullptr);
  EXPECT_NE(Find(system_log, SystemLogKind::kSystem, "getrusage"), nullptr);
  EXPECT_NE(Find(system_log, SystemLogKind::kPath, "/proc/self/status"), nullptr);
  EXPECT_EQ(system_log.Requests(SystemLogKind::kThread), 0u);
  EXPECT_GT(system_log.Requests(SystemLogKind::kFileState), 0u);
}

TEST_F(SystemLogTest, ThreadsAreCountedAndShareOneOrder) {
  const std::uint64_t loader = TimeReadsOfLoader();
  const UnderEngine recorded = Record("system_inputs threads 50");
  EXPECT_EQ(recorded.finished.output, "done\n");
  const format::SystemLog system_log = Read();
  EXPECT_EQ(system_log.Requests(SystemLogKind::kThread), 4u);
  EXPECT_EQ(system_log.Requests(SystemLogKind::kTime), loader + 200);
  const UnderEngine replayed = Replay("system_inputs threads 50", {SystemLogKind::kTime});
  EXPECT_EQ(replayed.finished.output, "done\n");
  EXPECT_EQ(replayed.finished.ended.ShellStatus(), 7);
}

// The child's system inputs are neither recorded nor replayed.
TEST_F(SystemLogTest, ForkedChildrenGetRealInputs) {
  const std::uint64_t loader = TimeReadsOfLoader();
  ExpectRepeatable("system_inputs forked");
  EXPECT_EQ(Read().Requests(SystemLogKind::kTime), loader + 2);
}

TEST_F(SystemLogTest, SignalsAndTimersAreNoTrouble) {
  const UnderEngine recorded = Record("system_inputs interrupted");
  EXPECT_EQ(run::Value(recorded.finished.output, "interrupted"), "-1");
  const UnderEngine replayed = Replay("system_inputs interrupted", {SystemLogKind::kTime});
  EXPECT_EQ(replayed.finished.output, recorded.finished.output);
  EXPECT_EQ(replayed.finished.ended.ShellStatus(), 7);
}

TEST_F(SystemLogTest, EndsWhereTheProgramBecomesAnother) {
  const std::uint64_t loader = TimeReadsOfLoader();
  for (const bool children : {false, true}) {
    engine::EnginePlan plan = Plan("system_inputs exec");
    plan.children = children;
    plan.system_logs.record = system_log_;
    EXPECT_EQ(Run(plan).finished.ended.ShellStatus(), 0);
    EXPECT_EQ(Read().Requests(SystemLogKind::kTime), loader + 1);
    plan.system_logs.record.reset();
    plan.system_logs.replay[SystemLogKind::kTime] = system_log_;
    EXPECT_EQ(Run(plan).finished.ended.ShellStatus(), 0);
  }
}

TEST_F(SystemLogTest, TimeAfterTheEndAdvancesDeterministically) {
  Record("system_inputs onwards 10");
  const UnderEngine first = Replay("system_inputs onwards 2000", {SystemLogKind::kTime});
  EXPECT_EQ(run::Value(first.finished.output, "backwards"), "0");
  const UnderEngine second = Replay("system_inputs onwards 2000", {SystemLogKind::kTime});
  EXPECT_EQ(second.finished.output, first.finished.output);
  EXPECT_EQ(Text(second.tally.total), Text(first.tally.total));
  const UnderEngine longer = Replay("system_inputs onwards 3000", {SystemLogKind::kTime});
  EXPECT_GT(Place(longer, "last"), Place(first, "last"));
}

TEST_F(SystemLogTest, RandomNumbersAfterTheEndAreDeterministic) {
  Record("system_inputs random 2");
  const UnderEngine first = Replay("system_inputs random 6", {SystemLogKind::kRandom});
  const UnderEngine second = Replay("system_inputs random 6", {SystemLogKind::kRandom});
  EXPECT_EQ(second.finished.output, first.finished.output);
  const auto values = run::Values(first.finished.output, "getrandom");
  ASSERT_EQ(values.size(), 6u);
  EXPECT_NE(values[4], values[5]);
}

// 1,100,000 records of 32 bytes do not fit into 32 MiB.
TEST_F(SystemLogTest, AFullSystemLogSaysSoAndIsReplayedToItsEnd) {
  const std::uint64_t loader = TimeReadsOfLoader();
  const UnderEngine recorded = Record("system_inputs onwards 1100000");
  EXPECT_EQ(run::Value(recorded.finished.output, "backwards"), "0");
  const format::SystemLog system_log = Read();
  EXPECT_EQ(system_log.Requests(SystemLogKind::kTime), loader + 1100000);
  EXPECT_GT(system_log.lost_inputs, 0u);
  const format::SystemLogStream* const clock =
      Find(system_log, SystemLogKind::kTime, "clock_gettime");
  ASSERT_NE(clock, nullptr);
  EXPECT_GT(clock->inputs.size(), 1000000u);
  const UnderEngine replayed = Replay("system_inputs onwards 1100000", {SystemLogKind::kTime});
  EXPECT_EQ(run::Value(replayed.finished.output, "backwards"), "0");
}

// Recording alone changes neither the counts nor the output nor the exit status.
TEST_F(SystemLogTest, RecordingLeavesAProgramAlone) {
  for (const char* const line : {"system_calls", "descriptors both", "endings signal 11",
                                 "children short 3", "threads main-leaves 6", "limits chroot"}) {
    const UnderEngine plain = Run(Plan(line));
    const UnderEngine recorded = Record(line);
    EXPECT_EQ(recorded.finished.ended.ShellStatus(), plain.finished.ended.ShellStatus()) << line;
    EXPECT_EQ(recorded.finished.output, plain.finished.output) << line;
    EXPECT_EQ(recorded.finished.errors, plain.finished.errors) << line;
  }
  const UnderEngine plain = Run(Plan("system_calls"));
  EXPECT_EQ(Text(Record("system_calls").tally.total), Text(plain.tally.total));
  EXPECT_EQ(Read().Requests(SystemLogKind::kTime), 0u);
}

TEST_F(SystemLogTest, AnInvalidSystemLogIsRefusedBeforeTheProgramRuns) {
  std::ofstream(system_log_) << "no system_log";
  engine::EnginePlan plan = Plan("system_inputs clocks");
  plan.system_logs.replay[SystemLogKind::kTime] = system_log_;
  const auto run = engine::RunUnder(engine::Engine::kValgrind, BuiltEngines(), plan);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kFormat);
}

TEST_F(SystemLogTest, OtherEnginesHaveNoSystemLog) {
  engine::EnginePlan plan = Plan("system_inputs clocks");
  plan.system_logs.record = system_log_;
  const auto run = engine::RunUnder(engine::Engine::kCompiled, BuiltEngines(), plan);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kUnsupported);
}

class MemoryLayoutTest : public SystemLogTest {
 protected:
  static UnderEngine Moved(const run::Layout& layout, bool pin = true) {
    engine::EnginePlan plan = Plan("system_inputs places");
    plan.setting.layout = layout;
    plan.pin_view = pin;
    return Run(plan);
  }
};

TEST_F(MemoryLayoutTest, AStackMovesByExactlyTheOffset) {
  for (const bool pin : {true, false}) {
    const UnderEngine still = Moved({}, pin);
    for (const std::uint64_t bytes : {16u, 160u, 4096u, 65536u + 48u}) {
      const UnderEngine moved = Moved({.stack_bytes = bytes}, pin);
      EXPECT_EQ(moved.finished.ended.ShellStatus(), 7);
      EXPECT_EQ(Place(moved, "local"), Place(still, "local") - bytes);
      EXPECT_EQ(Place(moved, "small"), Place(still, "small"));
      EXPECT_EQ(Place(moved, "library"), Place(still, "library"));
    }
  }
}

TEST_F(MemoryLayoutTest, AHeapMovesByExactlyTheOffset) {
  const UnderEngine still = Moved({});
  for (const std::uint64_t bytes : {16u, 4080u, 4096u, 1048576u + 32u}) {
    const UnderEngine moved = Moved({.heap_bytes = bytes});
    EXPECT_EQ(moved.finished.ended.ShellStatus(), 7);
    EXPECT_EQ(Place(moved, "small"), Place(still, "small") + bytes);
    EXPECT_EQ(Place(moved, "local"), Place(still, "local"));
    EXPECT_EQ(Place(moved, "library"), Place(still, "library"));
  }
}

// Some machines align libraries to 64 KiB.
TEST_F(MemoryLayoutTest, MappingsMove) {
  const UnderEngine still = Moved({});
  for (const std::uint64_t bytes : {65536u, 1048576u, 268435456u}) {
    const UnderEngine moved = Moved({.mapping_bytes = bytes});
    EXPECT_EQ(Place(moved, "library"), Place(still, "library") + bytes);
    EXPECT_EQ(Place(moved, "large"), Place(still, "large") + bytes);
    EXPECT_EQ(Place(moved, "small"), Place(still, "small"));
    EXPECT_EQ(Place(moved, "local"), Place(still, "local"));
    EXPECT_EQ(Place(moved, "main"), Place(still, "main"));
  }
}

TEST_F(MemoryLayoutTest, TooFarIsRefused) {
  engine::EnginePlan plan = Plan("system_inputs places");
  plan.setting.layout.heap_bytes = std::uint64_t{1} << 30;
  const auto run = engine::RunUnder(engine::Engine::kValgrind, BuiltEngines(), plan);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kUnsupported);
}

// A program whose work does not depend on addresses does the same at any address.
TEST_F(MemoryLayoutTest, ACleanProgramCountsTheSame) {
  for (const char* const line : {"count_loops", "descriptors both"}) {
    engine::EnginePlan plan = Plan(line);
    const UnderEngine still = Run(plan);
    plan.setting.layout = {.stack_bytes = 4096, .heap_bytes = 4096, .mapping_bytes = 1 << 20};
    EXPECT_EQ(Text(Run(plan).tally.total), Text(still.tally.total)) << line;
  }
}

}  // namespace
}  // namespace tare::count
