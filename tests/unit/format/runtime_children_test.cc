// runtime_children_test.cc: tests child processes of a counting program, each with its own file.
#include <gmock/gmock.h>
#include <linux/perf_event.h>

#include <fstream>
#include <set>

#include "counted_run.h"

namespace tare::format {
namespace {

class RuntimeChildren : public CountedRun {
 protected:
  std::vector<std::uint64_t> Calls() const {
    std::vector<std::uint64_t> calls;
    for (const CountedProcess& process : Processes()) calls.push_back(process.calls);
    return calls;
  }
};

TEST_F(RuntimeChildren, OfForkStartAtZeroAndKnowTheirParents) {
  for (const std::string program : {"children", "children-static"}) {
    SCOPED_TRACE(program);
    if (!std::filesystem::exists(Program(program))) continue;
    ASSERT_EQ(Observed({program, "fork"}).status, 0);
    const auto processes = Processes();
    ASSERT_EQ(processes.size(), 3u);
    EXPECT_EQ(processes[0].calls, 20u);
    EXPECT_EQ(processes[1].calls, 300u);
    EXPECT_EQ(processes[2].calls, 1010u);
    EXPECT_EQ(processes[0].parent, processes[1].process);
    EXPECT_EQ(processes[1].parent, processes[2].process);
    EXPECT_EQ(processes[2].parent, 0u);
    std::filesystem::remove_all(RunDirectory());
    std::filesystem::create_directory(RunDirectory());
  }
}

TEST_F(RuntimeChildren, OfAThreadThatHasNoBankYetClaimTheirOwn) {
  ASSERT_EQ(Observed({"children", "fork-unclaimed"}).status, 0);
  EXPECT_THAT(Calls(), testing::ElementsAre(10u, 20u, 300u));
}

TEST_F(RuntimeChildren, OfAProgramWithThreadsCountOnlyTheirOwn) {
  const Ended ended = Observed({"children", "fork-threads", "40"});
  ASSERT_EQ(ended.status, 0);
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 41u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(calls[i], 50u);
  EXPECT_EQ(calls[40], std::stoull(ended.output));
}

TEST_F(RuntimeChildren, OfVforkCountForTheirParentUntilTheyExecute) {
  ASSERT_EQ(Observed({"children", "vfork"}).status, 0);
  EXPECT_THAT(Calls(), testing::ElementsAre(30u, 205u));
}

// The bank belongs to the parent's thread, whose memory the child shares, and is never reused.
TEST_F(RuntimeChildren, OfVforkMayBeTheFirstToCount) {
  ASSERT_EQ(Observed({"children", "vfork-unclaimed"}).status, 0);
  EXPECT_THAT(Calls(), testing::ElementsAre(30u, 105u));
}

TEST_F(RuntimeChildren, ThatExecuteOneAfterAnotherHaveAFileForEachProgram) {
  ASSERT_EQ(Observed({"children", "chain", "5"}).status, 0);
  EXPECT_THAT(Calls(), testing::ElementsAre(1u, 2u, 3u, 4u, 5u));
  std::set<std::uint64_t> processes;
  std::set<std::uint64_t> images;
  for (const CounterFile& file : Files()) {
    processes.insert(file.Header().process);
    images.insert(file.Header().image);
  }
  EXPECT_EQ(processes.size(), 1u);
  EXPECT_EQ(images.size(), 5u);
}

TEST_F(RuntimeChildren, ThreeHundredOfThemAreAllFoundByTheDirectory) {
  CounterDirectory directory(RunDirectory());
  EXPECT_FALSE(directory.Refresh().value());
  ASSERT_EQ(Observed({"children", "storm", "300"}).status, 0);
  EXPECT_TRUE(directory.Refresh().value());
  EXPECT_EQ(directory.Files().size(), 301u);
  EXPECT_TRUE(directory.Refused().empty());
  std::uint64_t calls = 0;
  for (const CounterFile& file : directory.Files()) calls += Value(file, "calls");
  EXPECT_EQ(calls, 901u);
  EXPECT_FALSE(directory.Refresh().value());
}

class RuntimeSampler : public CountedRun {
 protected:
  static tare_counters_request Every(std::uint64_t interval_ns, std::uint64_t room) {
    tare_counters_request request{};
    request.version = TARE_COUNTERS_VERSION;
    request.sample_interval_ns = interval_ns;
    request.samples_room = room;
    return request;
  }
  void Request(const tare_counters_request& request) const {
    std::ofstream(RunDirectory() / TARE_RUN_REQUEST, std::ios::binary)
        .write(reinterpret_cast<const char*>(&request), sizeof request);
  }
  // Returns the samples of the only file.
  std::vector<std::vector<std::uint64_t>> Records(CounterFile& file) const {
    std::vector<std::uint64_t> values;
    const std::size_t count = file.TakeSamples(values);
    const std::size_t size = file.Header().sample_values;
    EXPECT_EQ(values.size(), count * size);
    std::vector<std::vector<std::uint64_t>> records;
    for (std::size_t i = 0; i < count; ++i) {
      records.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i * size),
                           values.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    }
    return records;
  }
};

TEST_F(RuntimeSampler, WritesTotalsThatNeverFallUpToTheLast) {
  Request(Every(1'000'000, 10000));
  const Ended ended = Observed({"signals", "work", "200"});
  ASSERT_EQ(ended.status, 0);
  auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  const auto records = Records(files[0]);
  const tare_counters_header header = files[0].Header();
  EXPECT_EQ(header.samples_lost, 0u);
  EXPECT_GT(header.sampling_ns, 0u);
  // The first, the last, and some between; their number depends on the machine.
  ASSERT_GE(records.size(), 3u);
  EXPECT_EQ(records.front()[TARE_SAMPLE_FIXED_VALUES], 0u);
  EXPECT_EQ(records.back()[TARE_SAMPLE_FIXED_VALUES], std::stoull(ended.output));
  EXPECT_EQ(records.back()[TARE_SAMPLE_FIXED_VALUES + 2], 40u);
  for (std::size_t i = 1; i < records.size(); ++i) {
    for (const std::size_t value : {0u, 1u, 2u, 4u, 7u, 9u}) {
      EXPECT_GE(records[i][value], records[i - 1][value]) << i << " " << value;
    }
  }
  EXPECT_EQ(files[0].Header().samples_taken, records.size());
  EXPECT_TRUE(Records(files[0]).empty());
}

TEST_F(RuntimeSampler, ReadsEventsOfTheKernelAndMarksThoseThatDoNotOpen) {
  tare_counters_request request = Every(1'000'000, 10000);
  request.sample_events = 2;
  request.events[0].type = PERF_TYPE_SOFTWARE;
  request.events[0].config = PERF_COUNT_SW_TASK_CLOCK;
  request.events[1].type = PERF_TYPE_SOFTWARE;
  request.events[1].config = 12345;
  Request(request);
  ASSERT_EQ(Observed({"signals", "work", "100"}).status, 0);
  auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  const std::size_t at = TARE_SAMPLE_FIXED_VALUES + files[0].Header().slots;
  ASSERT_EQ(files[0].Header().sample_values, at + 2);
  const auto records = Records(files[0]);
  ASSERT_GE(records.size(), 3u);
  if (records.back()[at] == TARE_SAMPLE_NO_EVENT) GTEST_SKIP() << "no events of the kernel here";
  for (std::size_t i = 1; i < records.size(); ++i) {
    EXPECT_GE(records[i][at], records[i - 1][at]) << i;
  }
  EXPECT_GT(records.back()[at], 1'000'000u);  // 100 ms of work
  EXPECT_EQ(records.back()[at + 1], TARE_SAMPLE_NO_EVENT);
}

TEST_F(RuntimeSampler, CountsSamplesThatAFullRingLost) {
  Request(Every(1'000'000, 2));
  ASSERT_EQ(Observed({"signals", "work", "100"}).status, 0);
  auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Records(files[0]).size(), 2u);
  EXPECT_GT(files[0].Header().samples_lost, 0u);
}

