// slurm_executor.cc: submits, gathers and retries.
#include "analysis/study/slurm_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <thread>

#include "analysis/study/slurm_commands.h"
#include "analysis/study/slurm_job.h"
#include "base/file.h"
#include "base/printable.h"

namespace tare::study {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A job that left the queue may have written its last results just before; file systems of
// clusters show them later.
constexpr int kGoneChecks = 2;
constexpr int kSubmitAttempts = 5;

struct PendingRun {
  PlannedRun planned;
  std::int64_t attempt = 1;
  std::size_t task = 0;   // of the job
  std::size_t place = 0;  // in the task
};

constexpr std::size_t kMaxLogBytes = 1 << 20;

struct ActiveJob {
  std::int64_t number = 0;
  std::string name;
  fs::path directory;
  std::map<std::pair<std::string, std::int64_t>, PendingRun> open;  // by key and repetition
  std::set<std::string> gathered;
  int gone = 0;  // how often in a row the queue did not have it
};

class SlurmRun {
 public:
  SlurmRun(const StudyInProgress& parts, const SlurmContext& context, const Progress& progress)
      : parts_(parts), context_(context), progress_(progress) {
    for (std::size_t i = 0; i < parts.cases.cases.size(); ++i) {
      index_of_[parts.cases.cases[i].key] = i;
    }
    std::error_code ignored;
    results_ = fs::absolute(context.results, ignored).lexically_normal();
  }

  Result<std::size_t> All() {
    TRY(identification_, parts_.store.Identification());
    TRY_VOID(Reattach());
    Clock::time_point asked = Clock::now();
    while (true) {
      for (ActiveJob& job : jobs_) TRY_VOID(Gather(job));
      TRY_VOID(CloseIf([](const ActiveJob& job) { return job.open.empty(); }));
      TRY_VOID(SubmitWhatFits());
      if (jobs_.empty() && retries_.empty()) return gathered_;
      if (!progress_(ProgressFraction(parts_.schedule), Text())) return Interrupted();
      if (context_.interrupted && context_.interrupted()) return Interrupted();
      std::this_thread::sleep_for(context_.look_every);
      if (Clock::now() - asked < context_.ask_every) continue;
      TRY_VOID(AskQueue());
      asked = Clock::now();
    }
  }

 private:
  std::unexpected<Error> Interrupted() const { return Stopped(); }

  std::string Text() const {
    std::size_t open = 0;
    for (const ActiveJob& job : jobs_) open += job.open.size();
    return fmt::format("{} runs done, {} in {} Slurm jobs{}", parts_.schedule.Stored(), open,
                       jobs_.size(), trouble_.empty() ? "" : "; " + trouble_);
  }

  Result<std::string> Tool(const std::vector<std::string>& words) const {
    if (context_.run_tool) return context_.run_tool(words);
    return RunTool(words, context_.interrupted);
  }

  std::string JobName(std::int64_t number) const {
    return fmt::format("tare-{}-{}", identification_, number);
  }

  Result<void> Reattach() {
    TRY(const auto jobs, parts_.store.Jobs());
    for (const SlurmJob& known : jobs) {
      ActiveJob job = Named(known.number);
      const auto tasks = ReadJobTasks(job.directory);
      if (!tasks) {
        // It was never submitted: the directory is written before.
        TRY_VOID(parts_.store.RemoveJob(known.number));
        continue;
      }
      for (std::size_t task = 0; task < tasks->tasks.size(); ++task) {
        for (std::size_t place = 0; place < tasks->tasks[task].size(); ++place) {
          const TaskRun& run = tasks->tasks[task][place];
          const auto index = index_of_.find(run.key);
          if (index == index_of_.end()) continue;
          const PlannedRun planned{index->second, run.repetition};
          if (parts_.schedule.IsStored(planned)) continue;
          parts_.schedule.Take(planned);
          job.open[{run.key, run.repetition}] = {planned, run.attempt, task, place};
        }
      }
      jobs_.push_back(std::move(job));
    }
    if (!jobs_.empty()) TRY_VOID(AskQueue());
    return {};
  }

