// trace_program_test.cc: tests programs that run, end, crash and disappear while they are traced.
#include "measure/sample/trace_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "base/private_directory.h"
#include "format/series_reader.h"
#include "measure/run/program.h"
#include "measure/sample/trace_facts.h"
#include "tests/unit/measure/sample/synthetic_counters.h"

namespace tare::sample {
namespace {

using testing::HasSubstr;

struct Traced {
  Result<TraceRun> run;
  format::SeriesHead head;
  format::SeriesOutcome outcome;
  std::vector<format::SeriesRecord> records;

  EndFacts End() const { return EndFactsOf(outcome.end.value_or(format::SeriesEnd{}).facts); }

  std::optional<std::size_t> Column(const std::string& name) const {
    for (std::size_t i = 0; i < head.channels.size(); ++i) {
      if (head.channels[i].name == name) return i;
    }
    return std::nullopt;
  }
  // Returns the last recorded value.
  std::optional<std::int64_t> Last(const std::string& name) const {
    const auto column = Column(name);
    std::optional<std::int64_t> last;
    for (const format::SeriesRecord& record : records) {
      if (column && *column < record.values.size() && record.values[*column]) {
        last = record.values[*column];
      }
    }
    return last;
  }
};

class TraceProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = PrivateDirectory::Make();
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    request_.file = directory_->path() / "series";
    request_.setting.output = run::Output::kDiscarded;
  }

  Traced Trace(std::vector<std::string> command) {
    Traced traced{
        .run = Fail(ErrorKind::kUsage, "not run"), .head = {}, .outcome = {}, .records = {}};
    auto program = run::Resolve({std::move(command)});
    EXPECT_TRUE(program);
    if (!program) return traced;
    request_.program = *program;
    traced.run = TraceProgram(request_);
    auto reader = format::SeriesReader::Open(request_.file);
    if (!reader) return traced;
    format::ForEachRecord(
        *reader, [&](const format::SeriesRecord& record) { traced.records.push_back(record); });
    traced.head = reader->Head();
    traced.outcome = reader->Outcome();
    return traced;
  }

  std::optional<PrivateDirectory> directory_;
  TraceRequest request_;
};

TEST_F(TraceProgramTest, RecordsWhatTheKernelReports) {
  request_.pace.interval_ns = 5'000'000;
  const Traced traced =
      Trace({"/bin/sh", "-c", "i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done; exit 3"});
  ASSERT_TRUE(traced.run) << traced.run.error().message;
  EXPECT_EQ(traced.run->finished.ended.exit_status, 3);
  EXPECT_FALSE(traced.run->file_error);
  EXPECT_TRUE(traced.outcome.complete) << traced.outcome.reason;
  EXPECT_EQ(traced.End().exit_status, 3);
  ASSERT_GE(traced.records.size(), 3U);
  EXPECT_EQ(traced.records.front().time, 0U);
  EXPECT_GT(traced.Last("cpu-time").value_or(0), 0);
  EXPECT_GT(traced.Last("minor-faults").value_or(0), 10);
  EXPECT_GT(traced.Last("resident-memory").value_or(0), 4096);
  EXPECT_EQ(traced.Last("threads"), 1);
  ASSERT_TRUE(traced.End().observer_cpu_ns);
  EXPECT_GT(*traced.End().observer_cpu_ns, 0U);
}

TEST_F(TraceProgramTest, NeverLetsATotalFall) {
  request_.pace.interval_ns = 1'000'000;
  const Traced traced = Trace({"/bin/sh", "-c", "for i in 1 2 3 4 5; do /bin/true; done"});
  ASSERT_TRUE(traced.run);
  for (std::size_t i = 0; i < traced.head.channels.size(); ++i) {
    if (traced.head.channels[i].kind != format::ChannelKind::kTotal) continue;
    std::int64_t before = 0;
    for (const format::SeriesRecord& record : traced.records) {
      if (i >= record.values.size() || !record.values[i]) continue;
      EXPECT_GE(*record.values[i], before) << traced.head.channels[i].name;
      before = *record.values[i];
    }
  }
}

TEST_F(TraceProgramTest, CountsBytesFromTheProgramsFirstInstruction) {
  request_.pace.interval_ns = 5'000'000;
  request_.setting.input = {run::Input::From::kFile, "/dev/zero"};
  const Traced traced =
      Trace({"/bin/sh", "-c", "head -c 1000 > /dev/null; printf 1234567890; sleep 1"});
  ASSERT_TRUE(traced.run);
  if (!traced.Column("bytes-written")) GTEST_SKIP() << "no /proc/PID/io here";
  // Written by the shell itself; head's output counts only after it was waited for.
  const std::int64_t written = traced.Last("bytes-written").value_or(-1);
  EXPECT_TRUE(written == 10 || written == 1010) << written;
}

TEST_F(TraceProgramTest, TakesFewRecordsOfAShortProgram) {
  const Traced traced = Trace({"/bin/true"});
  ASSERT_TRUE(traced.run);
  EXPECT_TRUE(traced.outcome.complete);
  EXPECT_GE(traced.records.size(), 1U);
  EXPECT_EQ(traced.End().exit_status, 0);
}

