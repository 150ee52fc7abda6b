// run_workers_test.cc: records come back from processes, and what happens when those are killed.
#include "analysis/study/run_workers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "base/stop.h"

namespace tare::study {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};

Result<RunRecord> RecordOf(const PlannedRun& run) {
  RunRecord record;
  record.key = std::to_string(run.index);
  record.repetition = run.repetition;
  record.values = {{"process", "", Number(std::int64_t{::getpid()})}};
  return record;
}

TEST(RunWorkers, ReturnTheRecordOfEachRunFromTheirProcesses) {
  auto workers = RunWorkers::Start(3, RecordOf);
  ASSERT_TRUE(workers.has_value());
  std::set<std::int64_t> repetitions;
  std::set<double> processes;
  for (std::int64_t begun = 0; repetitions.size() < 12;) {
    while (workers->HasIdle() && begun < 12) {
      ASSERT_TRUE(workers->Begin({7, begun++}));
    }
    const auto done = workers->TakeDone(kLong);
    ASSERT_TRUE(done.has_value()) << done.error().message;
    ASSERT_TRUE(done->has_value());
    EXPECT_EQ((*done)->record.key, "7");
    EXPECT_EQ((*done)->record.repetition, (*done)->run.repetition);
    repetitions.insert((*done)->record.repetition);
    processes.insert(AsDouble((*done)->record.values.at(0).value));
  }
  EXPECT_FALSE(workers->IsRunning());
  EXPECT_GE(processes.size(), 1);
  EXPECT_FALSE(processes.contains(::getpid()));
}

TEST(RunWorkers, AKilledWorkerIsAnError) {
  auto workers = RunWorkers::Start(1, [](const PlannedRun&) -> Result<RunRecord> {
    ::raise(SIGKILL);
    return RunRecord{};
  });
  ASSERT_TRUE(workers.has_value());
  ASSERT_TRUE(workers->Begin({0, 0}));
  const auto done = workers->TakeDone(kLong);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "a process that executes runs was killed");
}

TEST(RunWorkers, AnInterruptedRunHasNoRecord) {
  auto workers =
      RunWorkers::Start(1, [](const PlannedRun&) -> Result<RunRecord> { return Stopped(); });
  ASSERT_TRUE(workers.has_value());
  ASSERT_TRUE(workers->Begin({0, 0}));
  const auto done = workers->TakeDone(kLong);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, ErrorKind::kInterrupted);
}

// Would hang otherwise.
TEST(RunWorkers, WhatStillRunsIsInterruptedAtTheEnd) {
  auto workers = RunWorkers::Start(2, [](const PlannedRun&) -> Result<RunRecord> {
    while (true) ::pause();
  });
  ASSERT_TRUE(workers.has_value());
  ASSERT_TRUE(workers->Begin({0, 0}));
  const auto done = workers->TakeDone(std::chrono::milliseconds(1));
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->has_value());
}

}  // namespace
}  // namespace tare::study