TEST_F(RuntimeSampler, IsLeftOutInChildrenAndForRequestsThatItDoesNotKnow) {
  Request(Every(1'000'000, 100));
  ASSERT_EQ(Observed({"children", "fork"}).status, 0);
  for (CounterFile& file : Files()) {
    EXPECT_EQ(file.Header().samples_room > 0, file.Header().parent_process == 0);
  }
  EXPECT_THAT(Processes(), testing::SizeIs(3));
  std::filesystem::remove_all(RunDirectory());
  std::filesystem::create_directory(RunDirectory());
  tare_counters_request unknown = Every(1'000'000, 100);
  ++unknown.version;
  Request(unknown);
  ASSERT_EQ(Observed({"signals", "work", "10"}).status, 0);
  auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].Header().samples_room, 0u);
}

TEST_F(RuntimeSampler, TakesAnotherIntervalWhileItRuns) {
  Request(Every(2'000'000, 1000));
  const pid_t observer = fork();
  if (observer == 0) {
    CounterDirectory directory(RunDirectory());
    for (int i = 0; i < 10000 && directory.Files().empty(); ++i, usleep(1000)) {
      if (!directory.Refresh()) _exit(1);
    }
    if (directory.Files().empty() || !directory.Files()[0].SetSampleInterval(0)) _exit(2);
    std::ofstream(directory_ / "seen") << directory.Files()[0].Header().samples_written;
    usleep(100'000);
    std::ofstream(directory_ / "stop") << "now";
    _exit(0);
  }
  ASSERT_EQ(Observed({"signals", "work-until", directory_ / "stop"}).status, 0);
  int status = -1;
  ASSERT_EQ(waitpid(observer, &status, 0), observer);
  ASSERT_EQ(status, 0);
  auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  // One that was pending, one that saw the new interval, and the last at exit. With the old
  // interval there would be fifty.
  const std::uint64_t seen = std::stoull(ReadFile(directory_ / "seen", 100).value());
  EXPECT_LE(files[0].Header().samples_written, seen + 10);
}

}  // namespace
}  // namespace tare::format
