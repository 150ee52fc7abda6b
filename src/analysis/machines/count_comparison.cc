// count_comparison.cc: groups rows by machine and machines by benchmark.
#include "analysis/machines/count_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/machines/count_mean.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "stats/deviation.h"
#include "stats/distribution.h"
#include "stats/outlier.h"

namespace tare::machines {
namespace {

constexpr std::size_t kMaxMachines = 512;
constexpr std::size_t kMaxCells = 1'000'000;

// The counts of one benchmark on one machine.
struct Runs {
  std::vector<const CountRow*> rows;
  std::int64_t count = 0;
  CountValue mean;
  double deviation = 0;  // n - 1; 0 for one run
  std::string doubt;

  double SquaredError() const { return deviation * deviation / static_cast<double>(count); }
};

// A benchmark's machines by index; absent ones have no entry.
using RunsOfMachines = std::map<std::size_t, Runs>;

void Summarize(Runs& runs) {
  std::vector<WeighedCount> parts;
  for (const CountRow* row : runs.rows) {
    parts.push_back({row->count, row->runs});
    runs.count += row->runs;
    if (runs.doubt.empty()) runs.doubt = row->doubt;
  }
  runs.mean = MeanOf(parts);
  double squares = 0;
  for (const CountRow* row : runs.rows) {
    const double difference = Difference(row->count, runs.mean);
    const double own = static_cast<double>(row->runs);
    squares += own * difference * difference + (own - 1) * row->deviation * row->deviation;
  }
  if (runs.count > 1) runs.deviation = std::sqrt(squares / static_cast<double>(runs.count - 1));
}

// Names in order of first occurrence.
class Names {
 public:
  std::size_t IndexOf(const std::string& name) {
    const auto [place, is_new] = indices_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return place->second;
  }
  const std::vector<std::string>& All() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::string> names_;
};

struct Grouped {
  Names machines;
  Names benchmarks;
  std::vector<RunsOfMachines> runs;  // one per benchmark
};

Result<Grouped> Group(const CountSet& counts) {
  constexpr auto kTaken = std::to_array<std::string_view>({"benchmark", "mean", "sd", "cv"});
  Grouped grouped;
  for (const CountRow& row : counts.rows) {
    if (std::ranges::find(kTaken, row.machine) != kTaken.end()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}: a machine cannot be named {}, because a column has that name",
                              row.place, row.machine));
    }
    const std::size_t benchmark = grouped.benchmarks.IndexOf(row.benchmark);
    const std::size_t machine = grouped.machines.IndexOf(row.machine);
    if (benchmark == grouped.runs.size()) grouped.runs.emplace_back();
    grouped.runs[benchmark][machine].rows.push_back(&row);
    const std::size_t machines = grouped.machines.All().size();
    if (machines > kMaxMachines || machines * grouped.runs.size() > kMaxCells) {
      return Fail(
          ErrorKind::kFormat,
          fmt::format("{}: {} machines and {} benchmarks are too many for a table; check that the "
                      "column machine holds machine names",
                      row.place, machines, grouped.runs.size()));
    }
  }
  for (RunsOfMachines& benchmark : grouped.runs) {
    for (auto& [machine, runs] : benchmark) Summarize(runs);
  }
  return grouped;
}

Result<std::vector<bool>> ExcludedMachines(const std::vector<std::string>& machines,
                                           const std::vector<std::string>& names) {
  std::vector<bool> excluded(machines.size(), false);
  for (const std::string& name : names) {
    const auto found = std::ranges::find(machines, name);
    if (found == machines.end()) {
      const std::vector<std::string_view> known(machines.begin(), machines.end());
      return Fail(ErrorKind::kUsage,
                  fmt::format("--exclude {}: no file has counts of this machine{}", Printable(name),
                              DidYouMean(name, known)));
    }
    excluded[static_cast<std::size_t>(found - machines.begin())] = true;
  }
  if (std::ranges::find(excluded, false) == excluded.end()) {
    return Fail(ErrorKind::kUsage, "--exclude: no machine is left to compare");
  }
  return excluded;
}

// Compares the machines of one benchmark.
class BenchmarkComparer {
 public:
  BenchmarkComparer(const RunsOfMachines& runs, const std::vector<bool>& excluded,
                    double confidence)
      : runs_(runs), excluded_(excluded), confidence_(confidence) {}

  Result<BenchmarkResult> Run() && {
    result_.machines.resize(excluded_.size());
    SetMean();
    TRY_VOID(AddMachines());
    TRY_VOID(SetBetween());
    TRY_VOID(SetWithin());
    TRY_VOID(Score());
    return std::move(result_);
  }

 private:
  void SetMean() {
    std::vector<WeighedCount> means;
    for (const auto& [machine, runs] : runs_) {
      if (!excluded_[machine]) means.push_back({runs.mean});
    }
    result_.averaged = means.size();
    if (!means.empty()) result_.mean = MeanOf(means);
  }

