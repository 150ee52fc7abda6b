// metric_sweep.h: software metrics added one by one, in several orders.
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
  bool alone = false;        // each metric by itself, too
  std::size_t controls = 0;  // runs with nothing added
  std::uint64_t seed = 1;
};

struct SweepOrder {
  std::string name;                  // "given", "random 1", "alone", "control"
  std::vector<std::string> metrics;  // one is added at each point; of "control": empty names
  std::vector<const Trial*> points;  // of "alone": each counts its metric and no other

  // Nothing is added at any point.
  bool IsControl() const;
};

// The orders in which metrics are added, the given one first.
std::vector<SweepOrder> MakeOrders(const std::vector<std::string>& metrics,
                                   const SweepOptions& options);

// The set that is counted at a point of an order.
MetricSet SetAt(const SweepOrder& order, std::size_t point);

// Runs what was not run before; `trials` must outlive the result.
Result<void> RunOrders(Trials& trials, std::vector<SweepOrder>& orders, const Progress& progress);

// Where one more metric changed a pair most, of all changes that are significant; of all where none
// is.
struct LargestChange {
  std::size_t pair;   // of the baseline
  std::size_t point;  // of the order, after the change; before the first comes the baseline's run 1
  double before;
  double after;
  bool significant;

  double Size() const;
};
std::optional<LargestChange> FindLargestChange(const Trials& trials, const SweepOrder& order);

}  // namespace tare::perturb
