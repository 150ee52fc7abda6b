// study_task.cc: `tare study task`: one task of a Slurm job, started by Slurm on a node.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "analysis/study/slurm_job.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/commands/study/study_options.h"

namespace tare::cli {
namespace {

struct StudyTaskOptions {};

constexpr std::array kStudyTaskExamples = {
    Example{"tare study task x.results/jobs/1 0", "the first task of the first job"},
    Example{"tare study task x.results/jobs/1 7", "what it has not done before it was requeued"},
};

Result<Outcome> RunStudyTask(const StudyTaskOptions&, Session& session) {
  const std::string& number = session.operands[1];
  study::TaskContext context;
  const char* end = number.data() + number.size();
  const auto [after, error] = std::from_chars(number.data(), end, context.task);
  if (error != std::errc() || after != end) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not the number of a task", Printable(number)));
  }
  std::error_code ignored;
  context.job = std::filesystem::absolute(session.operands[0], ignored).lexically_normal();
  context.tare = OwnProgram();
  OpenedStudy opened;
  // jobs/NUMBER is in the directory of results.
  opened.results = context.job.parent_path().parent_path();
  context.run = ContextOf(opened, session);
  TRY(const std::size_t runs, study::RunTask(context));
  Outcome outcome;
  outcome.document.title = "Task of a study";
  outcome.document.blocks.emplace_back(
      report::Text{"answer", fmt::format("{} runs were made.", runs)});
  report::Table table{"task", "Task", {{"task"}, {"runs"}, {"node"}}, {}};
  table.rows.push_back({Number(static_cast<std::int64_t>(context.task)),
                        Number(static_cast<std::int64_t>(runs)), context.run.node});
  outcome.document.blocks.emplace_back(std::move(table));
  return outcome;
}

}  // namespace

Command StudyTaskCommand() {
  return MakeCommand<StudyTaskOptions>(
      {"study task",
       "execute a task of a Slurm job (Slurm starts it)",
       "Executes the runs of one task of a job that tare study run submitted, and writes a result "
       "file for each. Runs that have a result are not made again.",
       kStudyTaskExamples,
       false,
       {"JOB TASK", 2, 2}},
      std::span<const Flag<StudyTaskOptions>>(), RunStudyTask);
}

}  // namespace tare::cli
