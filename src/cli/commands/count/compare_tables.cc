// compare_tables.cc: deltas and deviations as cells.
#include "cli/commands/count/compare_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/machines/count_mean.h"
#include "base/check.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "stats/distribution.h"

namespace tare::cli {
namespace {

// A machine may have the name of another column.
void AddMachineColumn(const std::string& machine, report::Table& table) {
  report::Column column{Printable(machine)};
  column.thing = true;
  while (std::ranges::find(table.columns, column.name, &report::Column::name) !=
         table.columns.end()) {
    column.name += " (machine)";
  }
  table.columns.push_back(std::move(column));
}

using machines::BenchmarkResult;
using machines::Comparison;
using machines::MachineResult;

constexpr std::string_view kNotCounted = "not counted on this machine";
constexpr std::string_view kAllExcluded = "every machine that counted it is excluded";

// Values that are whole stay whole while a double is exact (below 2^53).
Number WholeIfIntegral(double value) {
  if (std::fabs(value) < 0x1p53 && value == std::trunc(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

// The estimate, shown as `value`. A number whose interval has zero width is exact.
Measured ShownAs(Number value, Measured estimate) {
  estimate.value = value;
  if (estimate.low != estimate.high) return estimate;
  Measured exact;
  exact.value = value;
  exact.exact = true;
  return exact;
}

// Rounds a score, for which more digits have no meaning.
double ThreeDigits(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::fabs(value))) - 2);
  return unit >= 1 ? std::round(value / unit) * unit : std::round(value * (1 / unit)) / (1 / unit);
}

std::string Runs(std::int64_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

// The mean with Student's interval: over the machines if there are several, otherwise over the runs
// of the only one.
Measured MachineMeanCell(const BenchmarkResult& result) {
  if (result.averaged == 0) return Absent(std::string(kAllExcluded));
  const double mean = machines::AsDouble(result.mean);
  const Number value = result.mean.rest == 0 ? Number{result.mean.whole} : Number{mean};
  const auto& deviation = result.averaged > 1 ? result.between : result.within;
  if (!deviation) {
    Measured cell;
    cell.value = value;
    return Doubtful(cell, "one run on one machine");
  }
  const double degrees =
      result.averaged > 1 ? static_cast<double>(result.averaged - 1) : result.within_degrees;
  CHECK(deviation->confidence.has_value());
  const double confidence = *deviation->confidence;
  const double half = deviation->Value() == 0 ? 0
                                              : stats::StudentCritical(confidence, degrees) *
                                                    deviation->Value() / std::sqrt(degrees + 1);
  return ShownAs(value, Between(mean, mean - half, mean + half, confidence));
}

Measured DeviationCell(const Measured& deviation) {
  return ShownAs(WholeIfIntegral(deviation.Value()), deviation);
}

Measured WithinCell(const MachineResult& machine) {
  if (!machine.within) return Absent("one run");
  Measured cell = DeviationCell(*machine.within);
  if (machine.runs < machines::kFewRuns) cell = Doubtful(cell, Runs(machine.runs));
  return cell;
}

Measured DeltaCell(const MachineResult& machine) {
  Measured cell = machine.delta;
  const Number delta = WholeIfIntegral(machine.delta.Value());
  if (machine.delta.HasInterval()) {
    cell = ShownAs(delta, machine.delta);
  } else {
    cell.value = delta;
    cell = Doubtful(cell, "no interval: a machine has only one run");
  }
  if (!machine.doubt.empty()) cell = Doubtful(cell, machine.doubt);
  return cell;
}

Measured RelativeCell(const BenchmarkResult& result, const std::optional<Measured>& deviation) {
  const auto relative = result.Relative(deviation);
  if (!relative) return Absent("the mean is 0");
  return ShownAs(relative->Value(), *relative);
}

// sd and cv, or why there are none.
void AddSpread(const BenchmarkResult& result, const std::optional<Measured>& deviation,
               std::string_view reason, std::vector<report::Cell>& row) {
  if (!deviation) {
    row.insert(row.end(), 2, Absent(std::string(reason)));
    return;
  }
  row.emplace_back(DeviationCell(*deviation));
  row.emplace_back(RelativeCell(result, deviation));
}

// A deviation pooled over few runs is as uncertain as that of a single machine with few runs.
void DoubtFew(const BenchmarkResult& result, std::vector<report::Cell>& row) {
  if (!result.within || result.within_degrees >= static_cast<double>(machines::kFewRuns - 1))
    return;
  for (auto cell = row.end() - 2; cell != row.end(); ++cell) {
    auto& measured = std::get<Measured>(*cell);
    if (!measured.value) continue;
    measured = Doubtful(measured, fmt::format("{} degree{} of freedom", result.within_degrees,
                                              result.within_degrees == 1 ? "" : "s"));
  }
}

report::Table EmptyTable(std::string id, std::string title, const Comparison& comparison) {
  report::Table table{
      std::move(id), std::move(title), {{"benchmark"}, {"mean"}, {"sd"}, {"cv"}}, {}};
  for (const std::string& machine : comparison.machines) {
    AddMachineColumn(machine, table);
  }
  return table;
}

std::string ExcludedNote(const Comparison& comparison) {
  std::string names;
  for (std::size_t i = 0; i < comparison.machines.size(); ++i) {
    if (!comparison.excluded[i]) continue;
    names += (names.empty() ? "" : ", ") + Printable(comparison.machines[i]);
  }
  return names.empty() ? "" : fmt::format(", without {}", names);
}

}  // namespace

// Shortens long command lines where they remain distinct.
std::vector<std::string> ShownBenchmarks(const Comparison& comparison) {
  constexpr std::size_t kMax = 40;
  std::vector<std::string> full;
  std::vector<std::string> cut;
  for (const BenchmarkResult& result : comparison.benchmarks) {
    full.push_back(Printable(result.benchmark));
    std::size_t end = std::min(kMax, full.back().size());
    while (end < full.back().size() &&
           (static_cast<unsigned char>(full.back()[end]) & 0xC0) == 0x80)
      --end;
    cut.push_back(end < full.back().size() ? full.back().substr(0, end) + "..." : full.back());
  }
  const bool distinct = std::set(cut.begin(), cut.end()).size() == cut.size();
  return distinct ? cut : full;
}

report::Table IntraTable(const Comparison& comparison) {
  report::Table table =
      EmptyTable("intra",
                 "Within machines: standard deviation over the runs, pooled and of each machine" +
                     ExcludedNote(comparison),
                 comparison);
  const auto names = ShownBenchmarks(comparison);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const BenchmarkResult& result = comparison.benchmarks[i];
    std::vector<report::Cell> row = {names[i], MachineMeanCell(result)};
    AddSpread(result, result.within,
              result.averaged == 0 ? kAllExcluded : std::string_view("one run on every machine"),
              row);
    DoubtFew(result, row);
    for (const auto& machine : result.machines) {
      row.emplace_back(machine ? WithinCell(*machine) : Absent(std::string(kNotCounted)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table InterTable(const Comparison& comparison) {
  report::Table table = EmptyTable(
      "inter",
      "Between machines: mean, and difference of each machine from it" + ExcludedNote(comparison),
      comparison);
  const auto names = ShownBenchmarks(comparison);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const BenchmarkResult& result = comparison.benchmarks[i];
    std::vector<report::Cell> row = {names[i], MachineMeanCell(result)};
    AddSpread(result, result.between,
              result.averaged == 0 ? kAllExcluded
                                   : std::string_view("only one machine contributes to the mean"),
              row);
    for (const auto& machine : result.machines) {
      if (!machine) {
        row.emplace_back(Absent(std::string(kNotCounted)));
      } else if (result.averaged == 0) {
        row.emplace_back(Absent(std::string(kAllExcluded)));
      } else {
        row.emplace_back(DeltaCell(*machine));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table OutlierTable(const Comparison& comparison) {
  report::Table table{"outliers",
                      "Machines far from the others",
                      {{"benchmark"}, {"machine"}, {"delta"}, {"score"}},
                      {}};
  const auto names = ShownBenchmarks(comparison);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const BenchmarkResult& result = comparison.benchmarks[i];
    for (std::size_t j = 0; j < result.machines.size(); ++j) {
      const auto& machine = result.machines[j];
      if (!machine || !machine->outlier) continue;
      table.rows.push_back({names[i], Printable(comparison.machines[j]), DeltaCell(*machine),
                            Known(ThreeDigits(machine->score))});
    }
  }
  return table;
}

report::Table RunsTable(const Comparison& comparison) {
  report::Table table{"runs", "Runs of each benchmark", {{"benchmark"}}, {}};
  for (const std::string& machine : comparison.machines) {
    AddMachineColumn(machine, table);
  }
  const auto names = ShownBenchmarks(comparison);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<report::Cell> row = {names[i]};
    for (const auto& machine : comparison.benchmarks[i].machines) {
      if (machine) {
        row.emplace_back(Number{machine->runs});
      } else {
        row.emplace_back(Absent(std::string(kNotCounted)));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tare::cli
