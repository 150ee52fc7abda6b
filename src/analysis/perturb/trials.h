// trials.h: builds sets of software metrics into a program, runs each set once and judges the run.
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
  sample::TraceRequest trace;  // program and file are filled in
  run::Setting setting;
  std::size_t runs = 26;  // of the baseline
  bool vary = false;
  bool move_code = false;  // a separate build for each run, with functions at other addresses
  MetricSet always;        // counted in every run, and watched
  std::vector<std::string> metrics;        // watched; empty: all that can be
  std::optional<StoredBaseline> baseline;  // absent: measured here
  AlignOptions align;
  JudgeOptions how;
};

struct Trial {
  std::size_t number = 0;  // from 1, in order of time
  MetricSet metrics;       // without those in TrialRequest::always
  TraceSignals run;
  Judgement judgement;
  double added_percent = 0;  // instructions relative to the baseline
  std::filesystem::path series;
  // Of a second run, if Confirmed requested one. `judgement` is the better of the two.
  std::optional<Judgement> again;

  // The objection to the set after all runs, as a sentence; empty: none.
  std::string Against() const;
  std::size_t Runs() const { return again ? 2 : 1; }
};

// The baseline is the same build without added metrics.
class Trials {
 public:
  // Measures the baseline unless it is given. `progress` reports runs.
  static Result<Trials> Begin(TrialRequest request, Builds builds, const Progress& progress);

  // Judges each set once. The result is valid as long as this object.
  Result<const Trial*> Of(const MetricSet& metrics);

  // One more run without added metrics, judged like the others: shows the effect of chance.
  Result<const Trial*> Control();

  // Like Of, but if runs vary, a detected perturbation must be confirmed by a second run with
  // another layout.
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
  // The program that counts `metrics`, built for the run with that index; baseline runs start at 0.
  Result<run::ResolvedProgram> ProgramFor(const MetricSet& metrics, std::size_t run);
  // The request for the next run of the program that counts `metrics`.
  Result<sample::TraceRequest> RequestFor(const MetricSet& metrics);
  // Runs the program of `request` once.
  Result<TraceSignals> RunWith(sample::TraceRequest& request, const std::string& name,
                               const std::filesystem::path& file);
  // Builds, runs and judges, whether or not the set was judged before.
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
  std::size_t runs_ = 0;  // after the baseline's
  std::vector<Caveat> caveats_;
  std::map<MetricSet, std::unique_ptr<Trial>> trials_;
  std::vector<std::unique_ptr<Trial>> controls_;
};

}  // namespace tare::perturb
