// perturb_plan.h: finds which software metrics can be counted together in one run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analysis/perturb/builds.h"
#include "base/result.h"

namespace tare::perturb {

// The result of the runs that count a set.
struct SetAnswer {
  std::string against;   // the objection; empty: none
  std::size_t runs = 1;  // runs used
};
using TestOfSet = std::function<Result<SetAnswer>(const MetricSet&)>;

struct PlanOptions {
  std::size_t budget = 60;  // maximum runs: no further test once they are used
};

struct Tested {
  MetricSet metrics;
  SetAnswer answer;
};

struct NotPlaced {
  std::string metric;
  std::string reason;
};

struct Plan {
  std::vector<MetricSet> groups;  // disjoint, each tested as a whole; largest first
  std::vector<NotPlaced> not_placed;
  std::vector<Tested> tests;  // in order of time; no set twice
  std::size_t runs = 0;
  bool out_of_budget = false;
};

// Tests all metrics together first. A set that fails is halved until single metrics are left. Sets
// that passed are then combined: all of them, then the largest with those that still fit. A metric
// that fails alone may pass in a set, because the effects of instrumentation are not additive, so
// it is tried with the groups while the budget lasts. Each set is tested once.
Result<Plan> FindGroups(const std::vector<std::string>& metrics, const TestOfSet& test,
                        const PlanOptions& options);

}  // namespace tare::perturb
