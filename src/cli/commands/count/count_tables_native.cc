// count_tables_native.cc: events of the native runs, and cycles per instruction.
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "analysis/explain/clock_rates.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/count/virtual_tables.h"
#include "machine/host/system_files.h"
#include "measure/count/hardware_overcount.h"
#include "measure/count/native_summary.h"

namespace tare::cli {
namespace {

// The modelled cycles of each run, in the form of an event.
count::NativeEvent ModelledCycles(const count::EngineCounts& counts,
                                  const model::Processor& processor) {
  count::NativeEvent cycles;
  cycles.values = CyclesOfRuns(counts, processor);
  return cycles;
}

count::NativeEvent InstructionsOf(const count::EngineCounts& counts) {
  count::NativeEvent instructions;
  for (const count::MetricCounts& run : counts.runs) {
    instructions.values.push_back(static_cast<double>(run[count::Metric::kInstructions]));
  }
  return instructions;
}

}  // namespace

std::optional<HardwareCorrection> CorrectedHardware(const count::CountReport& report,
                                                    count::RepConvention convention,
                                                    double confidence) {
  const auto events = count::NativeEventsOf(report.native_runs);
  const auto mean = [&](std::string_view engine, std::string_view name) {
    const auto found = std::ranges::find_if(events, [&](const count::NativeEvent& event) {
      return event.engine == engine && event.event == name;
    });
    return found == events.end() ? Absent("not counted") : count::MeanOfRuns(*found, confidence);
  };
  const auto number = [&](std::string_view engine, std::string_view name) {
    const Measured measured = mean(engine, name);
    return measured.value ? std::optional(measured.Value()) : std::nullopt;
  };
  count::OvercountInputs inputs;
  inputs.instructions = mean("hardware", "instructions");
  if (!inputs.instructions.value || report.of_region) return std::nullopt;
  inputs.interrupts = number("hardware", "interrupts");
  inputs.page_faults = number("kernel", "page-faults");
  inputs.context_switches = number("kernel", "context-switches");
  if (const auto ns = number("kernel", "task-clock")) inputs.cpu_seconds = 1e-9 * *ns;
  if (report.reference) {
    const count::Tally& tally = report.engines[*report.reference].tally;
    inputs.fldcw = tally.total[count::Metric::kFldcw];
    for (const char* name : {"fldenv", "frstor"}) {
      const auto opcode = tally.opcodes.find(name);
      if (opcode != tally.opcodes.end()) inputs.other_control_loads += opcode->second;
    }
    inputs.rep_instructions = tally.total[count::Metric::kRepeatedInstructions];
    inputs.rep_iterations = tally.total[count::Metric::kRepeatIterations];
  }
  inputs.rep_per_iteration = convention == count::RepConvention::kPerIteration;
  if (const auto signature = pmu::ReadX86Signature(host::SystemFiles{})) {
    inputs.processor = *signature;
  }
  return HardwareCorrection{inputs.instructions, count::CorrectOvercount(inputs)};
}

report::Table EventsTable(const count::CountReport& report, count::RepConvention convention,
                          double confidence) {
  const std::span<const count::NativeCounts> runs = report.native_runs;
  report::Table table{"events",
                      runs.size() == 1 ? "Events of a native run" : "Events of the native runs",
                      {{"engine"}, {"event"}, {"count"}, {"sd"}, {"cv"}},
                      {}};
  if (runs.size() == 1) {
    for (std::size_t i = 3; i < table.columns.size(); ++i) table.columns[i].detail = true;
  }
  for (const count::NativeEvent& event : count::NativeEventsOf(runs)) {
    const count::Spread spread = count::SpreadOfRuns(event);
    table.rows.push_back({event.engine, Printable(event.event),
                          count::MeanOfRuns(event, confidence), spread.standard_deviation,
                          spread.variation});
    if (event.engine != "hardware" || event.event != "instructions") continue;
    const auto corrected = CorrectedHardware(report, convention, confidence);
    if (!corrected || corrected->count.causes.empty()) continue;
    const Measured none = Absent("see instructions");
    table.rows.push_back({event.engine, std::string("instructions-corrected"),
                          Doubtful(corrected->count.instructions,
                                   "without what the counter is known to add; see the ledger"),
                          none, none});
  }
  return table;
}

report::Table CyclesTable(const count::CountReport& report,
                          const std::optional<model::Processor>& processor, double confidence) {
  report::Table table{"cycles", "Cycles per instruction", {{"engine"}, {"cpi"}, {"ipc"}}, {}};
  const auto add = [&](std::string engine, count::CycleRatios ratios) {
    table.rows.push_back({std::move(engine), std::move(ratios.cpi), std::move(ratios.ipc)});
  };
  const auto cycles = count::HardwareEvent(report.native_runs, "cycles");
  const auto instructions = count::HardwareEvent(report.native_runs, "instructions");
  if (cycles && instructions) {
    add("hardware", count::CycleRatiosOf(*cycles, *instructions, confidence));
  }
  if (!processor) return table;
  for (const count::EngineCounts* modelled : ModelledCounts(report)) {
    const auto of_model = ModelledCycles(*modelled, *processor);
    if (of_model.values.empty()) continue;
    auto ratios = count::CycleRatiosOf(of_model, InstructionsOf(*modelled), confidence);
    ratios.cpi = Doubtful(std::move(ratios.cpi), std::string(kModelledCycles));
    ratios.ipc = Doubtful(std::move(ratios.ipc), std::string(kModelledCycles));
    add(std::string(engine::Name(modelled->engine)), std::move(ratios));
  }
  return table;
}

std::optional<double> StatedMhz(const host::SystemFiles& files) {
  // In kHz; the driver intel_pstate has it.
  const auto base = files.Line("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency");
  if (base) {
    if (const double khz = std::strtod(base->c_str(), nullptr); khz > 0) return khz / 1e3;
  }
  // "Intel(R) Xeon(R) CPU @ 2.10GHz"
  const std::string text = files.Text("/proc/cpuinfo").value_or("");
  const auto name = text.find("model name");
  const auto at = name == std::string::npos ? name : text.find("@ ", name);
  if (at == std::string::npos || text.substr(name, at - name).contains('\n')) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str() + at + 2, &end);
  if (!(number > 0)) return std::nullopt;
  if (std::string_view(end).starts_with("GHz")) return 1e3 * number;
  if (std::string_view(end).starts_with("MHz")) return number;
  return std::nullopt;
}

report::Table RatesTable(const count::CountReport& report, std::optional<double> stated_mhz,
                         double confidence) {
  report::Table table{"rates",
                      "Clock frequency and interrupts, by the program's processor time",
                      {{"rate"}, report::Kept({"value"}), {"stated", "MHz"}, {"error", "%"}},
                      {},
                      true};
  const count::NativeRates rates = count::RatesOf(report.native_runs, confidence);
  const Measured stated =
      stated_mhz ? Known(*stated_mhz) : Absent("the system states no frequency");
  Measured error = rates.clock_mhz.value ? stated : rates.clock_mhz;
  if (rates.clock_mhz.value && stated_mhz)
    error = Unbounded(explain::ClockError(*stated_mhz, rates.clock_mhz.Value()));
  table.rows.push_back({std::string("clock"), rates.clock_mhz, stated, error});
  const Measured none = Absent("no rate of interrupts is stated");
  table.rows.push_back({std::string("interrupts"), rates.interrupts_per_second, none, none});
  return table;
}

bool HasCycles(const report::Table& table) {
  return std::ranges::any_of(table.rows, [](const std::vector<report::Cell>& row) {
    return std::get<Measured>(row[1]).value.has_value();
  });
}

}  // namespace tare::cli
