// slurm_commands.cc: words for Slurm's programs, and what they print.
#include "analysis/study/slurm_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/last_line.h"
#include "base/shell_words.h"
#include "measure/run/process.h"

namespace tare::study {
Result<std::string> RunTool(const std::vector<std::string>& words, const StopAsked& interrupted) {
  const auto program = run::Resolve({words});
  if (!program) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}; Slurm is not installed here: use kind = \"local\" in [executor]",
                            program.error().message));
  }
  run::Setting setting;
  setting.randomize_addresses = true;
  setting.environment.sorted = false;
  setting.input = {run::Input::From::kNothing, {}};
  setting.output = run::Output::kCaptured;
  setting.errors = run::Output::kCaptured;
  setting.timeout_seconds = 120;
  run::Hooks hooks;
  hooks.interrupted = interrupted;
  TRY(const auto finished, run::RunProgram(*program, setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  if (finished.ended.ShellStatus() != 0) {
    return Fail(ErrorKind::kIo,
                fmt::format("{} fails: {}", words.front(),
                            LastLine(finished.errors.empty() ? finished.output : finished.errors)));
  }
  return finished.output;
}

std::vector<std::string> SbatchWords(const ExecutorPlan& plan, const JobSubmission& job) {
  std::vector<std::string> words = {
      "sbatch",
      "--parsable",
      fmt::format("--job-name={}", job.name),
      fmt::format("--array=0-{}%{}", job.tasks - 1, plan.tasks_at_once),
      "--requeue",
      "--open-mode=append",
      fmt::format("--output={}", (job.directory / "logs" / "%a.log").string()),
  };
  if (plan.exclusive) words.emplace_back("--exclusive");
  if (!plan.partition.empty()) words.push_back(fmt::format("--partition={}", plan.partition));
  if (plan.time_limit_seconds) {
    const auto minutes = static_cast<long>(std::ceil(*plan.time_limit_seconds / 60));
    words.push_back(fmt::format("--time={}", std::max(1L, minutes)));
  }
  if (!job.node.empty()) words.push_back(fmt::format("--nodelist={}", job.node));
  words.insert(words.end(), plan.options.begin(), plan.options.end());
  words.push_back((job.directory / "task.sh").string());
  return words;
}

Result<std::string> ParseSbatch(std::string_view output) {
  const std::string id(output.substr(0, output.find_first_of(";\n")));
  const bool is_number =
      !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) return id;
  return Fail(ErrorKind::kIo,
              fmt::format("sbatch printed '{}' instead of the number of a job", LastLine(output)));
}

std::vector<std::string> QueueWords(const std::vector<std::string>& names) {
  return {"squeue", "--noheader", fmt::format("--name={}", fmt::join(names, ",")),
          "--format=%j|%T|%r"};
}

std::map<std::string, std::size_t> ParseQueue(std::string_view output) {
  std::map<std::string, std::size_t> tasks;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) continue;
    const std::string_view reason = line.substr(line.rfind('|') + 1);
    const bool held = reason.contains("held") || reason.contains("Held");
    tasks[std::string(line.substr(0, bar))] += held ? 0 : 1;
  }
  return tasks;
}

std::string CauseInLog(std::string_view log) {
  constexpr auto kCauses = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"DUE TO TIME LIMIT", kTimeLimitExceeded},
      {"DUE TO NODE FAILURE", "the node failed"},
      {"DUE TO PREEMPTION", "the task was preempted"},
      {"CANCELLED AT", "the task was cancelled"},
  });
  std::string last = LastLine(log);
  // The task says that it was asked to end, after Slurm has said why.
  while (last.starts_with("tare study task: stopped")) {
    log = log.substr(0, log.rfind("tare study task: stopped"));
    last = LastLine(log);
  }
  for (const auto& [words, cause] : kCauses) {
    if (last.contains(words)) return std::string(cause);
  }
  // The shell begins its messages with the path of the script, which has the number of the job.
  constexpr std::string_view kScript = "/task.sh: ";
  if (const auto script = last.find(kScript); script != std::string::npos) {
    last.erase(0, script + kScript.size());
  }
  return last;
}

std::string TaskScript(const std::string& tare, const std::filesystem::path& directory) {
  return fmt::format("#!/bin/sh\nexec {} study task --quiet {} \"$SLURM_ARRAY_TASK_ID\"\n",
                     ShellQuoted(tare), ShellQuoted(directory.string()));
}

}  // namespace tare::study
