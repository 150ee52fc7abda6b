// stored_runs.h: stored studies for tests, without running anything.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/study_results/result_set.h"

namespace tare::study_results {

// A study whose cases and values a test chooses.
class StoredRuns {
 public:
  explicit StoredRuns(std::vector<std::string> metrics, const std::string& unit = "s") {
    for (std::string& name : metrics) study_.metrics.push_back({std::move(name), unit});
    study_.nodes = {"here"};
    study_.conditions = {{{"machine", "m"}, {"program sha256", "1"}}};
  }

  std::size_t AddCase(study::Levels levels) {
    const auto id = static_cast<std::int64_t>(study_.cases.size()) + 1;
    study_.cases.push_back({id, std::to_string(id), std::move(levels)});
    return study_.cases.size() - 1;
  }
  std::size_t AddConditions(study::ConditionFacts facts) {
    study_.conditions.push_back(std::move(facts));
    return study_.conditions.size() - 1;
  }
  std::size_t AddNode(std::string name) {
    study_.nodes.push_back(std::move(name));
    return study_.nodes.size() - 1;
  }

  study::LoadedRun& AddRun(std::size_t index, std::int64_t repetition,
                           const std::vector<Number>& values) {
    study::LoadedRun run;
    run.id = static_cast<std::int64_t>(study_.runs.size()) + 1;
    run.case_index = index;
    run.repetition = repetition;
    for (const Number& value : values) run.values.emplace_back(value);
    study_.runs.push_back(std::move(run));
    return study_.runs.back();
  }

  ResultSet Set() const { return ResultSet(study_); }

 private:
  study::StoredStudy study_;
};

}  // namespace tare::study_results
