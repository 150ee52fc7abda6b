// interval_runs.cc: starts the program under each sampler and reads what it took.
#include "analysis/perturb/interval_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/printable.h"
#include "base/private_directory.h"
#include "base/units.h"
#include "format/series_reader.h"
#include "measure/profile/take_profile.h"
#include "measure/run/varied_layouts.h"
#include "measure/sample/trace_facts.h"
#include "measure/sample/trace_program.h"
#include "stats/shuffle.h"

namespace tare::perturb {
namespace {

constexpr std::size_t kMaxIntervals = 32;

double CpuSecondsOf(const run::Finished& finished) {
  return finished.use.user_seconds + finished.use.system_seconds;
}

// The series of a run, which is read after it ended.
Result<void> ReadRecords(const std::filesystem::path& file, IntervalRun& run) {
  TRY(auto reader, format::SeriesReader::Open(file));
  while (reader.Next() != nullptr) {
  }
  run.samples = reader.Outcome().records;
  if (const auto& end = reader.Outcome().end) {
    run.lost = end->missed + end->dropped + sample::EndFactsOf(end->facts).lost_samples;
  }
  // Sources that are slow to read are not read at every record of a short interval.
  auto signals = ReadSignals(file, fmt::format("round {}", run.round + 1), true,
                             run.interval == 1 ? Gaps::kUnusable : Gaps::kRepeatLast);
  if (signals) {
    run.trace = std::move(*signals);
  } else {
    run.without_trace = signals.error().message;
  }
  return {};
}

class IntervalRunner {
 public:
  IntervalRunner(const IntervalRequest& request, PrivateDirectory directory,
                 std::vector<run::Setting> layouts)
      : request_(request), directory_(std::move(directory)), layouts_(std::move(layouts)) {}

  // Passes the output on, and finds files that the first run must read from disk.
  Result<void> RunFirst() {
    TRY(const auto finished, RunPlainly(layouts_.front()));
    taken_.exit_status = finished.ended.ShellStatus();
    taken_.caveats = finished.caveats;
    return {};
  }

  Result<void> RunOnce(std::size_t round, std::size_t interval) {
    const run::Setting setting =
        run::WithDiscardedOutput(layouts_[request_.vary ? round % layouts_.size() : 0]);
    IntervalRun run{.round = round, .interval = interval};
    TRY(const auto finished, interval == 0 ? RunPlainly(setting)
                             : request_.sampler == IntervalSampler::kProfiler
                                 ? RunProfiled(setting, run)
                                 : RunTraced(setting, run));
    if (finished.ended.interrupted) return Stopped();
    const int status = finished.ended.ShellStatus();
    if (status != taken_.exit_status && !differs_) {
      differs_ = true;
      taken_.caveats.push_back(
          {CaveatId::kExitStatusVaries,
           fmt::format("{} in the first run, {} {}", taken_.exit_status, status,
                       interval == 0 ? "in another without sampling" : "in one with sampling")});
    }
    run.cpu_seconds = CpuSecondsOf(finished);
    run.wall_seconds = finished.wall_seconds;
    taken_.runs.push_back(std::move(run));
    return {};
  }

  IntervalRuns Take() { return std::move(taken_); }

 private:
  Result<run::Finished> RunPlainly(const run::Setting& setting) const {
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    return run::RunProgram(request_.program, setting, hooks);
  }

  Result<run::Finished> RunProfiled(const run::Setting& setting, IntervalRun& run) const {
    profile::ProfileRequest request;
    request.program = request_.program;
    request.setting = setting;
    request.plan = request_.plan;
    request.plan.frequency = 1 / request_.intervals[run.interval - 1];
    request.machine = request_.machine;
    request.measure_cost = false;
    request.interrupted = request_.interrupted;
    TRY(auto taken, profile::TakeProfile(request));
    run.samples = taken.profile.samples.size();
    run.lost = taken.profile.facts.lost;
    return std::move(*taken.finished);
  }

