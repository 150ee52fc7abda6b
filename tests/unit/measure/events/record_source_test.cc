// record_source_test.cc: programs with tare/events.h that are really recorded: threads, children,
// clocks, a killed recorder and a full disk.
#include "measure/events/record_source.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>

#include "measure/events/trace_summary.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::events {
namespace {

SourcePlan PlanOf(const std::string& line, const std::string& output) {
  SourcePlan plan;
  plan.program = run::TestProgram(line);
  plan.setting = run::Captured();
  plan.head.source = "source";
  plan.head.content = "events";
  plan.output = output;
  return plan;
}

class RecordedSource : public testing::Test {
 protected:
  // Runs and records; the summary of the trace.
  TraceSummary Record(const std::string& line, SourceClock clock = SourceClock::kFine) {
    SourcePlan plan = PlanOf(line, Path());
    plan.clock = clock;
    return Record(plan);
  }

  TraceSummary Record(const SourcePlan& plan) {
    const auto recorded = RecordSource(plan);
    EXPECT_TRUE(recorded) << recorded.error().message;
    if (!recorded) return {};
    EXPECT_EQ(recorded->finished.ended.ShellStatus(), 0) << recorded->finished.errors;
    output_ = recorded->finished.output;
    // A rare miss of an interval is allowed: 99.99 %.
    auto summary = Summarize(Path(), 0.9999);
    EXPECT_TRUE(summary);
    return summary ? std::move(*summary) : TraceSummary{};
  }

  std::string Path() const { return directory_.Path("x.events"); }

