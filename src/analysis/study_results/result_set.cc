// result_set.cc: runs by case, and which of them were made under other conditions.
#include "analysis/study_results/result_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/study/study_conditions.h"
#include "analysis/study/study_metrics.h"
#include "base/measured.h"
#include "machine/host/other_programs.h"

namespace tare::study_results {

ResultSet::ResultSet(const study::StudyCases& cases, study::StoredStudy stored)
    : factors_(cases.factors), stored_(std::move(stored)) {
  std::map<std::string, std::size_t> by_key;
  for (const study::StudyCase& one : cases.cases) {
    by_key[one.key] = cases_.size();
    cases_.push_back({one.levels, {}, 0});
  }
  for (const study::StoredCase& one : stored_.cases) {
    const auto found = by_key.find(one.key);
    case_of_stored_.push_back(found == by_key.end() ? std::nullopt : std::optional(found->second));
  }
  Fill();
}

ResultSet::ResultSet(study::StoredStudy stored) : stored_(std::move(stored)) {
  // The usual order of columns: what every study has, then the rest.
  factors_ = {"program", "input", "engine"};
  for (const study::StoredCase& one : stored_.cases) {
    for (const auto& [factor, level] : one.levels) {
      if (std::ranges::find(factors_, factor) == factors_.end()) factors_.push_back(factor);
    }
  }
  for (const study::StoredCase& one : stored_.cases) {
    ResultCase added;
    for (const std::string& factor : factors_) {
      const auto level = one.levels.find(factor);
      added.levels.push_back(level == one.levels.end() ? "" : level->second);
    }
    case_of_stored_.emplace_back(cases_.size());
    cases_.push_back(std::move(added));
  }
  Fill();
}

void ResultSet::Fill() {
  std::set<std::size_t> others;
  for (std::size_t i = 0; i < stored_.runs.size(); ++i) {
    const study::LoadedRun& run = stored_.runs[i];
    const auto index = case_of_stored_[run.case_index];
    if (!index) {
      others.insert(run.case_index);
      continue;
    }
    if (run.repetition < 0) continue;
    if (run.state == study::RunState::kOk) {
      cases_[*index].runs.push_back(i);
    } else {
      ++cases_[*index].failed;
    }
  }
  other_cases_ = others.size();
  for (ResultCase& one : cases_) {
    std::ranges::sort(one.runs, {}, [&](std::size_t run) { return RepetitionOf(run); });
  }
  MarkChanges();
}

void ResultSet::MarkChanges() {
  change_texts_ = {""};
  changes_.assign(stored_.runs.size(), 0);
  std::map<std::size_t, std::size_t> first_on_node;
  std::map<std::size_t, std::size_t> first_of_case;
  // Few conditions differ, so pairs of them repeat.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> differences;
  const auto changed = [&](std::size_t a, std::size_t b) -> const std::vector<std::string>& {
    const auto [found, fresh] = differences.try_emplace({a, b});
    if (fresh) {
      found->second = study::ChangedFacts(stored_.conditions[a], stored_.conditions[b]);
    }
    return found->second;
  };
  std::map<std::string, std::uint32_t> texts = {{"", 0}};
  for (std::size_t i = 0; i < stored_.runs.size(); ++i) {
    const study::LoadedRun& run = stored_.runs[i];
    // Runs that never came back have no conditions.
    if (stored_.conditions[run.conditions].empty()) continue;
    const std::size_t of_node = first_on_node.try_emplace(run.node, run.conditions).first->second;
    const std::size_t of_case =
        first_of_case.try_emplace(run.case_index, run.conditions).first->second;
    if (of_node == run.conditions && of_case == run.conditions) continue;
    std::vector<std::string> facts;
    for (const std::string& fact : changed(of_node, run.conditions)) {
      if (!study::IsCaseFact(fact)) facts.push_back(fact);
    }
    for (const std::string& fact : changed(of_case, run.conditions)) {
      if (study::IsCaseFact(fact)) facts.push_back(fact);
    }
    if (facts.empty()) continue;
    const std::string text = fmt::format("{}", fmt::join(facts, ", "));
    const auto [known, fresh] =
        texts.try_emplace(text, static_cast<std::uint32_t>(change_texts_.size()));
    if (fresh) change_texts_.push_back(text);
    changes_[i] = known->second;
    ++changed_runs_;
  }
}

std::size_t ResultSet::FactorIndex(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(factors_, name) - factors_.begin());
}

std::optional<std::size_t> ResultSet::MetricIndex(std::string_view name) const {
  const auto found = std::ranges::find(stored_.metrics, name, &study::StoredMetric::name);
  if (found == stored_.metrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - stored_.metrics.begin());
}

std::vector<std::string> ResultSet::VaryingFactors() const {
  std::vector<std::string> varying;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const bool varies = std::ranges::any_of(
        cases_, [&](const ResultCase& one) { return one.levels[i] != cases_.front().levels[i]; });
    if (varies) varying.push_back(factors_[i]);
  }
  if (varying.empty() && !factors_.empty()) varying.push_back(factors_.front());
  return varying;
}

std::optional<double> ResultSet::Value(std::size_t run, std::size_t metric) const {
  const auto& values = stored_.runs[run].values;
  if (metric >= values.size() || !values[metric]) return std::nullopt;
  return AsDouble(*values[metric]);
}

const std::string& ResultSet::ChangedIn(std::size_t run) const {
  return change_texts_[changes_[run]];
}

std::map<std::string, std::size_t> ResultSet::ChangedFacts() const {
  std::map<std::string, std::size_t> facts;
  for (const std::uint32_t change : changes_) {
    if (change != 0) ++facts[change_texts_[change]];
  }
  return facts;
}

std::string ResultSet::DisturbanceOf(const std::vector<std::size_t>& runs) const {
  const auto mean = [&](std::string_view name) {
    double sum = 0;
    double seconds = 0;
    const auto metric = MetricIndex(name);
    if (!metric) return 0.0;
    for (const std::size_t run : runs) {
      const auto value = Value(run, *metric);
      if (!value) continue;
      sum += *value * stored_.runs[run].seconds;
      seconds += stored_.runs[run].seconds;
    }
    // The kernel accounts in ticks of 10 ms, too coarse for less.
    constexpr double kMinSeconds = 0.25;
    return seconds < kMinSeconds ? 0.0 : sum / seconds;
  };
  const double others = mean(study::kOtherPrograms);
  if (host::IsBusy(others / 100)) {
    return fmt::format("other programs used {:.0f} % of the processors", others);
  }
  const double stolen = mean(study::kStolenTime);
  if (host::IsStolen(stolen / 100)) {
    return fmt::format("the hypervisor took {:.0f} % of the time", stolen);
  }
  return "";
}

std::string ResultSet::DoubtOf(const std::vector<std::size_t>& runs, std::size_t metric) const {
  std::size_t count = 0;
  std::string what;
  bool alike = true;
  for (const std::size_t run : runs) {
    alike = alike && stored_.runs[run].conditions == stored_.runs[runs.front()].conditions;
    if (changes_[run] == 0) continue;
    ++count;
    what = ChangedIn(run);
  }
  // Runs that all have the same conditions compare with each other.
  if (count == 0 || alike) {
    return stored_.metrics[metric].unit == "s" ? DisturbanceOf(runs) : std::string();
  }
  return fmt::format("conditions changed in {} of {} runs: {}", count, runs.size(), what);
}

}  // namespace tare::study_results
