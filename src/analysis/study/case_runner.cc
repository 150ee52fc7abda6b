// case_runner.cc: timed and counted runs.
#include "analysis/study/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "analysis/compare/shell_command.h"
#include "analysis/study/output_metrics.h"
#include "analysis/study/study_metrics.h"
#include "base/file.h"
#include "base/last_line.h"
#include "base/signal_text.h"
#include "machine/host/other_programs.h"
#include "measure/count/count_program.h"
#include "measure/run/varied_layouts.h"

namespace tare::study {
namespace {

void AddMessage(RunRecord& record, const std::string& text) {
  if (text.empty()) return;
  record.message += record.message.empty() ? text : ": " + text;
}

std::vector<MetricValue> ValuesOf(const run::Finished& finished) {
  const auto whole = [](std::uint64_t number) { return Number(static_cast<std::int64_t>(number)); };
  std::vector<MetricValue> values = {
      {"wall", "s", finished.wall_seconds},
      {"user", "s", finished.use.user_seconds},
      {"sys", "s", finished.use.system_seconds},
      {"minor-faults", "", whole(finished.use.minor_faults)},
      {"major-faults", "", whole(finished.use.major_faults)},
      {"voluntary-switches", "", whole(finished.use.voluntary_switches)},
      {"involuntary-switches", "", whole(finished.use.involuntary_switches)},
  };
  if (finished.use.max_resident_bytes) {
    values.push_back({"max-rss", "B", whole(*finished.use.max_resident_bytes)});
  }
  return values;
}

void AddDisturbances(const host::OtherPrograms& others, const run::Finished& finished,
                     RunRecord& record) {
  const auto use = others.Beside(finished.use.user_seconds + finished.use.system_seconds);
  if (!use) return;
  record.values.push_back({std::string(kOtherPrograms), "%", 100 * use->others / use->all});
  record.values.push_back({std::string(kStolenTime), "%", 100 * use->stolen / use->all});
}

void AddEvents(const std::vector<pmu::MetricCount>& counts, RunRecord& record) {
  for (const pmu::MetricCount& count : counts) {
    if (!count.count.value) continue;
    record.values.push_back(
        {count.metric, count.unit,
         Number(static_cast<std::int64_t>(count.corrected.value_or(*count.count.value)))});
  }
}

}  // namespace

std::filesystem::path FilesDirectory(const std::filesystem::path& results, const std::string& key,
                                     std::int64_t repetition) {
  return results / "files" / key / std::to_string(repetition);
}

CaseRunner::CaseRunner(const Study& study, const StudyCases& cases, RunContext context)
    : study_(study), cases_(cases), context_(std::move(context)), machine_(context_.version) {}

void CaseRunner::TakeEnd(const StudyCase& one, const run::Ended& ended, RunRecord& record) const {
  switch (ended.how) {
    case run::Ended::How::kTimedOut:
      record.state = RunState::kTimedOut;
      record.message = "ended by the timeout";
      return;
    case run::Ended::How::kSignalled:
      record.state = RunState::kKilled;
      record.signal = ended.signal;
      record.message = "killed by " + SignalText(ended.signal);
      return;
    case run::Ended::How::kExited:
      break;
  }
  record.exit_status = ended.exit_status;
  if (study_.programs[one.program].exit_statuses.contains(ended.exit_status)) return;
  record.state = RunState::kFailed;
  record.message = fmt::format("exit status {}", ended.exit_status);
}

Result<run::Setting> CaseRunner::SettingOf(const StudyCase& one,
                                           const run::ResolvedProgram& program) const {
  run::Setting setting = one.setting;
  setting.ends_with_this_process = true;
  if (study_.engines[one.engine].name != "time") {
    // As tare count does. Before the layout: it adds to the environment.
    setting.environment.pin_dispatch = true;
    setting.environment.bind_now = true;
    setting.environment.pin_seeds = true;
    setting.environment = run::ForProgram(program, setting.environment);
    if (!setting.argv0_length) setting.argv0_length = program.path.string().size();
  }
  setting.input = one.input_file.empty() ? run::Input{run::Input::From::kNothing, {}}
                                         : run::Input{run::Input::From::kFile, one.input_file};
  if (setting.huge_pages) TRY_VOID(run::ChooseHugePages(*setting.huge_pages, setting));
  if (study_.layouts == 0) return setting;
  TRY(auto layouts, run::VaryLayout(setting, study_.layouts));
  setting = std::move(layouts[one.layout]);
  // All layouts, the natural one too, stop the program at its start: the times compare.
  setting.layout.stop_at_start = true;
  return setting;
}

Result<void> CaseRunner::Time(const StudyCase& one, const run::ResolvedProgram& program,
                              const run::Setting& setting, RunRecord& record) {
  auto metrics = MetricsOfProgram(study_, study_.programs[one.program].name);
  for (OutputMetric& metric : metrics) {
    metric.where_text = WithLevels(metric.where_text, cases_, one);
  }
  run::Setting timed = setting;
  timed.output = metrics.empty() ? run::Output::kDiscarded : run::Output::kCaptured;
  timed.errors = run::Output::kCaptured;
  run::Hooks hooks;
  hooks.interrupted = context_.interrupted;
  hooks.standing = &standing_;
  const host::OtherPrograms others;
  TRY(const auto finished, run::RunProgram(program, timed, hooks));
  if (finished.ended.interrupted) return Stopped();
  record.seconds = finished.wall_seconds;
  TakeEnd(one, finished.ended, record);
  record.values = ValuesOf(finished);
  AddDisturbances(others, finished, record);
  if (!record.Succeeded()) {
    AddMessage(record, LastLine(finished.errors));
    return {};
  }
  auto printed = ReadMetrics(metrics, finished.output);
  if (!printed) {
    record.state = RunState::kNoMetric;
    record.message = printed.error().message;
    return {};
  }
  record.values.insert(record.values.end(), printed->begin(), printed->end());
  return {};
}

Result<void> CaseRunner::Count(const StudyCase& one, const run::ResolvedProgram& program,
                               const run::Setting& setting, RunRecord& record) {
  const StudyEngine& chosen = study_.engines[one.engine];
  const engine::Engine engine = engine::ParseEngine(chosen.name).value();
  const engine::EngineRow& row = engine::Row(engine);
  count::CountRequest request;
  request.program = program;
  request.setting = run::WithDiscardedOutput(setting);
  // The timeout is that of the run under the engine.
  request.engine_seconds = request.setting.timeout_seconds;
  request.setting.timeout_seconds.reset();
  request.runs = 1;
  request.children = true;
  request.events = !row.sees_instructions;
  request.interrupted = context_.interrupted;
  if (row.sees_instructions) request.engines = {engine};
  if (row.needs_processor) {
    if (!processors_.contains(chosen.machine)) {
      TRY(auto processor, context_.find_processor(chosen.machine));
      processors_.emplace(chosen.machine, std::move(processor));
    }
    request.processor = processors_.at(chosen.machine);
  }
  TRY(const auto report, count::CountProgram(request, context_.engines, images_, NoProgress));
  TakeEnd(one, report.ended, record);
  if (!row.sees_instructions && report.native) {
    record.seconds = report.native->finished.wall_seconds;
    AddEvents(engine == engine::Engine::kHardware ? report.native->hardware : report.native->kernel,
              record);
    if (record.values.empty()) {
      record.state = RunState::kNotStarted;
      record.message =
          fmt::format("the engine {} counts nothing here; see tare doctor", chosen.name);
    }
    return {};
  }
  const count::EngineCounts& counts = report.engines.front();
  if (!counts.Usable()) {
    record.state = RunState::kNotStarted;
    record.message = counts.absence;
    return {};
  }
  TakeEnd(one, counts.ended, record);
  for (const count::MetricText& text : count::MetricTable()) {
    record.values.push_back({std::string(text.id), std::string(text.unit),
                             Number(static_cast<std::int64_t>(counts.runs.front()[text.metric]))});
  }
  if (counts.events.empty() || !row.needs_processor) return {};
  for (const model::EventText& text : model::EventTable()) {
    const std::uint64_t sum = model::Sum(counts.events.front(), text);
    record.values.push_back({std::string(text.id), "", Number(static_cast<std::int64_t>(sum))});
  }
  return {};
}

Result<void> CaseRunner::Measure(const StudyCase& one, const PlannedRun& planned,
                                 RunRecord& record) {
  std::vector<std::string> words = one.words;
  std::string prepare = one.prepare;
  if (NamesFiles(one)) {
    const auto directory = FilesDirectory(context_.results, one.key, planned.repetition);
    std::error_code error;
    // What an interrupted run left.
    std::filesystem::remove_all(directory, error);
    std::filesystem::create_directories(directory, error);
    if (error) return std::unexpected(SystemError("create", directory, error.value()));
    words = WithFiles(std::move(words), directory.string());
    prepare = WithFiles({prepare}, directory.string()).front();
  }
  TRY(const auto program, run::Resolve({words}));
  record.conditions["program"] = program.path.string();
  record.conditions["program sha256"] = hashes_.Of(program.path);
  if (one.input && study_.inputs[*one.input].is_file) {
    record.conditions["input sha256"] = hashes_.Of(study_.inputs[*one.input].text);
  }
  if (!one.input_file.empty()) {
    record.conditions["input stdin sha256"] = hashes_.Of(one.input_file);
  }
  const bool is_timed = study_.engines[one.engine].name == "time";
  // Engines load programs, not scripts.
  TRY(const auto started, is_timed ? program : run::WithoutScript(program));
  TRY(const auto setting, SettingOf(one, started));
  if (!prepare.empty()) {
    TRY_VOID(
        compare::RunShell({"prepare", prepare, one.setting.directory, one.setting.environment.set},
                          context_.interrupted));
  }
  record.load = LoadNow();
  if (is_timed) return Time(one, started, setting, record);
  const auto start = std::chrono::steady_clock::now();
  TRY_VOID(Count(one, started, setting, record));
  if (record.seconds == 0) {
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return {};
}

Result<RunRecord> CaseRunner::Run(const PlannedRun& planned, std::int64_t attempt) {
  const StudyCase& one = cases_.cases[planned.index];
  RunRecord record;
  record.key = one.key;
  record.repetition = planned.repetition;
  record.attempt = attempt;
  record.node = context_.node;
  record.conditions = machine_.Now();
  record.started =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto measured = Measure(one, planned, record);
  // The program may have ended because of the signal that asks this process to stop.
  if (measured && context_.interrupted && context_.interrupted()) return Stopped();
  if (measured) return record;
  if (measured.error().kind == ErrorKind::kInterrupted) return std::unexpected(measured.error());
  record.state =
      measured.error().kind == ErrorKind::kTimedOut ? RunState::kTimedOut : RunState::kNotStarted;
  record.message = measured.error().message;
  return record;
}

}  // namespace tare::study
