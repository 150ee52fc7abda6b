// study_options.cc: finds study files and results.
#include "cli/commands/study/study_options.h"

#include <fmt/format.h>
#include <sched.h>

#include <set>
#include <system_error>

#include "analysis/study_results/derived_metrics.h"
#include "base/printable.h"
#include "cli/application.h"
#include "cli/commands/count/count_options.h"
#include "cli/provenance.h"
#include "machine/host/machine_identity.h"
#include "measure/engine/engine.h"

namespace tare::cli {

namespace fs = std::filesystem;

std::string OwnProgram() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "tare" : path.string();
}

Result<OpenedStudy> OpenStudyFile(const std::string& operand, const std::string& results) {
  OpenedStudy opened;
  TRY(opened.study, study::ReadStudy(operand));
  TRY(opened.cases, study::MakeCases(opened.study, OwnProgram()));
  opened.results = study::ResultsDirectory(operand, results);
  return opened;
}

Result<OpenedStudy> OpenStudyOrResults(const std::string& operand, const std::string& results) {
  std::error_code error;
  const bool is_directory = fs::is_directory(operand, error);
  OpenedStudy opened;
  opened.results = is_directory ? fs::path(operand) : study::ResultsDirectory(operand, results);
  if (!is_directory) {
    TRY(opened.study, study::ReadStudy(operand));
  }
  // Cases are known by the paths that they had when they were run, so that results can be moved.
  TRY(const auto store, study::StudyStore::OpenToRead(opened.results));
  TRY(const auto stored, store.LoadStudyFile());
  if (is_directory || stored.directory != opened.study.directory) {
    const std::string text = is_directory ? stored.text : opened.study.text;
    const fs::path path = is_directory ? opened.results / study::kDatabaseName : fs::path(operand);
    TRY(opened.study, study::ParseStudy(text, path, stored.directory));
    // A study without a name has that of its file, which a directory of results resembles.
    if (is_directory && opened.study.name == path.stem()) {
      opened.study.name = fs::weakly_canonical(opened.results, error).stem().string();
    }
  }
  TRY(opened.cases, study::MakeCases(opened.study, OwnProgram()));
  return opened;
}

Result<study_results::ResultSet> LoadResults(const OpenedStudy& opened, bool values) {
  std::error_code ignored;
  if (!fs::exists(opened.results / study::kDatabaseName, ignored)) {
    return study_results::ResultSet(opened.cases, study::StoredStudy{});
  }
  TRY(const auto store, study::StudyStore::OpenToRead(opened.results));
  TRY(auto stored, store.Load({.salvage = false, .values = values}));
  if (values) study_results::AddDerivedMetrics(opened.study, stored);
  return study_results::ResultSet(opened.cases, std::move(stored));
}

std::string ThisNode() {
  const auto node = EnvironmentText("SLURMD_NODENAME");
  return node ? *node : host::ReadIdentity(host::SystemFiles{}).host;
}

study::RunContext ContextOf(const OpenedStudy& opened, const Session& session) {
  std::error_code ignored;
  study::RunContext context;
  context.results = fs::absolute(opened.results, ignored);
  context.version = Version();
  context.node = ThisNode();
  context.engines = host::FindEngineFiles();
  context.find_processor = [](const std::string& word) { return ChooseProcessor(word); };
  context.interrupted = session.interrupted;
  return context;
}

namespace {

// What this machine lacks.
void AddMissingHere(const OpenedStudy& opened, std::vector<MissingThing>& missing) {
  const auto files = host::FindEngineFiles();
  for (const study::StudyEngine& engine : opened.study.engines) {
    const auto known = engine::ParseEngine(engine.name);
    if (!known) continue;  // time
    const auto can_run = engine::CanRun(*known, files);
    if (!can_run) {
      missing.push_back({fmt::format("engine {}: {}", engine.name, can_run.error().message)});
    }
    if (!engine::Row(*known).needs_processor) continue;
    if (const auto processor = ChooseProcessor(engine.machine, false); !processor) {
      missing.push_back({fmt::format("engine {}: {}", engine.name, processor.error().message)});
    }
  }
  cpu_set_t processors;
  const bool known = ::sched_getaffinity(0, sizeof processors, &processors) == 0;
  std::set<unsigned> cores;
  std::set<std::size_t> sizes;
  for (const study::StudyCase& one : opened.cases.cases) {
    const run::Setting& setting = one.setting;
    if (setting.core && cores.insert(*setting.core).second && known &&
        (*setting.core >= CPU_SETSIZE || !CPU_ISSET(*setting.core, &processors))) {
      missing.push_back({fmt::format(
          "core {}: this process may not use it; see lscpu and taskset -p", *setting.core)});
    }
    if (!setting.environment.bytes || !sizes.insert(*setting.environment.bytes).second) continue;
    const auto entries = run::MakeEnvironment(setting.environment, run::InheritedEnvironment(), {});
    if (!entries) {
      missing.push_back(
          {fmt::format("env_bytes {}: {}", *setting.environment.bytes, entries.error().message)});
    }
  }
}

}  // namespace

std::vector<MissingThing> FindMissing(const OpenedStudy& opened, bool built) {
  std::vector<MissingThing> missing;
  std::error_code ignored;
  std::set<std::string> seen;
  for (const study::StudyInput& input : opened.study.inputs) {
    if (input.is_file && !fs::exists(input.text, ignored)) {
      missing.push_back({fmt::format("input {}: there is no file {}", Printable(input.name),
                                     Printable(input.text)),
                         true});
    }
  }
  if (opened.study.executor.kind == study::ExecutorPlan::Kind::kLocal) {
    AddMissingHere(opened, missing);
  }
  for (const study::StudyCase& one : opened.cases.cases) {
    if (!built && !one.build.empty()) continue;
    const std::string& name = opened.study.programs[one.program].name;
    if (!seen.insert(name + '\n' + one.words.front()).second) continue;
    const auto program = run::Resolve({one.words});
    if (!program) {
      missing.push_back(
          {fmt::format("program {}: {}", Printable(name), program.error().message), true});
    }
  }
  return missing;
}

}  // namespace tare::cli
