// metric_sweep.h: adds software metrics one by one, in several orders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/perturb/trials.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::perturb {

struct SweepOptions {
  std::size_t random_orders = 0;
  bool alone = false;        // also each metric alone
  std::size_t controls = 0;  // runs without added metrics
  std::uint64_t seed = 1;
};

struct SweepOrder {
  std::string name;                  // "given", "random 1", "alone", "control"
  std::vector<std::string> metrics;  // one is added at each point; empty names for "control"
  std::vector<const Trial*> points;  // for "alone", each counts only its metric

  // Whether no point adds a metric.
  bool IsControl() const;
};

// The orders in which metrics are added, the given one first.
std::vector<SweepOrder> MakeOrders(const std::vector<std::string>& metrics,
                                   const SweepOptions& options);

// The set that is counted at a point of an order.
MetricSet SetAt(const SweepOrder& order, std::size_t point);

// Runs the sets that have not been run yet; `trials` must outlive the result.
Result<void> RunOrders(Trials& trials, std::vector<SweepOrder>& orders, const Progress& progress);

// The largest change of a pair by one more metric, among the significant changes, or among all if
// none is significant.
struct LargestChange {
  std::size_t pair;   // in the baseline
  std::size_t point;  // in the order, after the change; the baseline's run 1 precedes the first
  double before;
  double after;
  bool significant;

  double Size() const;
};
std::optional<LargestChange> FindLargestChange(const Trials& trials, const SweepOrder& order);

}  // namespace tare::perturb