  Result<void> AddMachines() {
    for (const auto& [machine, runs] : runs_) {
      MachineResult result{.runs = runs.count,
                           .delta = DeltaOf(machine),
                           .within = std::nullopt,
                           .doubt = runs.doubt};
      if (runs.count > 1) {
        TRY(result.within, stats::DeviationInterval(
                               runs.deviation, static_cast<double>(runs.count - 1), confidence_));
      }
      result_.machines[machine] = std::move(result);
    }
    return {};
  }

  // The machine's own mean is part of the benchmark's unless it is excluded. Welch-Satterthwaite
  // degrees of freedom, because each machine's runs have their own variance.
  Measured DeltaOf(std::size_t machine) const {
    const double delta = Difference(runs_.at(machine).mean, result_.mean);
    if (result_.averaged == 0) return Unbounded(delta);
    const double share = 1 / static_cast<double>(result_.averaged);
    double variance = 0;
    double squares = 0;
    for (const auto& [other, runs] : runs_) {
      const double part = (other == machine ? 1 : 0) - (excluded_[other] ? 0 : share);
      if (part == 0) continue;
      if (runs.count < 2) return Unbounded(delta);
      const double own = part * part * runs.SquaredError();
      variance += own;
      squares += own * own / static_cast<double>(runs.count - 1);
    }
    if (variance == 0) return Between(delta, delta, delta, confidence_);
    const double half =
        stats::StudentCritical(confidence_, variance * variance / squares) * std::sqrt(variance);
    return Between(delta, delta - half, delta + half, confidence_);
  }

  Result<void> SetBetween() {
    if (result_.averaged < 2) return {};
    double squares = 0;
    for (std::size_t i = 0; i < excluded_.size(); ++i) {
      const auto& machine = result_.machines[i];
      if (machine && !excluded_[i]) squares += machine->delta.Value() * machine->delta.Value();
    }
    const double degrees = static_cast<double>(result_.averaged - 1);
    TRY(result_.between,
        stats::DeviationInterval(std::sqrt(squares / degrees), degrees, confidence_));
    return {};
  }

  Result<void> SetWithin() {
    double squares = 0;
    for (const auto& [machine, runs] : runs_) {
      if (excluded_[machine] || runs.count < 2) continue;
      const double degrees = static_cast<double>(runs.count - 1);
      squares += degrees * runs.deviation * runs.deviation;
      result_.within_degrees += degrees;
    }
    if (result_.within_degrees == 0) return {};
    TRY(result_.within, stats::DeviationInterval(std::sqrt(squares / result_.within_degrees),
                                                 result_.within_degrees, confidence_));
    return {};
  }

  // Two values are equally far from their mean, so neither is an outlier.
  Result<void> Score() {
    std::vector<double> deltas;
    std::vector<MachineResult*> scored;
    for (std::size_t i = 0; i < excluded_.size(); ++i) {
      auto& machine = result_.machines[i];
      if (!machine || excluded_[i]) continue;
      deltas.push_back(machine->delta.Value());
      scored.push_back(&*machine);
    }
    if (deltas.size() < 3) return {};
    TRY(const auto outliers, stats::FindOutliers(deltas));
    for (std::size_t i = 0; i < scored.size(); ++i) scored[i]->score = outliers.scores[i];
    for (const std::size_t index : outliers.indices) scored[index]->outlier = true;
    return {};
  }

  const RunsOfMachines& runs_;
  const std::vector<bool>& excluded_;
  double confidence_;
  BenchmarkResult result_;
};

}  // namespace

std::optional<Measured> BenchmarkResult::Relative(const std::optional<Measured>& deviation) const {
  const double size = AsDouble(mean);
  if (!deviation || averaged == 0 || size == 0) return std::nullopt;
  Measured relative = *deviation;
  relative.value = deviation->Value() / size;
  relative.low = deviation->Low() / size;
  relative.high = deviation->High() / size;
  return relative;
}

Result<Comparison> Compare(const CountSet& counts, const CompareOptions& options) {
  TRY(auto grouped, Group(counts));
  Comparison comparison;
  comparison.machines = grouped.machines.All();
  for (const RunsOfMachines& benchmark : grouped.runs) {
    comparison.repeated = comparison.repeated || std::ranges::any_of(benchmark, [](const auto& of) {
                            return of.second.count > 1;
                          });
  }
  if (comparison.machines.empty()) return Fail(ErrorKind::kUsage, "nothing to compare");
  if (comparison.machines.size() == 1 && !comparison.repeated) {
    return Fail(ErrorKind::kUsage,
                fmt::format("nothing to compare: the only machine is {}, with one run of "
                            "each benchmark; give files of another machine or of more runs",
                            Printable(comparison.machines[0])));
  }
  TRY(comparison.excluded, ExcludedMachines(comparison.machines, options.excluded));
  for (std::size_t i = 0; i < grouped.runs.size(); ++i) {
    TRY(auto result,
        BenchmarkComparer(grouped.runs[i], comparison.excluded, options.confidence).Run());
    result.benchmark = grouped.benchmarks.All()[i];
    comparison.benchmarks.push_back(std::move(result));
  }
  return comparison;
}

}  // namespace tare::machines
