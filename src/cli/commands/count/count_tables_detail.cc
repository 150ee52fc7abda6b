// count_tables_detail.cc: counts by function, block and opcode.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/count/virtual_tables.h"

namespace tare::cli {
namespace {

using count::EngineCounts;
using count::Metric;

Measured Share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return Absent("nothing was counted");
  return Known(100 * static_cast<double>(part) / static_cast<double>(whole));
}

// Of what the rows are sorted by: an event, or else instructions.
Measured ShareOfSorted(std::uint64_t instructions, const model::EventCounts& counted,
                       const count::Tally& tally, const std::optional<EventColumns>& events) {
  if (!events || events->sorted_by == nullptr) {
    return Share(instructions, tally.total[Metric::kInstructions]);
  }
  const model::EventText& text = *events->sorted_by;
  if (const auto absence = model::WhyAbsent(events->processor, text, events->inputs);
      !absence.empty()) {
    return Absent(absence);
  }
  return Share(Sum(counted, text), Sum(tally.events, text));
}

std::string FileName(const std::string& object) {
  return Printable(object.substr(object.rfind('/') + 1));
}

std::size_t Shown(std::size_t rows, std::size_t max_rows) {
  return max_rows == 0 ? rows : std::min(rows, max_rows);
}

// The sort key of a row, largest first.
std::uint64_t Rank(std::uint64_t instructions, const model::EventCounts& counted,
                   const std::optional<EventColumns>& events) {
  if (!events || events->sorted_by == nullptr) return ~instructions;
  return ~Sum(counted, *events->sorted_by);
}

std::string Title(std::string_view what, std::string_view otherwise,
                  const std::optional<EventColumns>& events) {
  if (!events || events->sorted_by == nullptr) return fmt::format("{} by {}", what, otherwise);
  return fmt::format("{} by {}, and their share of them", what, events->sorted_by->id);
}

}  // namespace

report::Table FunctionTable(const count::Tally& tally, std::size_t max_rows,
                            const std::optional<EventColumns>& events) {
  report::Table table{
      "functions",
      Title("Functions", "instructions", events),
      {{"object"}, report::SymbolColumn("function"), {"instructions"}, {"share", "%"}},
      {}};
  const bool brief = events && events->brief;
  if (!brief) {
    table.columns.insert(table.columns.end(), {{"loads"}, {"stores"}, {"conditional_branches"}});
  }
  if (events) AddEventColumns(*events, table.columns);
  std::vector<const std::pair<const engine::FunctionKey, count::FunctionTally>*> rows;
  for (const auto& entry : tally.functions) rows.push_back(&entry);
  // Rows with equal keys are in the order of their objects and addresses.
  std::ranges::sort(rows, {}, [&](const auto* row) {
    return std::tuple(Rank(row->second.metrics[Metric::kInstructions], row->second.events, events),
                      std::string_view(row->first.object), row->first.start);
  });
  for (std::size_t i = 0; i < Shown(rows.size(), max_rows); ++i) {
    const auto& [key, function] = *rows[i];
    const std::uint64_t own = function.metrics[Metric::kInstructions];
    std::vector<report::Cell> row = {FileName(key.object),
                                     Printable(elf::Demangled(function.function)), Count(own),
                                     ShareOfSorted(own, function.events, tally, events)};
    if (!brief) {
      for (const Metric metric : {Metric::kLoads, Metric::kStores, Metric::kConditionalBranches}) {
        row.emplace_back(Count(function.metrics[metric]));
      }
    }
    if (events) AddEventCells(function.events, *events, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table BlockTable(const count::Tally& tally, std::size_t max_rows,
                         const std::optional<EventColumns>& events) {
  report::Table table{"blocks",
                      Title("Blocks", "instructions run", events),
                      {{"object"},
                       report::SymbolColumn("function"),
                       {"offset"},
                       {"instructions"},
                       {"executions"},
                       {"share", "%"}},
                      {}};
  if (events) AddEventColumns(*events, table.columns);
  std::vector<const count::BlockTally*> rows;
  for (const count::BlockTally& block : tally.blocks) rows.push_back(&block);
  const auto run = [](const count::BlockTally* block) {
    return block->instructions * block->executions;
  };
  std::ranges::sort(rows, {}, [&](const count::BlockTally* block) {
    return std::tuple(Rank(run(block), block->events, events), std::string_view(block->object),
                      block->offset);
  });
  for (std::size_t i = 0; i < Shown(rows.size(), max_rows); ++i) {
    const count::BlockTally& block = *rows[i];
    table.rows.push_back({FileName(block.object), Printable(elf::Demangled(block.function)),
                          fmt::format("{:#x}", block.offset), Count(block.instructions),
                          Count(block.executions),
                          ShareOfSorted(run(&block), block.events, tally, events)});
    if (events) AddEventCells(block.events, *events, table.rows.back());
  }
  return table;
}

report::Table OpcodeTable(const count::Tally& tally, std::size_t max_rows) {
  report::Table table{
      "opcodes", "Opcodes by executions", {{"opcode"}, {"executions"}, {"share", "%"}}, {}};
  std::vector<std::pair<std::string, std::uint64_t>> rows(tally.opcodes.begin(),
                                                          tally.opcodes.end());
  std::ranges::sort(rows, {}, [](const std::pair<std::string, std::uint64_t>& row) {
    return std::pair(~row.second, std::string_view(row.first));
  });
  for (std::size_t i = 0; i < Shown(rows.size(), max_rows); ++i) {
    table.rows.push_back({rows[i].first, Count(rows[i].second),
                          Share(rows[i].second, tally.total[Metric::kInstructions])});
  }
  return table;
}

const count::Tally& DetailedTally(const count::CountReport& report) {
  const auto modelled = ModelledCounts(report);
  return modelled.empty() ? report.engines[*report.reference].tally : modelled.front()->tally;
}

std::optional<report::Table> DetailTable(const std::string& per, const count::CountReport& report,
                                         const Models& models, std::size_t max_rows, bool brief) {
  if (!report.reference) return std::nullopt;
  const auto modelled = ModelledCounts(report);
  const count::Tally& tally = DetailedTally(report);
  std::optional<EventColumns> events;
  if (!modelled.empty()) {
    events.emplace(*models.processor, InputsOf(*modelled.front()), models.sorted_by, brief);
  }
  if (per == "function") return FunctionTable(tally, max_rows, events);
  if (per == "block") return BlockTable(tally, max_rows, events);
  if (per == "opcode") return OpcodeTable(tally, max_rows);
  return std::nullopt;
}

}  // namespace tare::cli