  Result<run::Finished> RunTraced(const run::Setting& setting, IntervalRun& run) const {
    sample::TraceRequest request;
    request.program = request_.program;
    request.setting = setting;
    request.sampler = request_.sampler == IntervalSampler::kSignal ? sample::Sampler::kSignal
                                                                   : sample::Sampler::kObserver;
    request.pace.interval_ns =
        static_cast<std::uint64_t>(std::llround(request_.intervals[run.interval - 1] * 1e9));
    request.machine = request_.machine;
    request.file = directory_.path() / "run.series";
    request.interrupted = request_.interrupted;
    TRY(auto traced, sample::TraceProgram(request));
    if (traced.file_error) return std::unexpected(*traced.file_error);
    if (!traced.finished.ended.interrupted) TRY_VOID(ReadRecords(request.file, run));
    return std::move(traced.finished);
  }

  const IntervalRequest& request_;
  PrivateDirectory directory_;
  std::vector<run::Setting> layouts_;
  IntervalRuns taken_;
  bool differs_ = false;
};

std::unexpected<Error> BadInterval(std::string_view word, const IntervalLimits& limits) {
  return Fail(ErrorKind::kUsage,
              fmt::format("--intervals {}: expected times from {} to {}, such as 10ms,1ms,100us",
                          Printable(std::string(word)), LongDuration(limits.shortest),
                          LongDuration(limits.longest)));
}

}  // namespace

std::string_view Name(IntervalSampler sampler) {
  switch (sampler) {
    case IntervalSampler::kProfiler:
      return "profiler";
    case IntervalSampler::kObserver:
      return "observer";
    case IntervalSampler::kSignal:
      return "signal";
  }
  return "";
}

std::vector<double> DefaultIntervals() {
  return {0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5};
}

IntervalLimits LimitsOf(IntervalSampler sampler) {
  // The kernel's clock event has periods of at least 10 us, and the profiler has two of them.
  return sampler == IntervalSampler::kProfiler ? IntervalLimits{2e-5, 1} : IntervalLimits{1e-5, 1};
}

Result<std::vector<double>> ParseIntervals(std::string_view text, IntervalSampler sampler) {
  if (text == "default") return DefaultIntervals();
  const IntervalLimits limits = LimitsOf(sampler);
  std::vector<double> intervals;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view word = text.substr(from, comma - from);
    const auto seconds = ParseDuration(word);
    // Limits are inclusive, and 20us need not be the same double as 2e-5.
    constexpr double kSlack = 1e-9;
    if (!seconds || *seconds < limits.shortest * (1 - kSlack) ||
        *seconds > limits.longest * (1 + kSlack)) {
      return BadInterval(word, limits);
    }
    intervals.push_back(std::round(*seconds * 1e9) / 1e9);
    from = comma + 1;
  }
  std::ranges::sort(intervals, std::greater());
  if (std::ranges::adjacent_find(intervals) != intervals.end()) {
    return Fail(ErrorKind::kUsage, "--intervals: an interval is given twice");
  }
  if (intervals.size() > kMaxIntervals) {
    return Fail(ErrorKind::kUsage, fmt::format("--intervals: {} intervals; at most {} are possible",
                                               intervals.size(), kMaxIntervals));
  }
  return intervals;
}

Result<IntervalRuns> TakeIntervalRuns(const IntervalRequest& request, const Progress& progress) {
  TRY(auto directory, PrivateDirectory::MakeOnDisk());
  // All runs of a round have the same size of the environment, whatever the sampler adds to it.
  TRY(auto layouts, run::VaryLayout(request.setting, request.vary ? run::kMaxLayouts : 1));
  IntervalRunner runner(request, std::move(directory), std::move(layouts));
  const std::size_t kinds = request.intervals.size() + 1;
  const auto all = static_cast<double>(request.rounds * kinds + 1);
  if (!progress(0, "first run")) return Stopped();
  TRY_VOID(runner.RunFirst());
  stats::Generator generator(request.seed);
  double done = 1;
  for (std::size_t round = 0; round < request.rounds; ++round) {
    for (const std::size_t interval : stats::RandomOrder(kinds, generator)) {
      if (!progress(done++ / all, fmt::format("round {} of {}", round + 1, request.rounds))) {
        return Stopped();
      }
      TRY_VOID(runner.RunOnce(round, interval));
    }
  }
  return runner.Take();
}

}  // namespace tare::perturb
