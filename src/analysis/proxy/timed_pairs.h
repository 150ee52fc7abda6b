// timed_pairs.h: native runs of both programs, alternating: times and kernel statistics.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/proxy/proxy_measurement.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::proxy {

struct TimedPairs {
  std::vector<run::Finished> vanilla;  // of equal length
  std::vector<run::Finished> instrumented;
};

// Rounds of both, in an order drawn for each round, with environment sizes that change from round
// to round. Unless the request gives their number: ten rounds, and more until the interval of the
// ratio of wall times is half as wide as the tolerance or the budget is used up.
Result<TimedPairs> TimePairs(const ProxyRequest& request, const Progress& progress);

// run-time, cpu-time, user-time, page-faults, context-switches, resident-memory: not yet judged.
std::vector<MetricRatio> MetricsOf(const TimedPairs& pairs, double confidence);

}  // namespace tare::proxy
