// slurm_commands.h: calls of sbatch, squeue and scancel.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_file.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::study {

// Runs the words without a shell and returns the standard output. kUnsupported if the program is
// not installed; kIo with the last line of standard error if it fails.
Result<std::string> RunTool(const std::vector<std::string>& words, const StopAsked& interrupted);

struct JobSubmission {
  std::string name;
  std::filesystem::path directory;  // jobs/NUMBER
  std::size_t tasks = 0;
  std::string node;  // empty: any
};

// The words of sbatch: an array of tasks, of which a limited number runs at the same time.
std::vector<std::string> SbatchWords(const ExecutorPlan& plan, const JobSubmission& job);

// The number that sbatch --parsable prints: "123" or "123;cluster".
Result<std::string> ParseSbatch(std::string_view output);

// How many tasks of each job are in the queue and may still run. Held tasks are not counted: Slurm
// holds those that it could not start.
std::map<std::string, std::size_t> ParseQueue(std::string_view output);
std::vector<std::string> QueueWords(const std::vector<std::string>& names);

// Why Slurm or the shell ended a task, by its log: "Slurm's time limit was exceeded", or the last
// line. Empty if the log is. The same cause gives the same text in every job.
inline constexpr std::string_view kTimeLimitExceeded = "Slurm's time limit was exceeded";
std::string CauseInLog(std::string_view log);

// The script of a task, for the shell that Slurm starts.
std::string TaskScript(const std::string& tare, const std::filesystem::path& directory);

}  // namespace tare::study