  ActiveJob Named(std::int64_t number) const {
    ActiveJob job;
    job.number = number;
    job.name = JobName(number);
    job.directory = results_ / "jobs" / std::to_string(number);
    return job;
  }

  Result<void> Gather(ActiveJob& job) {
    TRY(const auto records, GatherResults(job.directory, job.gathered));
    for (const RunRecord& record : records) {
      const auto open = job.open.find({record.key, record.repetition});
      if (open == job.open.end()) continue;
      TRY(const bool is_new, parts_.store.Add(record));
      parts_.schedule.Add(Brief(parts_.study, open->second.planned, record));
      gathered_ += is_new ? 1u : 0u;
      job.open.erase(open);
    }
    return {};
  }

  Result<void> SubmitWhatFits() {
    const ExecutorPlan& plan = parts_.study.executor;
    while (jobs_.size() < plan.jobs_at_once) {
      // Runs that were lost go alone, so that one that exceeds the time limit hurts no other.
      std::vector<PendingRun> runs = std::exchange(retries_, {});
      std::size_t batch = 1;
      if (runs.empty()) {
        batch = plan.batch;
        for (const PlannedRun& planned : parts_.schedule.Next(plan.batch * plan.tasks_per_job)) {
          runs.push_back({planned, 1, 0, 0});
        }
      }
      if (runs.empty()) return {};
      std::map<std::string, std::vector<PendingRun>> by_node;
      for (const PendingRun& run : runs) {
        by_node[parts_.cases.cases[run.planned.index].node].push_back(run);
      }
      for (const auto& [node, of_node] : by_node) TRY_VOID(Submit(node, of_node, batch));
    }
    return {};
  }

  Result<void> Submit(const std::string& node, const std::vector<PendingRun>& runs,
                      std::size_t batch) {
    std::vector<std::vector<TaskRun>> tasks;
    for (const PendingRun& run : runs) {
      if (tasks.empty() || tasks.back().size() == batch) tasks.emplace_back();
      tasks.back().push_back(
          {parts_.cases.cases[run.planned.index].key, run.planned.repetition, run.attempt});
    }
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    TRY(const std::int64_t number,
        parts_.store.AddJob(static_cast<std::int64_t>(tasks.size()), now));
    ActiveJob job = Named(number);
    std::error_code ignored;
    fs::remove_all(job.directory, ignored);
    TRY_VOID(WriteJob(job.directory, parts_.study, context_.tare, tasks));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      PendingRun run = runs[i];
      run.task = i / batch;
      run.place = i % batch;
      job.open[{parts_.cases.cases[run.planned.index].key, run.planned.repetition}] = run;
    }
    TRY(const std::string id, Sbatch({job.name, job.directory, tasks.size(), node}, number));
    TRY_VOID(parts_.store.SetJobId(number, id));
    jobs_.push_back(std::move(job));
    return {};
  }

  Result<std::string> Sbatch(const JobSubmission& job, std::int64_t number) {
    for (int attempt = 1;; ++attempt) {
      auto output = Tool(SbatchWords(parts_.study.executor, job));
      if (output) return ParseSbatch(*output);
      const bool final = output.error().kind != ErrorKind::kIo || attempt == kSubmitAttempts ||
                         !output.error().message.contains("contact slurm controller");
      if (!final) {
        std::this_thread::sleep_for(context_.ask_every);
        continue;
      }
      std::error_code ignored;
      fs::remove_all(job.directory, ignored);
      TRY_VOID(parts_.store.RemoveJob(number));
      return std::unexpected(output.error());
    }
  }

