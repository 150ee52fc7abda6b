// sweep.h: software metrics added one by one, in several orders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "perturb/trials.h"

namespace tare::perturb {

struct SweepOptions {
  std::size_t random_orders = 0;
  bool alone = false;        // each metric by itself, too
  std::size_t controls = 0;  // runs with nothing added
  std::uint64_t seed = 1;
};

struct SweepOrder {
  std::string name;                  // "given", "random 1", "alone", "control"
  std::vector<std::string> metrics;  // one is added at each point; of "control": empty names
  std::vector<const Trial*> points;  // of "alone": each counts its metric and no other
};

// The orders in which metrics are added, the given one first.
std::vector<SweepOrder> MakeOrders(const std::vector<std::string>& metrics,
                                   const SweepOptions& options);

// The set that is counted at a point of an order.
MetricSet SetAt(const SweepOrder& order, std::size_t point);

// Runs what was not run before; `trials` must outlive the result.
Result<void> RunOrders(Trials& trials, std::vector<SweepOrder>& orders, const Progress& progress);

// Where one more metric changed a pair most, in the first order: the points before (0: the
// baseline's first run) and after.
struct LargestChange {
  std::size_t pair;   // of the baseline
  std::size_t point;  // of the order, after the change
  double before;
  double after;
};
std::optional<LargestChange> FindLargestChange(const Trials& trials, const SweepOrder& order);

}  // namespace tare::perturb
