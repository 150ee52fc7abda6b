// interval_costs.cc: ratios over rounds as in tare compare, and correlations of rebinned traces.
#include "analysis/perturb/interval_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/answer.h"
#include "analysis/perturb/rebinned_signals.h"
#include "analysis/perturb/run_verdict.h"
#include "stats/interval.h"
#include "stats/sample.h"
#include "stats/signed_rank.h"

namespace tare::perturb {
namespace {

// More records take long to align and say little more.
constexpr std::uint64_t kMaxRebinned = 1000;

// Rounds whose runs are all there, with the times by interval.
std::vector<compare::Round> RoundsOf(std::span<const IntervalRun> runs, std::size_t kinds,
                                     double IntervalRun::* time) {
  std::vector<compare::Round> rounds;
  for (const IntervalRun& run : runs) {
    if (run.round >= rounds.size()) rounds.resize(run.round + 1);
    compare::Round& round = rounds[run.round];
    round.layout = run.round;
    round.seconds.resize(kinds, 0);
    round.seconds[run.interval] = run.*time;
  }
  std::erase_if(rounds, [](const compare::Round& round) {
    return round.seconds.empty() ||
           std::ranges::any_of(round.seconds, [](double seconds) { return seconds <= 0; });
  });
  return rounds;
}

Measured IntervalRatio(std::span<const IntervalRun> runs, std::size_t kinds, std::size_t interval,
                       double confidence, double IntervalRun::* time) {
  const auto rounds = RoundsOf(runs, kinds, time);
  if (rounds.empty()) return Absent("the program is too short for the clock");
  const auto logs = compare::LogRatios(rounds, interval, compare::Unit::kRound);
  const auto ratio = compare::RatioOf(logs, confidence);
  if (ratio) return *ratio;
  return Absent(
      fmt::format("an interval needs {} runs or more", stats::SignedRankSamples(confidence)));
}

Measured MeanOf(const std::vector<double>& values, double confidence) {
  if (values.empty()) return Absent("there are no runs");
  const auto mean = stats::MeanInterval(values, confidence);
  return mean ? *mean : Unbounded(values.front());
}

struct ReachedTimes {
  std::vector<double> samples;
  std::vector<double> lost;
  std::vector<double> distance;  // seconds between samples
};

ReachedTimes TimesAt(std::span<const IntervalRun> runs, std::size_t interval, bool by_cpu) {
  ReachedTimes times;
  for (const IntervalRun& run : runs) {
    if (run.interval != interval) continue;
    times.samples.push_back(static_cast<double>(run.samples));
    times.lost.push_back(static_cast<double>(run.lost));
    const double seconds = by_cpu ? run.cpu_seconds : run.wall_seconds;
    if (run.samples > 0) times.distance.push_back(seconds / static_cast<double>(run.samples));
  }
  return times;
}

// Differences within a round, because rounds differ in their layout and in what else runs.
Measured CostOfSample(std::span<const IntervalRun> runs, std::size_t interval, double confidence) {
  std::vector<double> costs;
  for (const IntervalRun& run : runs) {
    if (run.interval != interval || run.samples == 0) continue;
    const auto plain = std::ranges::find_if(runs, [&](const IntervalRun& other) {
      return other.interval == 0 && other.round == run.round;
    });
    if (plain == runs.end()) continue;
    costs.push_back((run.cpu_seconds - plain->cpu_seconds) / static_cast<double>(run.samples));
  }
  if (costs.empty()) return Absent("no samples were taken");
  const auto cost = stats::SignedRankInterval(costs, confidence);
  if (cost) return *cost;
  return Absent(
      fmt::format("an interval needs {} runs or more", stats::SignedRankSamples(confidence)));
}

IntervalVerdict OfRatio(const Measured& ratio, double detect) {
  if (!ratio.value) return IntervalVerdict::kUndecided;
  if (ratio.Low() > 1 && ratio.Value() > 1 + detect) return IntervalVerdict::kPerturbs;
  return ratio.High() < 1 + detect ? IntervalVerdict::kHarmless : IntervalVerdict::kUndecided;
}

// A kernel that accounts for the time of interrupts does not charge them to the program, so that
// only the elapsed time shows them; but that varies more, so that it alone leaves more undecided.
void Decide(IntervalCost& cost, double detect) {
  cost.verdict = OfRatio(cost.cpu, detect);
  if (cost.verdict == IntervalVerdict::kPerturbs) return;
  if (OfRatio(cost.wall, detect) != IntervalVerdict::kPerturbs) return;
  cost.verdict = IntervalVerdict::kPerturbs;
  cost.by_cpu = false;
}

double MedianOfValues(std::vector<double> values) {
  return values.empty() ? 0 : stats::MedianOf(values);
}

IntervalCorrelations Summarise(std::span<const Judgement> judgements) {
  IntervalCorrelations result;
  std::vector<double> changes;
  std::vector<double> lowest;
  for (const Judgement& judgement : judgements) {
    ++result.runs;
    if (judgement.IsPerturbed()) ++result.perturbed;
    double change = 0;
    for (const InnerRow& row : judgement.inner) {
      if (!row.interesting) continue;
      const double now = std::abs(row.run.value_or(0)) - std::abs(row.judged.baseline);
      if (std::abs(now) > std::abs(change)) change = now;
    }
    changes.push_back(change);
    double low = 1;
    for (const OuterRow& row : judgement.outer.rows) {
      low = std::min(low, row.correlation.value_or(0));
    }
    // A run that cannot be aligned has no rows.
    lowest.push_back(judgement.outer.refused.empty() ? low : 0);
  }
  result.change = MedianOfValues(std::move(changes));
  result.lowest = MedianOfValues(std::move(lowest));
  return result;
}

// The signals of all runs of one interval, on the same grid.
Result<std::vector<TraceSignals>> SignalsAt(std::span<const IntervalRun> runs, std::size_t interval,
                                            std::uint64_t grid) {
  std::vector<TraceSignals> signals;
  for (const IntervalRun& run : runs) {
    if (run.interval != interval) continue;
    if (!run.trace) return Fail(ErrorKind::kUsage, run.without_trace);
    signals.push_back(Rebinned(*run.trace, grid));
    if (signals.back().length() < kMinLength) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{} records at the longest interval are too few for correlations; "
                              "{} are needed",
                              signals.back().length(), kMinLength));
    }
  }
  return signals;
}

