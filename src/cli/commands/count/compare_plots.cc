// compare_plots.cc: fills rows and colours.
#include "cli/commands/count/compare_plots.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/printable.h"

namespace tare::cli {
namespace {

using machines::BenchmarkResult;
using machines::Comparison;
using machines::MachineResult;

constexpr std::string_view kNotCountedHere = "not counted on this machine";

// One value of each machine for each benchmark; machines without any value have no colour.
report::Bars MachineDots(const Comparison& comparison, const BenchmarkNames& names, auto value_of) {
  report::Bars dots;
  dots.dots = true;
  for (const BenchmarkResult& result : comparison.benchmarks) {
    report::Bar row{names[dots.bars.size()], {}};
    for (const auto& machine : result.machines) {
      row.values.push_back(machine ? value_of(result, *machine)
                                   : Absent(std::string(kNotCountedHere)));
    }
    dots.bars.push_back(std::move(row));
  }
  for (const std::string& machine : comparison.machines) {
    dots.segments.push_back(Printable(machine));
  }
  return dots;
}

}  // namespace

report::Bars DeviationDots(const Comparison& comparison, const BenchmarkNames& names) {
  report::Bars dots = MachineDots(
      comparison, names, [](const BenchmarkResult& result, const MachineResult& machine) {
        if (result.averaged == 0) return Absent("every machine that counted it is excluded");
        Measured delta = machine.delta;
        if (!machine.doubt.empty()) delta = Doubtful(delta, machine.doubt);
        return delta.HasInterval() ? delta
                                   : Doubtful(delta, "no interval: a machine has only one run");
      });
  dots.id = "deviations";
  dots.title = "Difference of each machine from the mean of the machines";
  return dots;
}

report::Bars WithinDots(const Comparison& comparison, const BenchmarkNames& names) {
  report::Bars dots =
      MachineDots(comparison, names, [](const BenchmarkResult&, const MachineResult& machine) {
        return machine.within ? *machine.within : Absent("one run");
      });
  dots.id = "deviations_within";
  dots.title = "Standard deviation of each machine over its runs";
  return dots;
}

report::Bars VariationDots(const Comparison& comparison, const std::vector<VariationRow>& rows) {
  report::Bars dots{"variation", "Coefficient of variation between machines", "%", {}, {}};
  dots.dots = true;
  for (const VariationRow& row : rows) {
    if (std::ranges::find(dots.segments, row.group) == dots.segments.end()) {
      dots.segments.push_back(row.group);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchmarkResult& result = comparison.benchmarks[i];
    auto bar = std::ranges::find(dots.bars, rows[i].name, &report::Bar::name);
    if (bar == dots.bars.end()) {
      const Measured none = Absent("not counted");
      dots.bars.push_back({rows[i].name, std::vector(dots.segments.size(), none)});
      bar = dots.bars.end() - 1;
    }
    const auto group = std::ranges::find(dots.segments, rows[i].group) - dots.segments.begin();
    const auto relative = result.Relative(result.between);
    bar->values[static_cast<std::size_t>(group)] =
        relative ? Scaled(*relative, 100) : Absent("fewer than two machines, or the mean is 0");
  }
  return dots;
}

}  // namespace tare::cli
