// timed_pairs.cc: runs rounds and derives metrics from them.
#include "analysis/proxy/timed_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "measure/run/repeat.h"
#include "measure/run/standing_supervisor.h"
#include "measure/run/varied_layouts.h"

namespace tare::proxy {
namespace {

constexpr std::size_t kBatch = 10;
constexpr std::size_t kMaxPairs = 200;
constexpr double kBudgetTimes = 20;
constexpr double kMinBudget = 3;
// Target width of the interval, from end to end, relative to the tolerance.
constexpr double kWidth = 0.5;
constexpr std::size_t kEnvironments = 16;

class PairTimer {
 public:
  PairTimer(const ProxyRequest& request, const Progress& progress)
      : request_(request), progress_(progress) {}

  Result<TimedPairs> All() {
    const bool vary = request_.layouts > 1;
    TRY(settings_,
        VaryEnvironment(run::WithDiscardedOutput(request_.setting), vary ? kEnvironments : 1));
    const std::size_t first = request_.pairs.value_or(kBatch);
    TRY_VOID(Batch(first, 1));
    const double budget = request_.budget_seconds.value_or(
        std::max(kMinBudget, kBudgetTimes * seconds_ / static_cast<double>(first + 1)));
    while (!request_.pairs && seconds_ < budget && pairs_.vanilla.size() < kMaxPairs && IsWide()) {
      TRY_VOID(Batch(kBatch, 0));
    }
    return std::move(pairs_);
  }

 private:
  Result<void> Batch(std::size_t rounds, std::size_t warm_up) {
    run::Plan plan;
    plan.warm_up_runs = warm_up;
    plan.runs = rounds;
    plan.seed = ++batches_;
    std::array<std::size_t, 2> done = {pairs_.vanilla.size(), pairs_.vanilla.size()};
    const auto run = [&](std::size_t which) -> Result<run::Finished> {
      run::Hooks hooks;
      hooks.interrupted = request_.interrupted;
      hooks.standing = &standing_;
      const auto& program = which == 0 ? request_.vanilla : request_.instrumented;
      const auto& setting = settings_[done[which]++ % settings_.size()];
      TRY(auto finished, run::RunProgram(program, setting, hooks));
      seconds_ += finished.wall_seconds;
      return finished;
    };
    const Progress part = [this](double fraction, std::string_view) {
      return progress_(fraction, "timing both programs, interleaved");
    };
    TRY(auto repeated, run::Repeat(plan, 2, run, part));
    std::ranges::move(repeated.runs[0], std::back_inserter(pairs_.vanilla));
    std::ranges::move(repeated.runs[1], std::back_inserter(pairs_.instrumented));
    return {};
  }

  bool IsWide() const {
    std::vector<double> vanilla;
    std::vector<double> instrumented;
    for (const auto& run : pairs_.vanilla) vanilla.push_back(run.wall_seconds);
    for (const auto& run : pairs_.instrumented) instrumented.push_back(run.wall_seconds);
    const auto ratio = RatioOfPairs(vanilla, instrumented, request_.confidence);
    return !ratio || ratio->High() - ratio->Low() > kWidth * request_.tolerance * ratio->Value();
  }

  const ProxyRequest& request_;
  const Progress& progress_;
  std::vector<run::Setting> settings_;
  TimedPairs pairs_;
  run::StandingSupervisor standing_;
  double seconds_ = 0;
  std::uint64_t batches_ = 0;
};

using Reading = std::optional<double> (*)(const run::Finished&);

struct Read {
  std::string_view metric;
  Source source;
  std::string_view unit;
  Reading read;
};

double Whole(std::uint64_t count) { return static_cast<double>(count); }

constexpr std::array kRead = {
    Read{kRunTime, Source::kClock, "s",
         [](const run::Finished& run) { return std::optional(run.wall_seconds); }},
    Read{"cpu-time", Source::kKernel, "s",
         [](const run::Finished& run) {
           return std::optional(run.use.user_seconds + run.use.system_seconds);
         }},
    Read{"user-time", Source::kKernel, "s",
         [](const run::Finished& run) { return std::optional(run.use.user_seconds); }},
    Read{"page-faults", Source::kKernel, "",
         [](const run::Finished& run) {
           return std::optional(Whole(run.use.minor_faults + run.use.major_faults));
         }},
    Read{"context-switches", Source::kKernel, "",
         [](const run::Finished& run) {
           return std::optional(Whole(run.use.voluntary_switches + run.use.involuntary_switches));
         }},
    Read{"resident-memory", Source::kKernel, "B",
         [](const run::Finished& run) -> std::optional<double> {
           if (!run.use.max_resident_bytes) return std::nullopt;
           return Whole(*run.use.max_resident_bytes);
         }},
};

MetricRatio MetricOf(const Read& read, const TimedPairs& pairs, double confidence) {
  MetricRatio metric{std::string(read.metric), read.source, std::string(read.unit)};
  for (std::size_t i = 0; i < pairs.vanilla.size(); ++i) {
    const auto vanilla = read.read(pairs.vanilla[i]);
    const auto instrumented = read.read(pairs.instrumented[i]);
    if (!vanilla || !instrumented) continue;
    metric.vanilla.push_back(*vanilla);
    metric.instrumented.push_back(*instrumented);
  }
  if (metric.vanilla.empty()) {
    metric.ratio = Absent(
        "the programs use less memory than tare itself, which the kernel includes in the count");
    return metric;
  }
  TakePairs(confidence, metric);
  return metric;
}

}  // namespace

Result<TimedPairs> TimePairs(const ProxyRequest& request, const Progress& progress) {
  return PairTimer(request, progress).All();
}

std::vector<MetricRatio> MetricsOf(const TimedPairs& pairs, double confidence) {
  std::vector<MetricRatio> metrics;
  for (const Read& read : kRead) metrics.push_back(MetricOf(read, pairs, confidence));
  return metrics;
}

}  // namespace tare::proxy
