// perturb_options.h: options that the commands of `tare perturb` share.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/perturb/trials.h"
#include "cli/commands/trace/trace_options.h"

namespace tare::cli {

// How baselines are measured.
struct RunsOptions : TraceOptions {
  RunsOptions() {
    sampler = "instructions";
    event_samplers = "observer";
  }
  std::optional<std::int64_t> runs;
  bool vary = false;
};

// How runs are judged.
struct JudgingOptions {
  std::string align_by;
  std::optional<double> alpha;
  std::optional<double> min_change;
  std::optional<double> band;
};

// How sets of software metrics are tested.
struct TrialOptions : RunsOptions, JudgingOptions {
  std::string build;
  std::string metrics_file;
  std::vector<std::string> add;
  std::vector<std::string> always;
  std::string baseline;
  std::string save_baseline;
  bool move_code = false;
};

inline constexpr std::array<std::string_view, 2> kPerturbSamplers = {"instructions", "observer"};

template <typename Options>
std::vector<Flag<Options>> WithRunsFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--runs", "N", "runs of the baseline, 3 to 64 (default: 26)"}, &Options::runs},
      {{"--vary", "",
        "use another memory layout in each run; gives deterministic programs a spread"},
       &Options::vary},
      {{"--sampler", "WHICH",
        "instructions: under the virtual PMU, without a clock; observer: kernel and hardware "
        "metrics over time (default: instructions)",
        kPerturbSamplers},
       &Options::sampler},
      {{"--event", "LIST",
        "with --sampler observer: also these events, by the names that tare count --event takes"},
       &Options::events},
      {{"--machine", "NAME",
        "with --sampler instructions: processor to model (default: similar to this machine)"},
       &Options::machine},
      {{"--every", "N", "with --sampler instructions: instructions between records"},
       &Options::every},
      {{"--interval", "TIME", "with --sampler observer: time between records"}, &Options::interval},
      {{"--records", "N", "approximate number of records, up to twice as many (default: 3000)"},
       &Options::records},
      {{"--metric", "NAME...", "watch only these metrics (default: all that vary)"},
       &Options::metrics},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return WithProgramFlags<Options>(std::move(own));
}

template <typename Options>
std::vector<Flag<Options>> WithJudgingFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--alpha", "P",
        "probability of a false alarm in the inner, and in the outer tests of a run (default: "
        "0.05)"},
       &Options::alpha},
      {{"--min-change", "X", "smallest change of a correlation that counts (default: 0.05)"},
       &Options::min_change},
      {{"--align-by", "NAME", "align records by this metric only (default: by all metrics)"},
       &Options::align_by},
      {{"--band", "PART",
        "maximum shift of aligned records, as a fraction of the length (default: 0.1)"},
       &Options::band},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return own;
}

template <typename Options>
std::vector<Flag<Options>> WithTrialFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--build", "COMMAND",
        "shell command that rebuilds PROGRAM with tare-cc, which reads TARE_METRICS and TARE_ONLY "
        "to know what to count"},
       &Options::build},
      {{"--metrics", "FILE", "TOML file with all software metrics"}, &Options::metrics_file},
      {{"--add", "NAME...",
        "metrics to add, in this order (default: all, in the order of the file)"},
       &Options::add},
      {{"--always", "NAME...",
        "metrics that every run counts, including the baseline's; they are watched like hardware "
        "metrics"},
       &Options::always},
      {{"--move-code", "",
        "rebuild for each run, with functions in another order and alignment, so that the spread "
        "includes code placement"},
       &Options::move_code},
      {{"--baseline", "FILE", "use this baseline instead of recording one"}, &Options::baseline},
      {{"--save-baseline", "FILE", "store the recorded baseline in FILE"}, &Options::save_baseline},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return WithRunsFlags<Options>(WithJudgingFlags<Options>(std::move(own)));
}

// `given`, or else `otherwise`; kUsage unless it is from `low` to `high`.
template <typename Value>
Result<Value> InRange(const std::optional<Value>& given, Value otherwise, Value low, Value high,
                      std::string_view option) {
  const Value value = given.value_or(otherwise);
  if (value >= low && value <= high) return value;
  return Fail(ErrorKind::kUsage, fmt::format("{} {}: expected {} to {}", option, value, low, high));
}

struct Judging {
  perturb::AlignOptions align;
  perturb::JudgeOptions how;
};
Result<Judging> JudgingOf(const JudgingOptions& options);

// The number of baseline runs.
Result<std::size_t> RunsOf(const RunsOptions& options);

// Share of a baseline in the total work, for progress.
inline constexpr double kBaselineShare = 0.4;

// The sources of the counts of a recorded run; none if it is of another machine.
std::vector<std::string> SourcesOf(const perturb::TraceSignals& run);

// Everything that trials need. The baseline has been read or measured, and saved if requested.
struct ReadyTrials {
  std::vector<std::string> metrics;  // to add, in this order
  run::Setting setting;
  std::optional<PrivateDirectory> spool;
  perturb::Trials trials;
};
// `command` is for messages.
Result<ReadyTrials> BeginTrials(const TrialOptions& options, const Session& session,
                                std::string_view command);

}  // namespace tare::cli
