// perturb_plan.cc: bisects the metrics, then combines the sets that passed.
#include "analysis/perturb/perturb_plan.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace tare::perturb {
namespace {

class Planner {
 public:
  Planner(const TestOfSet& test, const PlanOptions& options) : test_(test), options_(options) {}

  Result<Plan> Find(const std::vector<std::string>& metrics) {
    TRY_VOID(Split(metrics));
    TRY_VOID(Regroup());
    TRY_VOID(PlaceInCompany());
    for (const auto& [metric, reason] : alone_) plan_.not_placed.push_back({metric, reason});
    std::ranges::stable_sort(plan_.groups, std::greater(), &MetricSet::size);
    return std::move(plan_);
  }

 private:
  // Whether the set passes; absent if the budget is used up.
  Result<std::optional<bool>> Passes(const MetricSet& set) {
    if (const auto known = answers_.find(set); known != answers_.end()) {
      return std::optional(known->second.empty());
    }
    if (plan_.runs >= options_.budget) {
      plan_.out_of_budget = true;
      return std::optional<bool>();
    }
    TRY(const SetAnswer answer, test_(set));
    answers_.emplace(set, answer.against);
    plan_.tests.push_back({set, answer});
    plan_.runs += answer.runs;
    return std::optional(answer.against.empty());
  }

  void FailAtStep(const std::vector<std::string>& metrics) {
    for (const std::string& metric : metrics) {
      plan_.not_placed.push_back(
          {metric,
           "it is in a set that failed, and the budget of runs was used up before "
           "it was tested alone"});
    }
  }

  // Breadth first, so that large sets have been tried everywhere when the budget is used up.
  Result<void> Split(const std::vector<std::string>& metrics) {
    std::deque<std::vector<std::string>> waiting = {metrics};
    while (!waiting.empty()) {
      const std::vector<std::string> list = std::move(waiting.front());
      waiting.pop_front();
      const MetricSet set(list.begin(), list.end());
      TRY(const auto passes, Passes(set));
      if (!passes) {
        FailAtStep(list);
      } else if (*passes) {
        plan_.groups.push_back(set);
      } else if (list.size() == 1) {
        alone_[list.front()] = answers_[set];
      } else {
        const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
        waiting.emplace_back(list.begin(), middle);
        waiting.emplace_back(middle, list.end());
      }
    }
    return {};
  }

  static MetricSet Union(const MetricSet& a, const MetricSet& b) {
    MetricSet both = a;
    both.insert(b.begin(), b.end());
    return both;
  }

  // Combines everything that passed into one group if that passes. Otherwise each set, largest
  // first, joins the first group with which it passes.
  Result<void> Regroup() {
    if (plan_.groups.size() < 2) return {};
    MetricSet all;
    for (const MetricSet& group : plan_.groups) all.insert(group.begin(), group.end());
    TRY(const auto together, Passes(all));
    if (together.value_or(false)) {
      plan_.groups = {all};
      return {};
    }
    std::vector<MetricSet> waiting = std::move(plan_.groups);
    std::ranges::stable_sort(waiting, std::greater(), &MetricSet::size);
    plan_.groups.clear();
    for (MetricSet& set : waiting) {
      bool joined = false;
      for (MetricSet& group : plan_.groups) {
        MetricSet both = Union(group, set);
        TRY(const auto passes, Passes(both));
        if (!passes.value_or(false)) continue;
        group = std::move(both);
        joined = true;
        break;
      }
      if (!joined) plan_.groups.push_back(std::move(set));
    }
    return {};
  }

  Result<void> PlaceInCompany() {
    for (auto one = alone_.begin(); one != alone_.end();) {
      bool placed = false;
      for (MetricSet& group : plan_.groups) {
        MetricSet both = Union(group, {one->first});
        TRY(const auto passes, Passes(both));
        if (!passes.value_or(false)) continue;
        group = std::move(both);
        placed = true;
        break;
      }
      one = placed ? alone_.erase(one) : std::next(one);
    }
    return {};
  }

  const TestOfSet& test_;
  const PlanOptions& options_;
  Plan plan_;
  std::map<MetricSet, std::string> answers_;
  std::map<std::string, std::string> alone_;  // metrics that fail alone, with the reason
};

}  // namespace

Result<Plan> FindGroups(const std::vector<std::string>& metrics, const TestOfSet& test,
                        const PlanOptions& options) {
  return Planner(test, options).Find(metrics);
}

}  // namespace tare::perturb
