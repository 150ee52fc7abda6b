// interval_runs.h: runs of a program without sampling and with several sampling intervals, in
// random order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/perturb/signals.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
#include "measure/profile/sampling_events.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::perturb {

enum class IntervalSampler {
  kProfiler,  // as tare profile: interrupts every thread after each interval of processor time
  kObserver,  // as tare trace: reads from outside after each interval of elapsed time
  kSignal,    // as tare trace --sampler signal: a timer inside a program built by tare-cc
};

std::string_view Name(IntervalSampler sampler);

// 10 ms to 20 us in steps of 1, 2 and 5; in seconds.
std::vector<double> DefaultIntervals();

// The shortest and the longest interval of the sampler in seconds.
struct IntervalLimits {
  double shortest;
  double longest;
};
IntervalLimits LimitsOf(IntervalSampler sampler);

// "10ms,1ms,100us": sorted, the longest first. kUsage for anything that is not a time within the
// limits, for duplicates, and for more than 32 intervals.
Result<std::vector<double>> ParseIntervals(std::string_view text, IntervalSampler sampler);

struct IntervalRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  IntervalSampler sampler = IntervalSampler::kProfiler;
  std::vector<double> intervals;  // seconds
  std::size_t rounds = 12;
  bool vary = false;           // another memory layout in each round
  std::uint64_t seed = 1;      // of the orders
  std::string machine;         // name of this machine, for the traces
  profile::SamplingPlan plan;  // of the profiler; the frequency follows from the interval
  StopAsked interrupted;
};

// One run. Interval 0 is a run without sampling, 1 the first interval of the request.
struct IntervalRun {
  std::size_t round = 0;
  std::size_t interval = 0;
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;                  // or missed, because the sampler was late
  std::optional<TraceSignals> trace = {};  // of the observer and the signal sampler
  std::string without_trace = {};          // why there is none
};

struct IntervalRuns {
  std::vector<IntervalRun> runs;  // in order of time
  std::vector<Caveat> caveats;
  int exit_status = 0;
};

// Each round has one run without sampling and one with each interval, in random order. The output
// of one more run, before the first round, is passed on; it is not in the result.
Result<IntervalRuns> TakeIntervalRuns(const IntervalRequest& request, const Progress& progress);

}  // namespace tare::perturb
