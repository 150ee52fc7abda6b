// metric_sweep.cc: builds orders and runs their points.
#include "analysis/perturb/metric_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/stop.h"
#include "stats/random.h"

namespace tare::perturb {

namespace {
constexpr std::string_view kAlone = "alone";
constexpr std::string_view kControl = "control";
}  // namespace

std::vector<SweepOrder> MakeOrders(const std::vector<std::string>& metrics,
                                   const SweepOptions& options) {
  std::vector<SweepOrder> orders = {{"given", metrics, {}}};
  stats::Generator generator(options.seed);
  for (std::size_t i = 1; i <= options.random_orders; ++i) {
    std::vector<std::string> order = metrics;
    for (std::size_t left = order.size(); left > 1; --left) {
      std::swap(order[left - 1], order[static_cast<std::size_t>(generator.Below(left))]);
    }
    orders.push_back({fmt::format("random {}", i), std::move(order), {}});
  }
  if (options.alone) orders.push_back({std::string(kAlone), metrics, {}});
  if (options.controls > 0) {
    orders.push_back({std::string(kControl), std::vector<std::string>(options.controls), {}});
  }
  return orders;
}

MetricSet SetAt(const SweepOrder& order, std::size_t point) {
  if (order.IsControl()) return {};
  if (order.name == kAlone) return {order.metrics[point]};
  const auto end = order.metrics.begin() + static_cast<std::ptrdiff_t>(point + 1);
  return {order.metrics.begin(), end};
}

Result<void> RunOrders(Trials& trials, std::vector<SweepOrder>& orders, const Progress& progress) {
  std::size_t all = 0;
  for (const SweepOrder& order : orders) all += order.metrics.size();
  std::size_t done = 0;
  for (SweepOrder& order : orders) {
    for (std::size_t point = 0; point < order.metrics.size(); ++point) {
      if (!progress(
              static_cast<double>(done++) / static_cast<double>(all),
              fmt::format("order {}, run {} of {}", order.name, point + 1, order.metrics.size()))) {
        return Stopped();
      }
      TRY(const Trial* const trial,
          order.IsControl() ? trials.Control() : trials.Of(SetAt(order, point)));
      order.points.push_back(trial);
    }
  }
  return {};
}

bool SweepOrder::IsControl() const { return name == kControl; }

double LargestChange::Size() const { return std::abs(after - before); }

std::optional<LargestChange> FindLargestChange(const Trials& trials, const SweepOrder& order) {
  const Baseline& baseline = trials.GetBaseline();
  std::optional<LargestChange> largest;
  for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
    double before = std::abs(baseline.correlations[pair].front());
    for (std::size_t point = 0; point < order.points.size(); ++point) {
      const InnerRow& row = order.points[point]->judgement.inner[pair];
      if (!row.run) continue;
      const LargestChange change{pair, point, before, std::abs(*row.run), row.significant};
      before = change.after;
      if (!row.interesting) continue;
      if (!largest || std::pair(change.significant, change.Size()) >
                          std::pair(largest->significant, largest->Size())) {
        largest = change;
      }
    }
  }
  return largest;
}

}  // namespace tare::perturb
