// slurm_job.cc: files between the process that runs a study and the tasks on nodes.
#include "analysis/study/slurm_job.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>

#include "analysis/study/slurm_commands.h"
#include "base/file.h"
#include "base/json_checksum.h"
#include "base/json_value.h"
#include "base/json_writer.h"
#include "base/printable.h"

namespace tare::study {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTasksFormat = 1;
constexpr std::uint64_t kMaxTasksBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxResultBytes = 16 << 20;

std::string ResultName(const TaskRun& run) {
  return fmt::format("{}.{}.json", run.key, run.repetition);
}

std::string TasksJson(const Study& study, const std::vector<std::vector<TaskRun>>& tasks) {
  JsonWriter json;
  json.Raw("{");
  json.WholeField("format", kTasksFormat);
  json.TextField("directory", study.directory.string());
  json.Key("tasks");
  json.Lines(tasks, 0, [&](const std::vector<TaskRun>& runs) {
    json.Inline(runs, [&](const TaskRun& run) {
      json.Raw("{");
      json.TextField("case", run.key);
      json.Key("repetition");
      json.Raw(std::to_string(run.repetition));
      json.WholeField("attempt", static_cast<std::uint64_t>(run.attempt));
      json.Raw("}");
    });
  });
  json.Raw("}\n");
  return json.Take();
}

Result<TaskRun> ReadTaskRun(const JsonValue& item) {
  TaskRun run;
  TRY(run.key, item.TextField("case"));
  TRY(const double repetition, item.RealField("repetition"));
  run.repetition = static_cast<std::int64_t>(repetition);
  TRY(const std::uint64_t attempt, item.WholeField("attempt"));
  run.attempt = static_cast<std::int64_t>(attempt);
  return run;
}

// Slurm sends SIGTERM to all processes of a task that it cancels, requeues or ends: the program may
// end before this process has its own signal. Such an end says nothing about the program, even if
// it handles the signal and exits with status 0. After a success the wait is short, because every
// run has it; it lets Slurm's daemon send the other signals.
bool WasEndedBySlurm(const RunRecord& record, const StopAsked& interrupted) {
  if (!interrupted) return false;
  const bool by_signal = record.signal == SIGTERM || record.exit_status == 128 + SIGTERM;
  const auto wait = std::chrono::milliseconds(record.Succeeded() ? 2 : (by_signal ? 2000 : 200));
  const auto start = std::chrono::steady_clock::now();
  while (!interrupted()) {
    if (std::chrono::steady_clock::now() - start >= wait) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

Result<void> WriteJob(const fs::path& job, const Study& study, const std::string& tare,
                      const std::vector<std::vector<TaskRun>>& tasks) {
  for (const char* name : {"results", "logs"}) {
    std::error_code error;
    fs::create_directories(job / name, error);
    if (error) return std::unexpected(SystemError("create", job / name, error.value()));
  }
  TRY_VOID(WriteFileAtomically(job / "study.toml", study.text));
  TRY_VOID(WriteFileAtomically(job / "tasks.json", WithChecksum(TasksJson(study, tasks))));
  TRY_VOID(WriteFileAtomically(job / "task.sh", TaskScript(tare, job)));
  if (::chmod((job / "task.sh").c_str(), 0755) != 0) {
    return std::unexpected(SystemError("change the mode of", job / "task.sh", errno));
  }
  return {};
}

Result<JobTasks> ReadJobTasks(const fs::path& job) {
  const fs::path path = job / "tasks.json";
  TRY(const std::string text, ReadFile(path, kMaxTasksBytes));
  const auto read = [&]() -> Result<JobTasks> {
    TRY(const JsonFile file, JsonFile::Parse(text, "list of tasks"));
    const JsonValue root = file.Root();
    TRY_VOID(root.RequireFormat(kTasksFormat));
    JobTasks tasks;
    TRY(tasks.directory, root.TextField("directory"));
    TRY(tasks.tasks,
        root.ListField("tasks", [](const JsonValue& task) { return task.List(ReadTaskRun); }));
    return tasks;
  };
  return InFile(path, read());
}

Result<std::size_t> RunTask(const TaskContext& context) {
  TRY(const auto job, ReadJobTasks(context.job));
  if (context.task >= job.tasks.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} has {} tasks, so there is no task {}",
                            Printable(context.job.string()), job.tasks.size(), context.task));
  }
  const fs::path file = context.job / "study.toml";
  TRY(const std::string text, ReadFile(file, 4 << 20));
  TRY(const Study study, ParseStudy(text, file, job.directory));
  TRY(const StudyCases cases, MakeCases(study, context.tare));
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < cases.cases.size(); ++i) by_key[cases.cases[i].key] = i;
  CaseRunner runner(study, cases, context.run);
  std::size_t count = 0;
  for (const TaskRun& run : job.tasks[context.task]) {
    const fs::path result = context.job / "results" / ResultName(run);
    std::error_code ignored;
    if (fs::exists(result, ignored)) continue;  // made before the task was requeued
    const auto found = by_key.find(run.key);
    if (found == by_key.end()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("the study has no case {}; was the job made by another tare?",
                              Printable(run.key)));
    }
    TRY(const RunRecord record, runner.Run({found->second, run.repetition}, run.attempt));
    if (WasEndedBySlurm(record, context.run.interrupted)) return Stopped();
    TRY_VOID(WriteFileAtomically(result, WithChecksum(ToJson(record))));
    ++count;
  }
  return count;
}

Result<std::vector<RunRecord>> GatherResults(const fs::path& job, std::set<std::string>& known) {
  std::vector<RunRecord> records;
  std::error_code error;
  for (fs::directory_iterator entry(job / "results", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    // Files that are being written have another suffix.
    if (!name.ends_with(".json") || known.contains(name)) continue;
    const auto text = ReadFile(entry->path(), kMaxResultBytes);
    if (!text) continue;
    auto record = ParseRunRecord(*text);
    if (!record) continue;
    known.insert(name);
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace tare::study
