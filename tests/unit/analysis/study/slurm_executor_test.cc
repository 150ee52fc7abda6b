// slurm_executor_test.cc: submission, gathering, loss and retry, with a queue made of this process.
#include "analysis/study/slurm_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "analysis/study/slurm_commands.h"
#include "analysis/study/slurm_job.h"
#include "base/file.h"
#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(SbatchWords, DeclareALimitedArray) {
  ExecutorPlan plan;
  plan.partition = "main";
  plan.time_limit_seconds = 90;
  plan.tasks_at_once = 7;
  plan.options = {"--account=x"};
  const auto words = SbatchWords(plan, {"tare-1-2", "/r/jobs/2", 30, "n1"});
  EXPECT_EQ(words.front(), "sbatch");
  for (const char* word :
       {"--array=0-29%7", "--requeue", "--exclusive", "--partition=main", "--time=2",
        "--nodelist=n1", "--account=x", "--output=/r/jobs/2/logs/%a.log"}) {
    EXPECT_THAT(words, Contains(word));
  }
  EXPECT_EQ(words.back(), "/r/jobs/2/task.sh");
}

TEST(ParseSbatch, TakesTheNumber) {
  EXPECT_EQ(*ParseSbatch("123\n"), "123");
  EXPECT_EQ(*ParseSbatch("123;cluster\n"), "123");
  EXPECT_FALSE(ParseSbatch("error").has_value());
}

TEST(ParseQueue, DoesNotCountHeldTasks) {
  const auto queue = ParseQueue(
      "tare-a-1|RUNNING|None\ntare-a-1|PENDING|Resources\n"
      "tare-a-2|PENDING|launch failed requeued held\ntare-a-2|PENDING|JobHeldAdmin\n");
  EXPECT_EQ(queue.at("tare-a-1"), 2u);
  EXPECT_EQ(queue.at("tare-a-2"), 0u);
}

TEST(TaskScript, QuotesEverythingForTheShell) {
  EXPECT_EQ(TaskScript("/opt/t", "/a b/it's; rm"),
            "#!/bin/sh\nexec /opt/t study task --quiet '/a b/it'\\''s; rm' "
            "\"$SLURM_ARRAY_TASK_ID\"\n");
}

// Executes the tasks of a submitted job at once, in this process. `loses` says which task of which
// job is lost with its node.
class PretendedSlurm {
 public:
  std::function<bool(std::size_t job, std::size_t task)> loses = [](std::size_t, std::size_t) {
    return false;
  };
  std::size_t submitted = 0;
  std::size_t max_tasks = 0;
  bool runs_tasks = true;
  bool forgets = true;  // jobs leave the queue at once

  Result<std::string> Tool(const std::vector<std::string>& words) {
    if (words.front() == "scancel") return std::string();
    if (words.front() == "squeue") {
      std::string lines;
      if (!forgets) {
        for (const std::string& name : names_) lines += name + "|PENDING|Priority\n";
      }
      return lines;
    }
    const std::size_t job = submitted++;
    const auto array = std::ranges::find_if(
        words, [](const std::string& word) { return word.starts_with("--array=0-"); });
    std::size_t last = 0;
    std::from_chars(array->data() + 10, array->data() + array->size(), last);
    for (const std::string& word : words) {
      if (word.starts_with("--job-name=")) names_.push_back(word.substr(11));
    }
    max_tasks = std::max(max_tasks, last + 1);
    directories_.push_back(std::filesystem::path(words.back()).parent_path());
    if (runs_tasks) Execute(job, last + 1);
    return std::to_string(100 + job) + "\n";
  }