  Result<void> AskQueue() {
    if (jobs_.empty()) return {};
    std::vector<std::string> names;
    for (const ActiveJob& job : jobs_) names.push_back(job.name);
    const auto output = Tool(QueueWords(names));
    if (!output) {
      if (output.error().kind != ErrorKind::kIo) return std::unexpected(output.error());
      // The controller may be restarting: results still arrive as files.
      trouble_ = output.error().message;
      return {};
    }
    trouble_.clear();
    const auto queue = ParseQueue(*output);
    for (ActiveJob& job : jobs_) {
      const auto found = queue.find(job.name);
      const bool alive = found != queue.end() && found->second > 0;
      job.gone = alive ? 0 : job.gone + 1;
      // Nothing is left to wait for, or only tasks that Slurm holds.
      if (job.gone >= kGoneChecks && found != queue.end()) {
        static_cast<void>(Tool({"scancel", fmt::format("--name={}", job.name)}));
      }
    }
    return CloseIf([](const ActiveJob& job) { return job.gone >= kGoneChecks; });
  }

  Result<void> CloseIf(bool (*has_ended)(const ActiveJob&)) {
    for (ActiveJob& job : jobs_) {
      if (has_ended(job)) TRY_VOID(Close(job));
    }
    std::erase_if(jobs_, has_ended);
    return {};
  }

  static fs::path LogOf(const ActiveJob& job, std::size_t task) {
    return job.directory / "logs" / fmt::format("{}.log", task);
  }

  // What the log says about a run that is not submitted again. A time limit ended the first run of
  // the task that is missing; those after it never started.
  RunState EndOf(const ActiveJob& job, const PendingRun& run, std::string& message) const {
    const auto log = ReadFile(LogOf(job, run.task), kMaxLogBytes);
    const std::string cause = log ? CauseInLog(*log) : "";
    const bool is_first = std::ranges::none_of(job.open, [&](const auto& other) {
      return other.second.task == run.task && other.second.place < run.place;
    });
    message = fmt::format("no result in {} attempt{}: {}", run.attempt, run.attempt == 1 ? "" : "s",
                          cause.empty() ? "the node failed, or the task never started" : cause);
    if (!cause.empty()) message += "; see the logs in the directory logs of the results";
    return cause == kTimeLimitExceeded && is_first ? RunState::kTimedOut : RunState::kLost;
  }

  // Logs of runs that are not submitted again survive the job.
  void KeepLog(const ActiveJob& job, std::size_t task) const {
    std::error_code ignored;
    fs::create_directories(results_ / "logs", ignored);
    fs::rename(LogOf(job, task), results_ / "logs" / fmt::format("{}-{}.log", job.number, task),
               ignored);
  }

  // The job has ended: what it did not bring is lost.
  Result<void> Close(ActiveJob& job) {
    TRY_VOID(Gather(job));
    std::set<std::size_t> lost_tasks;
    for (const auto& [name, run] : job.open) {
      if (run.attempt <= static_cast<std::int64_t>(parts_.study.executor.retries)) {
        retries_.push_back({run.planned, run.attempt + 1, 0, 0});
        continue;
      }
      RunRecord record;
      record.key = name.first;
      record.repetition = name.second;
      record.attempt = run.attempt;
      record.node = parts_.cases.cases[run.planned.index].node;
      record.state = EndOf(job, run, record.message);
      lost_tasks.insert(run.task);
      record.started =
          std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
              .count();
      TRY_VOID(parts_.store.Add(record));
      parts_.schedule.Add(Brief(parts_.study, run.planned, record));
      ++gathered_;
    }
    for (const std::size_t task : lost_tasks) KeepLog(job, task);
    TRY_VOID(parts_.store.RemoveJob(job.number));
    std::error_code ignored;
    fs::remove_all(job.directory, ignored);
    return {};
  }

  const StudyInProgress& parts_;
  const SlurmContext& context_;
  const Progress& progress_;
  fs::path results_;
  std::string identification_;
  std::map<std::string, std::size_t> index_of_;
  std::vector<ActiveJob> jobs_;
  std::vector<PendingRun> retries_;
  std::string trouble_;
  std::size_t gathered_ = 0;
};

}  // namespace

Result<std::size_t> RunOnSlurm(const StudyInProgress& parts, const SlurmContext& context,
                               const Progress& progress) {
  return SlurmRun(parts, context, progress).All();
}

}  // namespace tare::study
