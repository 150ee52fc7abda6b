// study_run.cc: `tare study run`: executes what is left of a study.
#include <fmt/format.h>

#include <array>

#include "analysis/compare/shell_command.h"
#include "analysis/study/local_executor.h"
#include "analysis/study/slurm_executor.h"
#include "analysis/study/variant_builds.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/study/study_options.h"
#include "cli/commands/study/study_tables.h"

namespace tare::cli {
namespace {

const auto kStudyRunFlags = std::to_array<Flag<StudyOptions>>({
    {{"--results", "DIRECTORY", "directory of the results (default: FILE with .results)"},
     &StudyOptions::results},
});

constexpr std::array kStudyRunExamples = {
    Example{"tare study run compressors.toml", "run it, or what is left of it"},
    Example{"tare study run --results /scratch/c compressors.toml", "keep the results elsewhere"},
};

void AddProgress(const OpenedStudy& opened, const study::RunSchedule& schedule,
                 const study_results::ResultSet& set, Outcome& outcome) {
  report::Document& document = outcome.document;
  document.blocks.emplace_back(report::Text{
      "answer", CasesWithoutResult(opened, schedule) + StudyProgressText(schedule, set)});
  document.blocks.emplace_back(StudyCasesTable(opened, schedule, set));
  if (auto failures = StudyFailuresTable(set); !failures.rows.empty()) {
    document.blocks.emplace_back(std::move(failures));
  }
  if (auto changes = StudyChangesTable(set); !changes.rows.empty()) {
    document.blocks.emplace_back(std::move(changes));
  }
  if (set.Stored().nodes.size() > 1) document.blocks.emplace_back(StudyNodesTable(set));
  AddCaveats(document, StudyCaveats(opened, set, schedule));
  document.provenance.seed = opened.study.seed;
  SeparateColumns(document);
}

bool HasFailedCase(const OpenedStudy& opened, const study::RunSchedule& schedule) {
  for (std::size_t i = 0; i < opened.cases.cases.size(); ++i) {
    const auto end = schedule.EndOf(i);
    if (end == study::CaseEnd::kGivenUp || end == study::CaseEnd::kFailed) return true;
  }
  return false;
}

Result<std::size_t> Execute(const OpenedStudy& opened, study::StudyStore& store,
                            study::RunSchedule& schedule, Session& session) {
  const study::StudyInProgress parts{opened.study, opened.cases, store, schedule};
  if (opened.study.executor.kind == study::ExecutorPlan::Kind::kSlurm) {
    return study::RunOnSlurm(parts, {opened.results, OwnProgram(), session.interrupted, {}},
                             session.progress);
  }
  study::CaseRunner runner(opened.study, opened.cases, ContextOf(opened, session));
  return study::RunLocally(parts, runner, session.interrupted, session.progress);
}

// What this builds is looked for afterwards.
Result<void> SetUp(const OpenedStudy& opened, const Session& session) {
  const std::string tare = OwnProgram();
  if (!opened.study.setup.empty()) {
    TRY_VOID(
        compare::RunShell({"setup", opened.study.setup, opened.study.directory, {{"TARE", tare}}},
                          session.interrupted));
  }
  return study::BuildPrograms(opened.study, opened.cases, opened.results, tare, session.interrupted,
                              session.progress);
}

Result<Outcome> RunStudy(const StudyOptions& options, Session& session) {
  TRY(const auto opened, OpenStudyFile(session.operands.front(), options.results));
  TRY(const auto lock, study::ResultsLock::Take(opened.results));
  TRY_VOID(SetUp(opened, session));
  if (const auto missing = FindMissing(opened, true); !missing.empty()) {
    return Fail(ErrorKind::kUsage, missing.front().sentence);
  }
  TRY(auto store, study::StudyStore::OpenToRun(opened.results, opened.study, opened.cases));
  study::RunSchedule schedule(opened.study, opened.cases);
  TRY_VOID(study::AddStoredRuns(opened.study, opened.cases, store, schedule));
  const auto executed = Execute(opened, store, schedule, session);
  if (!executed && executed.error().kind == ErrorKind::kInterrupted) {
    return Stopped(fmt::format("{} runs are stored; tare study run {} continues", schedule.Stored(),
                               Printable(session.operands.front())));
  }
  if (!executed) return std::unexpected(executed.error());
  TRY(const auto set, LoadResults(opened, false));
  Outcome outcome;
  outcome.document.title = fmt::format("Study {}", opened.study.name);
  AddProgress(opened, schedule, set, outcome);
  outcome.document.blocks.emplace_back(report::Text{
      "next", fmt::format("{}. tare study report {} shows the results.",
                          Counted(*executed, "new run"), Printable(session.operands.front()))});
  outcome.exit_status = HasFailedCase(opened, schedule) ? 1u : 0u;
  return outcome;
}

struct StudyPlanOptions : StudyOptions {
  bool order = false;
};

const auto kStudyPlanFlags = std::to_array<Flag<StudyPlanOptions>>({
    {{"--results", "DIRECTORY", "directory of the results (default: FILE with .results)"},
     &StudyPlanOptions::results},
    {{"--order", "", "list the runs in their order, at most 1000"}, &StudyPlanOptions::order},
});

constexpr std::array kStudyPlanExamples = {
    Example{"tare study plan compressors.toml", "what would run, and how long it takes"},
    Example{"tare study plan --order --csv order compressors.toml", "in which order"},
};

constexpr std::size_t kMaxShownOrder = 1000;

report::Table OrderTableOf(const OpenedStudy& opened, study::RunSchedule schedule) {
  report::Table table{"order", "Next runs", {{"number"}, {"repetition"}, {"case"}}, {}};
  for (const study::PlannedRun& run : schedule.Next(kMaxShownOrder)) {
    table.rows.push_back({Number(static_cast<std::int64_t>(table.rows.size() + 1)),
                          Number(run.repetition),
                          study::CaseText(opened.cases, opened.cases.cases[run.index])});
  }
  return table;
}

Result<Outcome> RunStudyPlan(const StudyPlanOptions& options, Session& session) {
  TRY(const auto opened, OpenStudyFile(session.operands.front(), options.results));
  TRY(const auto set, LoadResults(opened, false));
  study::RunSchedule schedule(opened.study, opened.cases);
  std::error_code ignored;
  if (std::filesystem::exists(opened.results / study::kDatabaseName, ignored)) {
    TRY(const auto store, study::StudyStore::OpenToRead(opened.results));
    TRY_VOID(study::AddStoredRuns(opened.study, opened.cases, store, schedule));
  }
  Outcome outcome;
  report::Document& document = outcome.document;
  document.title = fmt::format("Plan of study {}", opened.study.name);
  document.blocks.emplace_back(report::Text{"answer", StudyProgressText(schedule, set)});
  for (const MissingThing& missing : FindMissing(opened, false)) {
    const bool may_appear = missing.is_file && !opened.study.setup.empty();
    document.blocks.emplace_back(report::Text{
        document.blocks.size() == 1 ? "missing" : fmt::format("missing_{}", document.blocks.size()),
        fmt::format("Cannot run{}: {}.", may_appear ? ", unless setup makes it" : "",
                    missing.sentence)});
  }
  document.blocks.emplace_back(StudyPlanTable(opened, schedule));
  if (options.order) document.blocks.emplace_back(OrderTableOf(opened, schedule));
  SeparateColumns(document);
  document.provenance.seed = opened.study.seed;
  return outcome;
}

const auto kStudyStatusFlags = std::to_array<Flag<StudyOptions>>({
    {{"--results", "DIRECTORY", "directory of the results (default: FILE with .results)"},
     &StudyOptions::results},
});

constexpr std::array kStudyStatusExamples = {
    Example{"tare study status compressors.toml", "how far it is, also while it runs"},
    Example{"tare study status --csv failures compressors.toml", "which runs failed, and why"},
};

Result<Outcome> RunStudyStatus(const StudyOptions& options, Session& session) {
  TRY(const auto opened, OpenStudyOrResults(session.operands.front(), options.results));
  TRY(const auto store, study::StudyStore::OpenToRead(opened.results));
  TRY(const auto set, LoadResults(opened, false));
  study::RunSchedule schedule(opened.study, opened.cases);
  TRY_VOID(study::AddStoredRuns(opened.study, opened.cases, store, schedule));
  Outcome outcome;
  outcome.document.title = fmt::format("Study {}", opened.study.name);
  AddProgress(opened, schedule, set, outcome);
  if (const auto runner = study::RunnerOf(opened.results)) {
    outcome.document.blocks.emplace_back(
        report::Text{"runner", fmt::format("It is being run by {}.", *runner)});
  }
  TRY(const auto jobs, store.Jobs());
  if (!jobs.empty()) {
    report::Table table{"jobs", "Slurm jobs", {{"job"}, {"slurm_id"}, {"tasks"}}, {}};
    for (const study::SlurmJob& job : jobs) {
      table.rows.push_back({Number(job.number), job.slurm_id, Number(job.tasks)});
    }
    outcome.document.blocks.emplace_back(std::move(table));
  }
  return outcome;
}

}  // namespace

Command StudyRunCommand() {
  return MakeCommand<StudyOptions>(
      {"study run",
       "run a study, or what is left of it",
       "Executes the runs that a study file declares and that are not stored yet, round by round, "
       "each round in random order. Every run is stored before the next one starts, so that ^C, a "
       "crash or a power failure loses at most the run in flight; the same command continues.\n\n"
       "A program that fails is a result: it is stored and counted, and its case is given up after "
       "max_failures failures. The exit status is then 1, and also if all runs of a case failed.",
       kStudyRunExamples,
       false,
       {"FILE", 1, 1}},
      kStudyRunFlags, RunStudy);
}

Command StudyPlanCommand() {
  return MakeCommand<StudyPlanOptions>(
      {"study plan",
       "show what a study would run, and how long that takes",
       "Lists the cases that have runs left. Times are those of runs that are stored already.",
       kStudyPlanExamples,
       false,
       {"FILE", 1, 1}},
      kStudyPlanFlags, RunStudyPlan);
}

Command StudyStatusCommand() {
  return MakeCommand<StudyOptions>({"study status",
                                    "show how far a study is, what failed, and what changed",
                                    "Reads the results of a study, also while it is being run.",
                                    kStudyStatusExamples,
                                    false,
                                    {"FILE", 1, 1}},
                                   kStudyStatusFlags, RunStudyStatus);
}

}  // namespace tare::cli
