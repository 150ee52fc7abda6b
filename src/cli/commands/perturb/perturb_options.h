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
  RunsOptions() { sampler = "instructions"; }
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
      {{"--runs", "N", "runs of the baseline, 3 to 64 (26)"}, &Options::runs},
      {{"--vary", "",
        "lay memory out otherwise in each run: the spread of a program that always does the same"},
       &Options::vary},
      {{"--sampler", "WHICH",
        "instructions: under the virtual PMU, without any clock; observer: what kernel and "
        "processor count, over time (instructions)",
        kPerturbSamplers},
       &Options::sampler},
      {{"--machine", "NAME",
        "with --sampler instructions: the processor that is modelled (the one most like this "
        "machine)"},
       &Options::machine},
      {{"--every", "N", "with --sampler instructions: so many from record to record"},
       &Options::every},
      {{"--interval", "TIME", "with --sampler observer: from record to record"},
       &Options::interval},
      {{"--records", "N", "about so many records, up to twice as many (3000)"}, &Options::records},
      {{"--metric", "NAME...", "watch these metrics only (all that change)"}, &Options::metrics},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return WithProgramFlags<Options>(std::move(own));
}

template <typename Options>
std::vector<Flag<Options>> WithJudgingFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--alpha", "P",
        "chance of a false alarm for a run's inner, and for its outer tests (0.05)"},
       &Options::alpha},
      {{"--min-change", "X", "changes of a correlation that are smaller never count (0.05)"},
       &Options::min_change},
      {{"--align-by", "NAME", "match records by this metric alone (all together)"},
       &Options::align_by},
      {{"--band", "PART", "records that meet may be this part of the length apart (0.1)"},
       &Options::band},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return own;
}

template <typename Options>
std::vector<Flag<Options>> WithTrialFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--build", "COMMAND",
        "for a shell: builds PROGRAM anew by tare-cc, which finds in TARE_METRICS and TARE_ONLY "
        "what to count"},
       &Options::build},
      {{"--metrics", "FILE", "the TOML file of all software metrics"}, &Options::metrics_file},
      {{"--add", "NAME...",
        "of them, those to be added, in this order (all, as the file has them)"},
       &Options::add},
      {{"--always", "NAME...",
        "of them, those that every run counts, the baseline's too; they are watched like those of "
        "hardware"},
       &Options::always},
      {{"--move-code", "",
        "build anew for each run, too, with functions in another order and at other alignments: "
        "where code lies belongs to the spread"},
       &Options::move_code},
      {{"--baseline", "FILE", "use this baseline instead of taking one"}, &Options::baseline},
      {{"--save-baseline", "FILE", "keep the one that is taken"}, &Options::save_baseline},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return WithRunsFlags<Options>(WithJudgingFlags<Options>(std::move(own)));
}

// `given`, or else `otherwise`; kUsage unless it is from `low` to `high`.
template <typename Value>
Result<Value> Between(const std::optional<Value>& given, Value otherwise, Value low, Value high,
                      std::string_view option) {
  const Value value = given.value_or(otherwise);
  if (value >= low && value <= high) return value;
  return Fail(ErrorKind::kUsage,
              fmt::format("{} {}: {} to {} is expected", option, value, low, high));
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
