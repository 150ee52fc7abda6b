// local_executor_test.cc: whole studies of small programs, interrupted and continued.
#include "analysis/study/local_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/file.h"
#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

using testing::HasSubstr;

class LocalStudy : public testing::Test {
 protected:
  void Declare(const std::string& text) {
    study_ = Parsed("format = 1\n" + text, scratch_.Path());
    cases_ = CasesOf(study_);
  }

  // Runs what is left; the user interrupts before run number `stop_after`.
  Result<std::size_t> Run(std::size_t stop_after = 1000) {
    TRY(const auto lock, ResultsLock::Take(results_));
    TRY(auto store, StudyStore::OpenToRun(results_, study_, cases_));
    RunSchedule schedule(study_, cases_);
    TRY_VOID(AddStoredRuns(study_, cases_, store, schedule));
    const std::size_t before = schedule.Stored();
    const StopAsked interrupted = [&] { return schedule.Stored() >= before + stop_after; };
    RunContext context;
    context.results = results_;
    context.version = version_;
    context.node = "here";
    context.interrupted = interrupted;
    CaseRunner runner(study_, cases_, context);
    return RunLocally({study_, cases_, store, schedule}, runner, interrupted, NoProgress);
  }

  StoredStudy Stored() {
    const auto store = StudyStore::OpenToRead(results_);
    EXPECT_TRUE(store.has_value());
    return store->Load({}).value();
  }

  ScratchDirectory scratch_;
  std::filesystem::path results_ = scratch_.Path() / "x.results";
  std::string version_ = "1.0";
  Study study_;
  StudyCases cases_;
};

std::size_t LinesOf(const std::filesystem::path& path) {
  const std::string text = ReadFile(path, 1 << 20).value_or("");
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST_F(LocalStudy, NeverRepeatsAFinishedRun) {
  const auto log = scratch_.Path() / "log";
  Declare("runs = 5\n[[program]]\nname = \"a\"\ncommand = ['sh', '-c', 'echo {n} >> " +
          log.string() + "']\n[parameters]\nn = [1, 2, 3]\n");
  const auto first = Run(4);
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(Stored().runs.size(), 4u);
  const auto rest = Run();
  ASSERT_TRUE(rest.has_value()) << rest.error().message;
  EXPECT_EQ(*rest, 11u);
  EXPECT_EQ(LinesOf(log), 15u);
  EXPECT_EQ(*Run(), 0u);
  EXPECT_EQ(LinesOf(log), 15u);
}

// Each run waits for the other one.
TEST_F(LocalStudy, RunsSeveralAtOnce) {
  scratch_.Write("both.sh", "echo x >> marks\nuntil [ $(wc -l < marks) = 2 ]; do :; done\n");
  Declare(
      "runs = 2\ntimeout = \"60s\"\n[[program]]\nname = \"a\"\ncommand = \"sh both.sh\"\n"
      "[executor]\nexclusive = false\nruns_at_once = 2\n");
  const auto count = Run();
  ASSERT_TRUE(count.has_value()) << count.error().message;
  EXPECT_EQ(*count, 2);
  for (const auto& run : Stored().runs) EXPECT_EQ(run.state, RunState::kOk);
  EXPECT_EQ(Run().value(), 0);
}

TEST_F(LocalStudy, SeveralAtOnceContinueAfterAnInterruption) {
  Declare(
      "runs = 10\n[[program]]\nname = \"a\"\ncommand = \"true\"\n"
      "[executor]\nexclusive = false\nruns_at_once = 3\n");
  EXPECT_EQ(Run(4).error().kind, ErrorKind::kInterrupted);
  const std::size_t stored = Stored().runs.size();
  EXPECT_EQ(stored, 4);
  EXPECT_EQ(Run().value(), 10 - stored);
  std::set<std::int64_t> repetitions;
  for (const auto& run : Stored().runs) repetitions.insert(run.repetition);
  EXPECT_EQ(repetitions.size(), 10);
}

TEST(MachineLock, IsHeldByOneStudyAtATime) {
  const ScratchDirectory scratch;
  ::setenv("XDG_RUNTIME_DIR", scratch.Path().c_str(), 1);
  const MachineLock first;
  const MachineLock second;
  ::unsetenv("XDG_RUNTIME_DIR");
  const auto nothing = [] {};
  ASSERT_TRUE(first.Take({}, nothing).has_value());
  int polls = 0;
  bool waits = false;
  // It looks every 2 ms, and says that it waits after 250 ms.
  const auto refused = second.Take([&] { return ++polls > 300; }, [&] { waits = true; });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kInterrupted);
  EXPECT_TRUE(waits);
  first.Release();
  EXPECT_TRUE(second.Take({}, nothing).has_value());
}