TEST_F(TraceProgramTest, SealsTheFileOfAProgramThatIsKilled) {
  const Traced traced = Trace({"/bin/sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(traced.run);
  EXPECT_EQ(traced.run->finished.ended.signal, SIGKILL);
  EXPECT_TRUE(traced.outcome.complete);
  EXPECT_EQ(traced.End().signal, SIGKILL);
}

TEST_F(TraceProgramTest, EndsWhenItIsInterrupted) {
  request_.interrupted = [] { return true; };
  const Traced traced = Trace({"/bin/sleep", "100"});
  ASSERT_TRUE(traced.run);
  EXPECT_TRUE(traced.run->finished.ended.interrupted);
  EXPECT_TRUE(traced.outcome.complete);
  EXPECT_TRUE(traced.End().interrupted);
}

TEST_F(TraceProgramTest, GivesTheProgramADirectoryForItsCounters) {
  // A program that copies a counter file into place imitates one that tare-cc has built.
  WriteCounters(
      directory_->path() / "made",
      {.process = 1, .text = "metric\tmine\tcount\t0\n", .banks = {{40}, {2}}, .samples = {}});
  request_.children = true;
  request_.pace.interval_ns = 2'000'000;
  const Traced traced =
      Trace({"/bin/sh", "-c",
             "cp " + (directory_->path() / "made").string() +
                 " \"$TARE_RUN/copy\"; mv \"$TARE_RUN/copy\" \"$TARE_RUN/1.0\"; sleep 0.5"});
  ASSERT_TRUE(traced.run);
  EXPECT_EQ(traced.Last("mine"), 42);
  for (const format::AbsentChannel& absent : traced.End().absent) {
    EXPECT_NE(absent.name, "software metrics");
  }
}

TEST_F(TraceProgramTest, SaysThatAProgramHasNoMetricsOfItsOwn) {
  const Traced traced = Trace({"/bin/true"});
  bool said = false;
  for (const format::AbsentChannel& absent : traced.End().absent) {
    said = said || (absent.name == "software metrics" && absent.reason.contains("tare-cc"));
  }
  EXPECT_TRUE(said);
}

TEST_F(TraceProgramTest, RefusesTheSignalSamplerWithoutOne) {
  request_.sampler = Sampler::kSignal;
  const Traced traced = Trace({"/bin/true"});
  ASSERT_FALSE(traced.run);
  EXPECT_EQ(traced.run.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(traced.run.error().message, HasSubstr("tare-cc"));
  EXPECT_THAT(traced.run.error().message, HasSubstr("--sampler observer"));
}

TEST_F(TraceProgramTest, FailsBeforeTheProgramStartsWhenThereIsNoPlaceForTheFile) {
  request_.file = directory_->path() / "missing" / "series";
  const auto witness = directory_->path() / "witness";
  const Traced traced = Trace({"/bin/sh", "-c", "touch " + witness.string()});
  ASSERT_FALSE(traced.run);
  EXPECT_EQ(traced.run.error().kind, ErrorKind::kIo);
  EXPECT_FALSE(std::filesystem::exists(witness));
}

TEST_F(TraceProgramTest, LeavesNoFileOfAProgramThatCannotBeExecuted) {
  const auto script = directory_->path() / "script";
  std::ofstream(script) << "#!/no/such/interpreter\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Traced traced = Trace({script.string()});
  ASSERT_FALSE(traced.run);
  EXPECT_EQ(traced.run.error().kind, ErrorKind::kCannotExecute);
  EXPECT_FALSE(std::filesystem::exists(request_.file));
}

TEST_F(TraceProgramTest, RefusesUnknownMetrics) {
  request_.selection = MetricSelection({"cpu-tiem"});
  const Traced traced = Trace({"/bin/true"});
  ASSERT_FALSE(traced.run);
  EXPECT_EQ(traced.run.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(traced.run.error().message, HasSubstr("did you mean cpu-time"));
}

TEST_F(TraceProgramTest, HasTheMetricsThatWereChosen) {
  request_.selection = MetricSelection({"threads", "no such *"});
  const Traced traced = Trace({"/bin/true"});
  ASSERT_TRUE(traced.run);
  ASSERT_EQ(traced.head.channels.size(), 1U);
  EXPECT_EQ(traced.head.channels[0].name, "threads");
  ASSERT_EQ(traced.End().absent.size(), 1U);
  EXPECT_EQ(traced.End().absent[0].name, "no such *");
}

TEST_F(TraceProgramTest, FindsAnIntervalForTheRecordsWanted) {
  request_.pace.records = 50;
  request_.selection = MetricSelection({"cpu-time"});
  const Traced traced = Trace({"/bin/sleep", "2"});
  ASSERT_TRUE(traced.run);
  EXPECT_TRUE(traced.outcome.complete);
  EXPECT_LE(traced.records.size(), 102U);
  EXPECT_GT(traced.head.interval, 100'000U);
  EXPECT_GT(traced.End().taken, traced.records.size());
}

}  // namespace
}  // namespace tare::sample