  void Execute(std::size_t job, std::size_t tasks) {
    for (std::size_t task = 0; task < tasks; ++task) {
      if (loses(job, task)) continue;
      TaskContext context{directories_[job], task, "/usr/bin/tare", {}};
      context.run.results = directories_[job].parent_path().parent_path();
      context.run.node = task % 2 == 0 ? "n1" : "n2";
      const auto ran = RunTask(context);
      EXPECT_TRUE(ran.has_value()) << (ran ? "" : ran.error().message);
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> directories_;
};

class SlurmStudy : public testing::Test {
 protected:
  void Declare(const std::string& executor, const std::string& top = "runs = 10\n") {
    study_ = Parsed("format = 1\n" + top +
                        "[[program]]\nname = \"a\"\ncommand = ['sh', '-c', 'echo {n} >> log']\n"
                        "[parameters]\nn = [1, 2, 3]\n[executor]\nkind = \"slurm\"\n" +
                        executor,
                    scratch_.Path());
    cases_ = CasesOf(study_);
  }

  Result<std::size_t> Run(const StopAsked& interrupted = {}) {
    TRY(auto store, StudyStore::OpenToRun(results_, study_, cases_));
    RunSchedule schedule(study_, cases_);
    TRY_VOID(AddStoredRuns(study_, cases_, store, schedule));
    SlurmContext context;
    context.results = results_;
    context.tare = "/usr/bin/tare";
    context.interrupted = interrupted;
    context.run_tool = [&](const std::vector<std::string>& words) { return slurm_.Tool(words); };
    context.ask_every = std::chrono::milliseconds(1);
    context.look_every = std::chrono::milliseconds(1);
    return RunOnSlurm({study_, cases_, store, schedule}, context, NoProgress);
  }

  StoredStudy Stored() { return StudyStore::OpenToRead(results_)->Load({}).value(); }
  std::size_t Executed() {
    const std::string text = ReadFile(scratch_.Path() / "log", 1 << 20).value_or("");
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  void SetUp() override { std::filesystem::create_directories(results_); }

  ScratchDirectory scratch_;
  std::filesystem::path results_ = scratch_.Path() / "x.results";
  PretendedSlurm slurm_;
  Study study_;
  StudyCases cases_;
};

TEST_F(SlurmStudy, MakesEveryRunOnceInBatchesOfLimitedSize) {
  Declare("batch = 4\ntasks_per_job = 3\njobs_at_once = 1\n");
  const auto runs = Run();
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  EXPECT_EQ(*runs, 30u);
  EXPECT_EQ(Executed(), 30u);
  EXPECT_EQ(slurm_.submitted, 3u);  // 12 + 12 + 6 runs
  EXPECT_EQ(slurm_.max_tasks, 3u);
  EXPECT_EQ(Stored().nodes.size(), 2u);
  // Nothing is left of the jobs.
  EXPECT_TRUE(std::filesystem::is_empty(results_ / "jobs"));
  EXPECT_EQ(*Run(), 0u);
}

TEST_F(SlurmStudy, SubmitsLostRunsAgain) {
  Declare("batch = 5\n");
  slurm_.loses = [](std::size_t job, std::size_t task) { return job == 0 && task == 2; };
  EXPECT_EQ(*Run(), 30u);
  EXPECT_EQ(Executed(), 30u);
  std::size_t repeated = 0;
  for (const LoadedRun& run : Stored().runs) {
    EXPECT_EQ(run.state, RunState::kOk);
    repeated += run.attempt == 2 ? 1 : 0;
  }
  EXPECT_EQ(repeated, 5u);
  EXPECT_EQ(slurm_.max_tasks, 6u);
}

TEST_F(SlurmStudy, GivesUpARunThatIsLostAsOftenAsAllowed) {
  Declare("batch = 1\nretries = 2\n", "runs = 1\n");
  slurm_.loses = [](std::size_t, std::size_t task) { return task == 0; };
  EXPECT_EQ(*Run(), 3u);
  const StoredStudy stored = Stored();
  const auto lost = std::ranges::find(stored.runs, RunState::kLost, &LoadedRun::state);
  ASSERT_NE(lost, stored.runs.end());
  EXPECT_EQ(lost->attempt, 3);
  EXPECT_THAT(lost->message, HasSubstr("no result in 3 attempts: the node failed"));
}

TEST_F(SlurmStudy, ALostRunHasItsCauseFromTheLogWhichIsKept) {
  Declare("batch = 3\nretries = 0\n", "runs = 1\n");
  slurm_.loses = [&](std::size_t, std::size_t) {
    std::ofstream(results_ / "jobs" / "1" / "logs" / "0.log")
        << "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-18T20:32:10 DUE TO TIME LIMIT "
           "***\n";
    return true;
  };
  EXPECT_EQ(*Run(), 3u);
  const StoredStudy stored = Stored();
  // The first one was running, the others waited for it.
  EXPECT_EQ(std::ranges::count(stored.runs, RunState::kTimedOut, &LoadedRun::state), 1);
  EXPECT_EQ(std::ranges::count(stored.runs, RunState::kLost, &LoadedRun::state), 2);
  for (const LoadedRun& run : stored.runs) {
    EXPECT_THAT(run.message,
                HasSubstr("no result in 1 attempt: Slurm's time limit was exceeded; see the logs"));
  }
  EXPECT_TRUE(std::filesystem::exists(results_ / "logs" / "1-0.log"));
}

TEST(CauseInLog, IsTheSameInEveryJob) {
  EXPECT_EQ(CauseInLog(""), "");
  EXPECT_EQ(CauseInLog("slurmstepd: error: *** JOB 9 ON n2 CANCELLED AT 2026-11-18T20:32:10 DUE TO "
                       "PREEMPTION ***\n"),
            "the task was preempted");
  EXPECT_EQ(CauseInLog("*** JOB 9 ON n2 CANCELLED AT 2026-11-18T20:32:10 DUE TO TIME LIMIT ***\n"
                       "tare study task: stopped by the user\n"),
            kTimeLimitExceeded);
  EXPECT_EQ(CauseInLog("tare study task: stopped by the user\n"), "");
  EXPECT_EQ(CauseInLog("x\n/s.results/jobs/3/task.sh: 2: exec: /opt/tare: not found\n"),
            "2: exec: /opt/tare: not found");
  EXPECT_EQ(CauseInLog("tare study task: no space left\n"), "tare study task: no space left");
}

TEST_F(SlurmStudy, AnotherProcessGathersTheJobsOfAnInterruptedOne) {
  Declare("batch = 10\n");
  slurm_.runs_tasks = false;
  slurm_.forgets = false;
  int polls = 0;
  const auto first = Run([&] { return ++polls > 3; });
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(Stored().runs.size(), 0u);
  slurm_.Execute(0, 3);  // the jobs go on without tare
  EXPECT_EQ(*Run(), 30u);
  EXPECT_EQ(slurm_.submitted, 1u);
  EXPECT_EQ(Executed(), 30u);
}

TEST_F(SlurmStudy, ATaskThatIsRequeuedMakesOnlyWhatIsMissing) {
  Declare("batch = 10\n");
  slurm_.runs_tasks = false;
  slurm_.forgets = false;
  int polls = 0;
  EXPECT_FALSE(Run([&] { return ++polls > 3; }).has_value());
  slurm_.Execute(0, 3);
  EXPECT_EQ(Executed(), 30u);
  const auto results = results_ / "jobs" / "1" / "results";
  std::filesystem::remove(std::filesystem::directory_iterator(results)->path());
  slurm_.Execute(0, 3);
  EXPECT_EQ(Executed(), 31u);
}

TEST_F(SlurmStudy, ASuccessThatEndsWithItsTaskIsNotStored) {
  Declare("batch = 10\n", "runs = 1\n");
  slurm_.runs_tasks = false;
  slurm_.forgets = false;
  int polls = 0;
  EXPECT_FALSE(Run([&] { return ++polls > 3; }).has_value());
  TaskContext context{results_ / "jobs" / "1", 0, "/usr/bin/tare", {}};
  context.run.results = results_;
  // Slurm asks the task to end while its first program runs, which exits with status 0.
  context.run.interrupted = [&] { return Executed() > 0; };
  const auto ran = RunTask(context);
  ASSERT_FALSE(ran.has_value());
  EXPECT_EQ(ran.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(Executed(), 1u);
  EXPECT_TRUE(std::filesystem::is_empty(results_ / "jobs" / "1" / "results"));
}

TEST_F(SlurmStudy, SkipsFilesThatAreNotResults) {
  Declare("batch = 10\n", "runs = 1\n");
  slurm_.runs_tasks = false;
  slurm_.forgets = false;
  int polls = 0;
  EXPECT_FALSE(Run([&] { return ++polls > 3; }).has_value());
  const auto results = results_ / "jobs" / "1" / "results";
  EXPECT_TRUE(WriteFileAtomically(results / "half.json", "{\"format\": 1, \"ca").has_value());
  slurm_.Execute(0, 1);
  EXPECT_EQ(*Run(), 3u);
}

TEST_F(SlurmStudy, RunsEveryCaseOnEachNode) {
  Declare("nodes = [\"n1\", \"n2\"]\n", "runs = 2\n");
  EXPECT_EQ(*Run(), 12u);
  EXPECT_EQ(slurm_.submitted, 2u);
  EXPECT_EQ(cases_.factors.back(), "node");
}

TEST_F(SlurmStudy, SaysWhatSbatchSays) {
  Declare("");
  auto store = StudyStore::OpenToRun(results_, study_, cases_);
  ASSERT_TRUE(store.has_value());
  RunSchedule schedule(study_, cases_);
  SlurmContext context;
  context.results = results_;
  context.run_tool = [](const std::vector<std::string>&) -> Result<std::string> {
    return Fail(ErrorKind::kIo, "sbatch fails: invalid partition");
  };
  const auto runs = RunOnSlurm({study_, cases_, *store, schedule}, context, NoProgress);
  ASSERT_FALSE(runs.has_value());
  EXPECT_THAT(runs.error().message, HasSubstr("invalid partition"));
  EXPECT_TRUE(store->Jobs()->empty());
}

}  // namespace
}  // namespace tare::study