TEST_F(LocalStudy, MoreRunsInTheFileAreMade) {
  Declare("runs = 2\n[[program]]\nname = \"a\"\ncommand = \"true\"\n");
  EXPECT_EQ(*Run(), 2u);
  Declare(
      "runs = 5\n[[program]]\nname = \"a\"\ncommand = \"true\"\n"
      "[[program]]\nname = \"b\"\ncommand = \"true\"\n");
  EXPECT_EQ(*Run(), 3 + 5u);
}

TEST_F(LocalStudy, StoresWhatOtherProgramsUsed) {
  Declare("runs = 1\n[[program]]\nname = \"a\"\ncommand = \"sleep 0.3\"\n");
  ASSERT_TRUE(Run().has_value());
  const StoredStudy stored = Stored();
  ASSERT_EQ(stored.runs.size(), 1u);
  for (const char* name : {"other-programs", "stolen-time"}) {
    const auto metric = std::ranges::find(stored.metrics, name, &StoredMetric::name);
    ASSERT_NE(metric, stored.metrics.end()) << name;
    EXPECT_EQ(metric->unit, "%");
    const auto& value =
        stored.runs[0].values[static_cast<std::size_t>(metric - stored.metrics.begin())];
    ASSERT_TRUE(value.has_value());
    EXPECT_GE(AsDouble(*value), 0);
    EXPECT_LE(AsDouble(*value), 100);
  }
}

