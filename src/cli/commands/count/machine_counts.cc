// machine_counts.cc: one run per processor, then a row each.
#include "cli/commands/count/machine_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/count/virtual_tables.h"
#include "machine/host/engine_files.h"
#include "model/core/modelled_events.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using count::Metric;

const model::EventText& EventNamed(std::string_view id) {
  return *std::ranges::find(model::EventTable(), id, &model::EventText::id);
}

double PerThousandOf(const MachineCount& machine, std::string_view event) {
  const double instructions =
      static_cast<double>(machine.counts.tally.total[Metric::kInstructions]);
  const auto events = static_cast<double>(Sum(machine.counts.tally.events, EventNamed(event)));
  return instructions > 0 ? 1000 * events / instructions : 0;
}

// Misses of the levels that this processor has.
std::vector<std::string_view> MissEvents(const model::Processor& processor) {
  std::vector<std::string_view> events = {"l1d-misses"};
  if (processor.l2) events.push_back("l2-misses");
  if (processor.l3) events.push_back("l3-misses");
  return events;
}

report::Table MachineTable(const std::vector<MachineCount>& machines, bool changes) {
  report::Table table{"machines",
                      changes ? "Events on changed processors" : "Events on several processors",
                      {{changes ? "change" : "machine"}, report::Detail({"instructions"})},
                      {},
                      true};
  AddEventColumns({*machines.front().processor}, table.columns);
  for (const MachineCount& machine : machines) {
    std::vector<report::Cell> row = {Printable(machine.name),
                                     Count(machine.counts.tally.total[Metric::kInstructions])};
    AddEventCells(machine.counts.tally.events,
                  {*machine.processor, InputsOf(machine.counts), nullptr, false}, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Whether a rate that was `from` is another.
bool Moves(double from, double to) { return from != to && !(std::abs(to / from - 1) < 0.01); }

report::Series ChangePlot(const std::vector<MachineCount>& machines,
                          const model::ProcessorRange& range, bool all) {
  report::Series plot{"change",
                      fmt::format("Misses per 1000 instructions by {}", range.ranged),
                      {range.ranged, range.unit},
                      true,
                      {},
                      false,
                      {}};
  for (const std::string_view event : MissEvents(*machines.front().processor)) {
    report::Line line{std::string(event), "per 1000", {}, {}, {}, {}};
    for (std::size_t i = 1; i < machines.size(); ++i) {
      line.x.push_back(machines[i].x);
      line.y.push_back(PerThousandOf(machines[i], event));
    }
    plot.lines.push_back(std::move(line));
  }
  if (all) return plot;
  // A line that stays where it is takes the scale from those that move.
  const auto stays = [](const report::Line& line) {
    return !Moves(std::ranges::min(line.y), std::ranges::max(line.y));
  };
  if (!std::ranges::all_of(plot.lines, stays)) std::erase_if(plot.lines, stays);
  return plot;
}

std::string RangeAnswer(const std::vector<MachineCount>& machines) {
  std::string text;
  const MachineCount& first = machines[1];
  const MachineCount& last = machines.back();
  for (const std::string_view event : MissEvents(*first.processor)) {
    const double from = PerThousandOf(first, event);
    const double to = PerThousandOf(last, event);
    if (!Moves(from, to)) continue;
    text += fmt::format("{}{} go from {} to {} per 1000 instructions", text.empty() ? "" : ", ",
                        event, report::ShowRounded(from, 3), report::ShowRounded(to, 3));
  }
  if (text.empty()) {
    return fmt::format("From {} to {}, no miss count changes by 1 %.", Printable(first.name),
                       Printable(last.name));
  }
  return fmt::format("From {} to {}, {}.", Printable(first.name), Printable(last.name), text);
}

// For each level: where it misses least and most.
std::string MachinesAnswer(const std::vector<MachineCount>& machines) {
  std::string text;
  for (const std::string_view event : MissEvents(*machines.front().processor)) {
    const MachineCount* least = nullptr;
    const MachineCount* most = nullptr;
    for (const MachineCount& machine : machines) {
      const auto absence =
          model::WhyAbsent(*machine.processor, EventNamed(event), InputsOf(machine.counts));
      if (!absence.empty()) continue;
      const double rate = PerThousandOf(machine, event);
      if (least == nullptr || rate < PerThousandOf(*least, event)) least = &machine;
      if (most == nullptr || rate > PerThousandOf(*most, event)) most = &machine;
    }
    if (least == nullptr) continue;
    if (!Moves(PerThousandOf(*least, event), PerThousandOf(*most, event))) continue;
    const std::string fewest = report::ShowRounded(PerThousandOf(*least, event), 3);
    const std::string highest = report::ShowRounded(PerThousandOf(*most, event), 3);
    text += fmt::format("{}{} {} ({}) to {} ({})", text.empty() ? "" : ", ", event, fewest,
                        Printable(least->name), highest, Printable(most->name));
  }
  if (text.empty()) return "No miss count differs by 1 % or more.";
  return fmt::format("Fewest and most per 1000 instructions: {}.", text);
}

}  // namespace

Result<std::vector<MachineCount>> CountMachines(const count::CountRequest& request,
                                                const Models& models,
                                                const count::CountReport& report,
                                                count::Images& images, const Progress& progress) {
  std::vector<MachineCount> machines;
  const auto modelled = ModelledCounts(report);
  if (modelled.empty()) return machines;
  machines.push_back({models.processor->name, 0, &*models.processor, *modelled.front()});
  count::CountRequest again = request;
  again.engines = {engine::Engine::kVirtual};
  again.runs = 1;
  again.pass_output = false;
  again.events = false;
  again.more_events.clear();
  again.expected = report.ended;
  again.setting = report.setting;
  const auto files = host::FindEngineFiles();
  for (const model::ChangedProcessor& other : models.others.processors) {
    again.processor = other.processor;
    TRY(auto counted, count::CountProgram(again, files, images, progress));
    if (!counted.engines.front().Usable()) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}: {}", Printable(other.text), counted.engines.front().absence));
    }
    machines.push_back({other.text, other.x, &other.processor, std::move(counted.engines.front())});
  }
  return machines;
}

void AddMachineCounts(const std::vector<MachineCount>& machines, const Models& models, bool all,
                      report::Document& document) {
  if (machines.size() < 2) return;
  const bool is_range = !models.others.ranged.empty();
  if (is_range && machines.size() > 2) {
    document.blocks.emplace_back(report::Text{"answer", RangeAnswer(machines)});
  } else {
    document.blocks.emplace_back(report::Text{"answer", MachinesAnswer(machines)});
  }
  document.blocks.emplace_back(MachineTable(machines, models.changes));
  if (is_range) document.blocks.emplace_back(ChangePlot(machines, models.others, all));
}

}  // namespace tare::cli