std::uint64_t GridOf(std::span<const IntervalRun> runs, double longest) {
  std::uint64_t end = 0;
  for (const IntervalRun& run : runs) {
    if (run.trace && !run.trace->times.empty()) end = std::max(end, run.trace->times.back());
  }
  return std::max(static_cast<std::uint64_t>(std::llround(longest * 1e9)),
                  (end + kMaxRebinned - 1) / kMaxRebinned);
}

}  // namespace

std::string_view Name(IntervalVerdict verdict) {
  switch (verdict) {
    case IntervalVerdict::kHarmless:
      return "no";
    case IntervalVerdict::kPerturbs:
      return "yes";
    case IntervalVerdict::kUndecided:
      return "undecided";
  }
  return "";
}

std::vector<IntervalCost> CostsOf(std::span<const IntervalRun> runs,
                                  std::span<const double> intervals, const CostOptions& options) {
  const std::size_t kinds = intervals.size() + 1;
  const double together = 1 - (1 - options.confidence) / static_cast<double>(intervals.size());
  std::vector<IntervalCost> costs;
  for (std::size_t interval = 1; interval < kinds; ++interval) {
    const ReachedTimes times =
        TimesAt(runs, interval, options.sampler == IntervalSampler::kProfiler);
    IntervalCost cost;
    cost.seconds = intervals[interval - 1];
    cost.samples = MeanOf(times.samples, options.confidence);
    cost.lost = MeanOf(times.lost, options.confidence);
    cost.reached = times.distance.empty() ? Absent("no samples were taken")
                                          : MeanOf(times.distance, options.confidence);
    cost.cpu = IntervalRatio(runs, kinds, interval, together, &IntervalRun::cpu_seconds);
    cost.wall = IntervalRatio(runs, kinds, interval, together, &IntervalRun::wall_seconds);
    cost.each = CostOfSample(runs, interval, options.confidence);
    Decide(cost, options.detect);
    costs.push_back(std::move(cost));
  }
  return costs;
}

Result<void> AddCorrelations(std::span<const IntervalRun> runs, const AlignOptions& align,
                             const JudgeOptions& how, std::vector<IntervalCost>& costs) {
  if (costs.empty()) return {};
  const auto without = [&](const std::string& reason) -> Result<void> {
    for (IntervalCost& cost : costs) cost.without_correlations = reason;
    return {};
  };
  const std::uint64_t grid = GridOf(runs, costs.front().seconds);
  auto first = SignalsAt(runs, 1, grid);
  if (!first) return without(first.error().message);
  const auto baseline = MakeBaseline(std::move(*first), {});
  if (!baseline) return without(baseline.error().message);
  TRY(const auto outer, MakeOuterBaseline(*baseline, align));
  costs.front().without_correlations = "its runs are the baseline of the others";
  for (std::size_t interval = 2; interval <= costs.size(); ++interval) {
    IntervalCost& cost = costs[interval - 1];
    const auto signals = SignalsAt(runs, interval, grid);
    if (!signals) {
      cost.without_correlations = signals.error().message;
      continue;
    }
    std::vector<Judgement> judgements;
    for (const TraceSignals& run : *signals) {
      auto judged = JudgeRun(*baseline, outer, run, align, how);
      if (!judged) {
        cost.without_correlations = judged.error().message;
        break;
      }
      judgements.push_back(std::move(*judged));
    }
    if (cost.without_correlations.empty()) cost.correlations = Summarise(judgements);
  }
  return {};
}

std::optional<std::size_t> FirstPerturbing(std::span<const IntervalCost> costs) {
  const auto found = std::ranges::find(costs, IntervalVerdict::kPerturbs, &IntervalCost::verdict);
  if (found == costs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - costs.begin());
}

}  // namespace tare::perturb