TEST_F(LocalStudy, StoresTimesAndResources) {
  Declare("runs = 1\n[[program]]\nname = \"a\"\ncommand = \"true\"\n");
  ASSERT_TRUE(Run().has_value());
  const StoredStudy stored = Stored();
  ASSERT_EQ(stored.runs.size(), 1u);
  std::set<std::string> names;
  for (const StoredMetric& metric : stored.metrics) names.insert(metric.name);
  for (const char* name : {"wall", "user", "sys", "minor-faults", "involuntary-switches"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_EQ(stored.runs[0].exit_status, 0);
  EXPECT_GT(stored.runs[0].seconds, 0);
  const ConditionFacts& facts = stored.conditions[stored.runs[0].conditions];
  EXPECT_EQ(facts.at("tare"), "1.0");
  EXPECT_EQ(facts.at("program sha256").size(), 64u);
  for (const char* name : {"machine", "kernel", "environment"}) {
    EXPECT_TRUE(facts.contains(name)) << name;
  }
}

TEST_F(LocalStudy, AFailedProgramIsAResult) {
  Declare(
      "runs = 6\nmax_failures = 2\ntimeout = \"2s\"\n"
      "[[program]]\nname = \"fails\"\ncommand = [\"sh\", \"-c\", \"echo why >&2; exit 3\"]\n"
      "[[program]]\nname = \"dies\"\ncommand = [\"sh\", \"-c\", \"kill -SEGV $$\"]\n"
      "[[program]]\nname = \"hangs\"\ncommand = \"sleep 20\"\n"
      "[[program]]\nname = \"absent\"\ncommand = \"./absent\"\n"
      "[[program]]\nname = \"expected\"\ncommand = \"false\"\nexit_status = 1\n"
      "[[program]]\nname = \"silent\"\ncommand = \"true\"\n"
      "[[metric]]\nname = \"m\"\npattern = \"([0-9]+)\"\nprogram = \"silent\"\n");
  ASSERT_TRUE(Run().has_value());
  const StoredStudy stored = Stored();
  std::map<std::string, std::vector<const LoadedRun*>> runs;
  for (const LoadedRun& run : stored.runs) {
    runs[stored.cases[run.case_index].levels.at("program")].push_back(&run);
  }
  ASSERT_EQ(runs["fails"].size(), 2u);
  EXPECT_EQ(runs["fails"][0]->state, RunState::kFailed);
  EXPECT_EQ(runs["fails"][0]->exit_status, 3);
  EXPECT_EQ(runs["fails"][0]->message, "exit status 3: why");
  EXPECT_EQ(runs["dies"][0]->state, RunState::kKilled);
  EXPECT_EQ(runs["dies"][0]->signal, 11);
  EXPECT_EQ(runs["hangs"][0]->state, RunState::kTimedOut);
  EXPECT_EQ(runs["absent"][0]->state, RunState::kNotStarted);
  EXPECT_EQ(runs["silent"][0]->state, RunState::kNoMetric);
  EXPECT_EQ(runs["expected"].size(), 6u);
  EXPECT_EQ(runs["expected"][0]->state, RunState::kOk);
}

TEST_F(LocalStudy, ReadsMetricsInputAndVariables) {
  scratch_.Write("in.txt", "41\n");
  Declare(
      "runs = 1\n[[program]]\nname = \"a\"\n"
      "command = ['sh', '-c', 'read x; echo value: $((x + ADDED))']\nstdin = \"{input}\"\n"
      "environment = {ADDED = 1}\n[[input]]\nname = \"i\"\nfile = \"in.txt\"\n"
      "[[metric]]\nname = \"value\"\npattern = 'value: ([0-9]+)'\n");
  ASSERT_TRUE(Run().has_value());
  const StoredStudy stored = Stored();
  ASSERT_EQ(stored.runs.size(), 1u);
  EXPECT_EQ(stored.runs[0].message, "");
  const auto metric = std::ranges::find(stored.metrics, "value", &StoredMetric::name);
  ASSERT_NE(metric, stored.metrics.end());
  const auto index = static_cast<std::size_t>(metric - stored.metrics.begin());
  EXPECT_EQ(std::get<std::int64_t>(*stored.runs[0].values[index]), 42);
  EXPECT_EQ(stored.conditions[0].at("input sha256").size(), 64u);
}

TEST_F(LocalStudy, KeepsTheFilesOfARun) {
  Declare(
      "runs = 2\n[[program]]\nname = \"a\"\n"
      "command = ['sh', '-c', 'echo x > {files}/left']\n");
  ASSERT_TRUE(Run().has_value());
  for (const int repetition : {0, 1}) {
    EXPECT_TRUE(std::filesystem::exists(FilesDirectory(results_, cases_.cases[0].key, repetition) /
                                        "left"));
  }
}

TEST_F(LocalStudy, PreparesEachRunAndSaysIfThatFails) {
  const auto log = scratch_.Path() / "log";
  Declare(
      "runs = 3\n[[program]]\nname = \"a\"\ncommand = \"true\"\nprepare = \"echo x >> log\"\n"
      "[[program]]\nname = \"b\"\ncommand = \"true\"\nprepare = \"exit 4\"\n");
  ASSERT_TRUE(Run().has_value());
  EXPECT_EQ(LinesOf(log), 3u);
  const StoredStudy stored = Stored();
  const auto failed = std::ranges::find(stored.runs, RunState::kNotStarted, &LoadedRun::state);
  ASSERT_NE(failed, stored.runs.end());
  EXPECT_THAT(failed->message, HasSubstr("exits with status 4"));
}

TEST_F(LocalStudy, GivesEachLayoutAnotherEnvironmentSize) {
  Declare(
      "runs = 1\n[[program]]\nname = \"a\"\ncommand = ['sh', '-c', 'env | wc -c']\n"
      "[settings]\nlayouts = 3\n[[metric]]\nname = \"bytes\"\npattern = '([0-9]+)'\n");
  ASSERT_TRUE(Run().has_value());
  const StoredStudy stored = Stored();
  ASSERT_EQ(stored.runs.size(), 3u);
  const auto metric = std::ranges::find(stored.metrics, "bytes", &StoredMetric::name);
  ASSERT_NE(metric, stored.metrics.end()) << stored.runs[0].message;
  std::set<double> sizes;
  for (const LoadedRun& run : stored.runs) {
    sizes.insert(AsDouble(*run.values[static_cast<std::size_t>(metric - stored.metrics.begin())]));
  }
  EXPECT_EQ(sizes.size(), 3u);
}

}  // namespace
}  // namespace tare::study
