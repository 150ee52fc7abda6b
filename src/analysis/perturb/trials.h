// trials.h: sets of software metrics, each built into the program, run once and judged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/baseline_file.h"
#include "analysis/perturb/builds.h"
#include "analysis/perturb/outer_correlation.h"
#include "analysis/perturb/run_verdict.h"
#include "analysis/perturb/trace_runs.h"
#include "base/progress.h"
#include "base/result.h"
#include "measure/sample/trace_program.h"

namespace tare::perturb {

struct TrialRequest {
  sample::TraceRequest trace;  // how; program and file are filled in
  run::Setting setting;
  std::size_t runs = 26;  // of the baseline
  bool vary = false;
  bool move_code = false;  // a build of its own for each run, with its functions elsewhere
  MetricSet always;        // counted in every run, and watched
  std::vector<std::string> metrics;        // watched; empty: all that can be
  std::optional<StoredBaseline> baseline;  // otherwise taken here
  AlignOptions align;
  JudgeOptions how;
};

struct Trial {
  std::size_t number = 0;  // from 1, in the order of time
  MetricSet metrics;       // without those that are always counted
  TraceSignals run;
  Judgement judgement;
  double added_percent = 0;  // instructions beyond the baseline's
  std::filesystem::path series;
  // Of a second run, where Confirmed asked for one: the better of the two stands above.
  std::optional<Judgement> again;

  // What stands against the set after all runs: a sentence; empty: nothing.
  std::string Against() const;
  std::size_t Runs() const { return again ? 2 : 1; }
};

// The baseline is of the same build with nothing added.
class Trials {
 public:
  // Takes the baseline, unless it is given. `progress` is told of runs.
  static Result<Trials> Begin(TrialRequest request, Builds builds, const Progress& progress);

  // No set is judged twice. Valid as long as this.
  Result<const Trial*> Of(const MetricSet& metrics);

  // One more run with nothing added, judged like the others: what chance alone does.
  Result<const Trial*> Control();

  // As Of, but an alarm needs a second run, laid out otherwise, to agree, where runs differ.
  Result<const Trial*> Confirmed(const MetricSet& metrics);

  const Baseline& GetBaseline() const { return *baseline_; }
  const OuterBaseline& GetOuter() const { return outer_; }
  const StoredBaseline& Stored() const { return stored_; }
  std::size_t Runs() const { return runs_; }
  int ExitStatus() const { return exit_status_; }
  const std::vector<Caveat>& Caveats() const { return caveats_; }

 private:
  Trials(TrialRequest request, Builds builds, PrivateDirectory directory)
      : request_(std::move(request)),
        builds_(std::move(builds)),
        directory_(std::move(directory)) {}

  Result<void> TakeBaseline(const Progress& progress);
  MetricSet WithAlways(const MetricSet& metrics) const;
  // The program that counts these, as it is built for the run of that number, the baseline's from
  // 0 on.
  Result<run::ResolvedProgram> ProgramFor(const MetricSet& metrics, std::size_t run);
  // The request for the next run of the program that counts these.
  Result<sample::TraceRequest> RequestFor(const MetricSet& metrics);
  // One more run of the program that counts these.
  Result<TraceSignals> RunWith(sample::TraceRequest& request, const std::string& name,
                               const std::filesystem::path& file);
  // Builds, runs and judges, whatever was done before.
  Result<std::unique_ptr<Trial>> Try(const MetricSet& metrics);
  Result<double> InstructionsOf(const sample::TraceRequest& request, const TraceSignals& run) const;

  TrialRequest request_;
  Builds builds_;
  PrivateDirectory directory_;
  StoredBaseline stored_;
  std::unique_ptr<Baseline> baseline_;
  OuterBaseline outer_;
  double baseline_instructions_ = 0;
  int exit_status_ = 0;
  std::size_t runs_ = 0;  // behind the baseline's
  std::vector<Caveat> caveats_;
  std::map<MetricSet, std::unique_ptr<Trial>> trials_;
  std::vector<std::unique_ptr<Trial>> controls_;
};

}  // namespace tare::perturb
