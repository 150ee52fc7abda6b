// slurm_job.h: the directory of a Slurm job: which runs its tasks make, and their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analysis/study/case_runner.h"
#include "analysis/study/run_record.h"
#include "analysis/study/study_file.h"
#include "base/result.h"

namespace tare::study {

struct TaskRun {
  std::string key;  // of the case
  std::int64_t repetition = 0;
  std::int64_t attempt = 1;
};

struct JobTasks {
  std::filesystem::path directory;          // of the study file
  std::vector<std::vector<TaskRun>> tasks;  // the runs of each
};

// Writes a complete job directory: study file, tasks and script.
Result<void> WriteJob(const std::filesystem::path& job, const Study& study, const std::string& tare,
                      const std::vector<std::vector<TaskRun>>& tasks);
Result<JobTasks> ReadJobTasks(const std::filesystem::path& job);

// Executes one task: the runs that have no result yet. Each result is written atomically.
struct TaskContext {
  std::filesystem::path job;
  std::size_t task = 0;
  std::string tare;
  RunContext run;
};
Result<std::size_t> RunTask(const TaskContext& context);

// Results that are not in `known` yet, whose names are added to it. A file that is not a result is
// skipped.
Result<std::vector<RunRecord>> GatherResults(const std::filesystem::path& job,
                                             std::set<std::string>& known);

}  // namespace tare::study