  run::TemporaryDirectory directory_;
  std::string output_;
};

const SiteTotals& Site(const TraceSummary& summary, std::string_view name) {
  static const SiteTotals kNone;
  const auto found = std::ranges::find(summary.sites, name, &SiteTotals::name);
  EXPECT_NE(found, summary.sites.end()) << name;
  return found == summary.sites.end() ? kNone : *found;
}

TEST_F(RecordedSource, HasEveryEventSpanAndValue) {
  const TraceSummary summary = Record("source_events 1000");
  EXPECT_EQ(output_, "4.500 8.250\n");
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(summary.timed, 2003u);  // the span has two
  EXPECT_EQ(Site(summary, "add").events, 1000u);
  EXPECT_EQ(Site(summary, "summed").events, 1u);
  EXPECT_EQ(Site(summary, "statistics").events, 1u);
  EXPECT_GT(Site(summary, "statistics").seconds, 0);
  const SiteTotals& x = Site(summary, "x");
  EXPECT_EQ(x.events, 1000u);
  EXPECT_EQ(x.min_value, -5);
  EXPECT_EQ(x.max_value, 4);
  EXPECT_EQ(x.sum_value, -500);
  EXPECT_EQ(summary.unmatched, 0u);
}

TEST_F(RecordedSource, OfThreadsThatFillTheirBuffersOftenLosesNothing) {
  // A buffer has 32,768 words.
  const TraceSummary summary = Record("source_events threads 4 200000");
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(summary.timed, 800'000u);
  EXPECT_EQ(summary.threads, 4u);
}

// A signal interrupts the reservation of a thread's buffer.
TEST_F(RecordedSource, OfThreadsThatSignalsInterruptLosesNothing) {
  const TraceSummary summary = Record("source_events alarms 200");
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(summary.timed, 200u);
}

TEST_F(RecordedSource, WaitsForTareInAnotherProcessIdNamespace) {
  SourcePlan plan = PlanOf("source_events threads 1 1000000", Path());
  plan.setting.process_id = 4242;
  const auto recorded = RecordSource(plan);
  if (!recorded && recorded.error().kind == ErrorKind::kUnsupported)
    GTEST_SKIP() << recorded.error().message;
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ(recorded->timed, 1'000'000u);
}

TEST_F(RecordedSource, FollowsForkAndExecve) {
  const TraceSummary summary = Record("source_events forks 50000");
  EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
  EXPECT_EQ(Site(summary, "before the fork").events, 2u);
  EXPECT_EQ(Site(summary, "in the child").events, 50'000u);
  EXPECT_EQ(Site(summary, "before the execve").events, 1u);
  EXPECT_EQ(Site(summary, "after the execve").events, 50'000u);
  EXPECT_EQ(summary.processes, 2u);  // execve keeps the process
  EXPECT_EQ(summary.threads, 3u);
}

TEST_F(RecordedSource, WithACoarseClockHasTheMeanInItsInterval) {
  const TraceSummary summary = Record("source_events spans 300 400", SourceClock::kCoarse);
  EXPECT_EQ(summary.head.clock, "coarse");
  ASSERT_GT(summary.head.tick_ns, 500'000u);
  const SiteTotals& spans = Site(summary, "short");
  const SiteTotals& timed = Site(summary, "ns");
  ASSERT_EQ(spans.events, 300u);
  ASSERT_EQ(timed.events, 300u);
  // The program timed its spans with a clock that is finer by far.
  const double mean = timed.sum_value / 300 * 1e-9;
  ASSERT_TRUE(spans.mean.HasInterval());
  EXPECT_TRUE(spans.mean.Contains(mean))
      << mean << ": " << spans.mean.Low() << " to " << spans.mean.High();
}

TEST_F(RecordedSource, WithTheMonotonicClockHasTheMean) {
  const TraceSummary summary = Record("source_events spans 20 400", SourceClock::kMonotonic);
  const double mean = Site(summary, "ns").sum_value / 20 * 1e-9;
  // The span contains the program's own readings of the same clock.
  EXPECT_GE(Site(summary, "short").mean.Value(), mean * (1 - 1e-9));
}

TEST_F(RecordedSource, CarriesTheCostOfItsEventsAndTakesItOut) {
  const TraceSummary summary = Record("source_events nested 20000");
  const format::EventTraceHead& head = summary.head;
  for (const format::TraceCost& cost : {head.event_cost, head.span_cost, head.inner_cost}) {
    EXPECT_GE(cost.ns, 0);
    EXPECT_LE(cost.low_ns, cost.ns);
    EXPECT_GE(cost.high_ns, cost.ns);
  }
  // The part within a span may be below the tick of a coarse counter.
  EXPECT_GT(head.event_cost.ns, 0);
  EXPECT_LT(head.inner_cost.ns, head.span_cost.ns);
  const SiteTotals& outer = Site(summary, "outer");
  ASSERT_EQ(Site(summary, "inner").events, 20'000u);
  const double off = (20'000 * head.span_cost.ns + head.inner_cost.ns) * 1e-9;
  EXPECT_NEAR(outer.corrected.Value(), std::max(0.0, outer.mean.Value() - off), 1e-12);
}

TEST_F(RecordedSource, OfAProgramWithoutEventsIsRefused) {
  const auto recorded = RecordSource(PlanOf("endings exit 0", Path()));
  ASSERT_FALSE(recorded);
  EXPECT_EQ(recorded.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(recorded.error().message.find("tare/events.h"), std::string::npos);
}

// What the program "steady" counted so far: its events, and whether it has ended by itself.
std::pair<std::uint64_t, bool> Counted(const run::TemporaryDirectory& directory) {
  const std::string bytes = directory.Read("count");
  std::uint64_t counted[2] = {};
  if (bytes.size() == sizeof counted) std::memcpy(counted, bytes.data(), sizeof counted);
  return {counted[0], counted[1] == 1};
}

bool Within20Seconds(const auto& condition) {
  for (int tries = 0; tries < 2000; ++tries, ::usleep(10'000))
    if (condition()) return true;
  return false;
}

// The recorder writes while the program runs, so that a killed one loses only the newest events:
// those of the last 250 ms if it gets a processor.
TEST(KilledRecorder, HasWrittenOlderEvents) {
  const run::TemporaryDirectory directory;
  const std::string path = directory.Path("x.events");
  const pid_t recorder = ::fork();
  if (recorder == 0) {
    const auto recorded = RecordSource(PlanOf("source_events steady " + directory.Path(""), path));
    ::_exit(recorded ? 0 : 1);
  }
  EXPECT_TRUE(Within20Seconds([&] { return Counted(directory).first > 5'000; }));
  const std::uint64_t older = Counted(directory).first;
  const auto written = [&] {
    const auto so_far = Summarize(path, 0.95);
    return so_far ? so_far->timed : 0;
  };
  EXPECT_TRUE(Within20Seconds([&] { return written() >= older; }));
  ::kill(recorder, SIGKILL);
  ::waitpid(recorder, nullptr, 0);
  const auto summary = Summarize(path, 0.95);
  ASSERT_TRUE(summary);
  EXPECT_GE(summary->timed, older);
  EXPECT_FALSE(summary->outcome.complete);
  EXPECT_TRUE(summary->outcome.reason.starts_with("incomplete: "));
  // The program fills its buffer, finds nobody to wait for, and continues to its end.
  const std::uint64_t at_kill = Counted(directory).first;
  EXPECT_TRUE(Within20Seconds([&] { return Counted(directory).first > at_kill + 40'000; }));
  directory.Write("go", "");
  EXPECT_TRUE(Within20Seconds([&] { return Counted(directory).second; }));
}

// Mounts a small file system that only this process sees.
bool MountPrivately(const std::string& directory) {
  const std::string user = "0 " + std::to_string(::getuid()) + " 1";
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << user;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tare-test", directory.c_str(), "tmpfs", 0, "size=256k") == 0;
}

// 0 if all is as it should be, 77 if the system allows no mount, otherwise a number for what is
// wrong. To be called in a child process.
int RecordOnAFullDisk(const std::string& directory) {
  if (!MountPrivately(directory)) return 77;
  const std::string path = directory + "/x.events";
  const auto recorded = RecordSource(PlanOf("source_events nested 2000000", path));
  if (recorded || recorded.error().kind != ErrorKind::kIo) return 1;
  if (!recorded.error().message.contains("No space left on device")) return 2;
  const auto summary = Summarize(path, 0.95);
  if (!summary || summary->outcome.complete) return 3;
  if (summary->timed == 0 || !summary->outcome.end) return 4;
  return summary->timed + summary->outcome.end->lost == 4'000'002 ? 0 : 5;
}

TEST(FullDisk, KeepsWhatFitsAndCountsTheRest) {
  const run::TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(RecordOnAFullDisk(directory.Path("")));
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace tare::events
