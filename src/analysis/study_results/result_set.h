// result_set.h: the stored runs of the cases that a study file declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_cases.h"
#include "analysis/study/study_store.h"

namespace tare::study_results {

struct ResultCase {
  std::vector<std::string> levels;  // by ResultSet::factors
  std::vector<std::size_t> runs;    // successful ones, by repetition, as indices into Stored().runs
  std::size_t failed = 0;
};

// Points into nothing: it owns what was stored.
class ResultSet {
 public:
  // Cases of the database that the file no longer declares are left out and counted.
  ResultSet(const study::StudyCases& cases, study::StoredStudy stored);
  // All cases of the database.
  explicit ResultSet(study::StoredStudy stored);

  const std::vector<std::string>& Factors() const { return factors_; }
  const std::vector<ResultCase>& Cases() const { return cases_; }
  const study::StoredStudy& Stored() const { return stored_; }
  std::size_t OtherCases() const { return other_cases_; }
  // Whether a stored case is one of Cases().
  bool IsOfCase(std::size_t stored_case) const { return case_of_stored_[stored_case].has_value(); }
  std::size_t FactorIndex(std::string_view name) const;  // Factors().size() if there is none
  std::optional<std::size_t> MetricIndex(std::string_view name) const;

  // Factors of which the cases have several levels.
  std::vector<std::string> VaryingFactors() const;

  // The run's value; absent if it has none.
  std::optional<double> Value(std::size_t run, std::size_t metric) const;
  std::int64_t RepetitionOf(std::size_t run) const { return stored_.runs[run].repetition; }

  // What differs from the conditions of the first run: on the same node for facts of the machine,
  // of the same case for those of program and input. Empty: nothing.
  const std::string& ChangedIn(std::size_t run) const;
  std::size_t ChangedRuns() const { return changed_runs_; }
  // All facts that changed, with the number of runs.
  std::map<std::string, std::size_t> ChangedFacts() const;
  // Of the metric in these runs: why they are not all comparable, or why times are not the
  // program's own. Empty if there is no reason.
  std::string DoubtOf(const std::vector<std::size_t>& runs, std::size_t metric) const;

 private:
  void Fill();
  void MarkChanges();
  std::string DisturbanceOf(const std::vector<std::size_t>& runs) const;

  std::vector<std::string> factors_;
  std::vector<ResultCase> cases_;
  study::StoredStudy stored_;
  std::vector<std::optional<std::size_t>> case_of_stored_;
  std::vector<std::uint32_t> changes_;     // by run: index into change_texts_
  std::vector<std::string> change_texts_;  // the first is empty
  std::size_t other_cases_ = 0;
  std::size_t changed_runs_ = 0;
};

}  // namespace tare::study_results
