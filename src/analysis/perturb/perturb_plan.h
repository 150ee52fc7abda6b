// perturb_plan.h: which software metrics can be counted together in one run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analysis/perturb/builds.h"
#include "base/result.h"

namespace tare::perturb {

// What runs that count a set say about it.
struct SetAnswer {
  std::string against;   // empty: nothing
  std::size_t runs = 1;  // that it took
};
using TestOfSet = std::function<Result<SetAnswer>(const MetricSet&)>;

struct PlanOptions {
  std::size_t budget = 60;  // runs: no further test once they are spent
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
  std::vector<MetricSet> groups;  // disjoint, each tested as a whole; larger ones first
  std::vector<NotPlaced> not_placed;
  std::vector<Tested> tests;  // in the order of time; no set twice
  std::size_t runs = 0;
  bool out_of_budget = false;
};

// All together first; a set that fails is halved, until single metrics are left. What passed is put
// together again: all of it, then the largest with what still fits. A metric that fails alone may
// pass in company, since instrumentation does not only add up: it is tried with the groups while
// the budget lasts. Tests that failed are remembered; a set is tested once.
Result<Plan> FindGroups(const std::vector<std::string>& metrics, const TestOfSet& test,
                        const PlanOptions& options);

}  // namespace tare::perturb
