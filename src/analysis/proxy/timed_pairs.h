// timed_pairs.h: both programs on their own, in turn: times, and what the kernel counted.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/proxy/proxy_measurement.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::proxy {

struct TimedPairs {
  std::vector<run::Finished> vanilla;  // as many as of the other
  std::vector<run::Finished> instrumented;
};

// Rounds of both, in an order drawn anew for each, at sizes of the environment that change from
// round to round. Unless the request names their number: ten, and more until the interval of the
// ratio of wall times is half as wide as the tolerance, or the budget is spent.
Result<TimedPairs> TimePairs(const ProxyRequest& request, const Progress& progress);

// run-time, cpu-time, user-time, page-faults, context-switches, resident-memory: not yet judged.
std::vector<MetricRatio> MetricsOf(const TimedPairs& pairs, double confidence);

}  // namespace tare::proxy
