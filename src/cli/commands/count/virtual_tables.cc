// virtual_tables.cc: events and the accesses that they are a share of.
#include "cli/commands/count/virtual_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/check.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "model/core/modelled_events.h"

namespace tare::cli {
namespace {

using count::EngineCounts;
using count::Metric;
using model::EventText;

constexpr auto kColumns = std::to_array<std::string_view>(
    {"l1i-misses", "l1d-misses", "l2-misses", "l3-misses", "mispredictions"});

const EventText& TextOf(std::string_view id) {
  const auto found = std::ranges::find(model::EventTable(), id, &EventText::id);
  CHECK(found != model::EventTable().end());
  return *found;
}

// The base of an event's share: the sum of metrics and other events.
struct Base {
  std::string_view id;
  std::string_view of;
  std::vector<Metric> metrics = {};
  std::vector<std::string_view> events = {};
};

const std::vector<Base>& Bases() {
  static const std::vector<Base> bases = {
      {"l1i-misses", "instructions", {Metric::kInstructions}},
      {"l1d-load-misses", "loads", {Metric::kLoads}},
      {"l1d-store-misses", "stores", {Metric::kStores}},
      {"l1d-misses", "loads and stores", {Metric::kLoads, Metric::kStores}},
      {"l2-instruction-misses", "l1i-misses", {}, {"l1i-misses"}},
      {"l2-data-misses", "l1d-misses", {}, {"l1d-misses"}},
      {"l2-misses", "misses of the first level", {}, {"l1i-misses", "l1d-misses"}},
      {"l3-instruction-misses", "l2-instruction-misses", {}, {"l2-instruction-misses"}},
      {"l3-data-misses", "l2-data-misses", {}, {"l2-data-misses"}},
      {"l3-misses", "l2-misses", {}, {"l2-misses"}},
      {"itlb-misses", "instructions", {Metric::kInstructions}},
      {"dtlb-misses", "loads and stores", {Metric::kLoads, Metric::kStores}},
      {"instruction-walks", "itlb-misses", {}, {"itlb-misses"}},
      {"data-walks", "dtlb-misses", {}, {"dtlb-misses"}},
      {"prefetches-used", "prefetches", {}, {"prefetches"}},
      {"conditional-mispredictions", "conditional branches", {Metric::kConditionalBranches}},
      {"return-mispredictions", "returns", {Metric::kReturns}},
      {"mispredictions",
       "branches, calls and returns",
       {Metric::kConditionalBranches, Metric::kUnconditionalBranches, Metric::kCalls,
        Metric::kReturns}},
  };
  return bases;
}

class Rows {
 public:
  Rows(const EngineCounts& counts, const model::Processor& processor, bool with_source,
       report::Table& table)
      : counts_(counts), processor_(processor), with_source_(with_source), table_(table) {}

  void AddMetric(Metric metric, std::string_view name) {
    std::vector<double> values;
    for (const auto& run : counts_.runs) values.push_back(static_cast<double>(run[metric]));
    Add(name, CellOf(values), PerThousand(values), {}, "");
  }

  void AddEvent(const EventText& text) {
    const std::string absence = model::WhyAbsent(processor_, text, InputsOf(counts_));
    if (!absence.empty()) {
      Add(text.id, Absent(absence), Absent(absence), Absent(absence), "");
      return;
    }
    const std::vector<double> values = Values(text);
    const auto base = std::ranges::find(Bases(), text.id, &Base::id);
    if (base == Bases().end()) {
      Add(text.id, CellOf(values), PerThousand(values),
          Absent("its base is not counted separately"), "");
      return;
    }
    Add(text.id, CellOf(values), PerThousand(values), Share(values, *base), base->of);
  }

  void AddCycles() {
    const std::vector<double> values = CyclesOfRuns(counts_, processor_);
    if (values.empty()) return;
    const auto estimate = [](Measured cell) {
      cell.exact = false;
      return Doubtful(std::move(cell), std::string(kModelledCycles));
    };
    Add("cycles", estimate(Mean(values)), estimate(PerThousand(values)), {}, "");
  }

 private:
  std::vector<double> Values(const EventText& text) const {
    std::vector<double> values;
    for (const model::EventCounts& run : counts_.events) {
      values.push_back(static_cast<double>(Sum(run, text)));
    }
    return values;
  }

  static bool AllSame(const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  }

  static Measured Mean(const std::vector<double>& values) {
    Measured cell;
    double sum = 0;
    for (const double value : values) sum += value;
    cell.value = sum / static_cast<double>(values.size());
    cell.exact = AllSame(values);
    if (!cell.exact) {
      cell.low = std::ranges::min(values);
      cell.high = std::ranges::max(values);
    }
    return cell;
  }

  Measured AddDoubt(Measured cell) const {
    cell = WithCaveats(std::move(cell), counts_.caveats);
    if (counts_.runs.size() < 2 && cell.verdict == Verdict::kValid) {
      return Doubtful(std::move(cell), "only one run; repeat to see whether it varies");
    }
    return cell;
  }

  Measured CellOf(const std::vector<double>& values) const {
    Measured cell = Mean(values);
    if (cell.exact) cell = Count(static_cast<std::uint64_t>(values.front()));
    return AddDoubt(std::move(cell));
  }

  // Ratios of each run's value to the same run's base.
  Measured Ratio(const std::vector<double>& values, const std::vector<double>& bases,
                 double factor) const {
    if (std::ranges::any_of(bases, [](double base) { return base == 0; })) {
      return Absent("its base is 0");
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < values.size(); ++i) ratios.push_back(factor * values[i] / bases[i]);
    return AddDoubt(Mean(ratios));
  }

  Measured PerThousand(const std::vector<double>& values) const {
    std::vector<double> instructions;
    for (const auto& run : counts_.runs) {
      instructions.push_back(static_cast<double>(run[Metric::kInstructions]));
    }
    return Ratio(values, instructions, 1000);
  }

  Measured Share(const std::vector<double>& values, const Base& base) const {
    std::vector<double> bases(values.size(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const Metric metric : base.metrics) {
        bases[i] += static_cast<double>(counts_.runs[i][metric]);
      }
      for (const std::string_view id : base.events) {
        bases[i] += static_cast<double>(Sum(counts_.events[i], TextOf(id)));
      }
    }
    return Ratio(values, bases, 100);
  }

  void Add(std::string_view name, Measured count, Measured per_thousand, report::Cell share,
           std::string_view of) {
    table_.rows.push_back({std::string(name), std::move(count), std::move(per_thousand),
                           std::move(share), std::string(of)});
    if (with_source_)
      table_.rows.back().emplace_back(
          fmt::format("{} {}", engine::Name(counts_.engine), Printable(processor_.name)));
  }

  const EngineCounts& counts_;
  const model::Processor& processor_;
  bool with_source_;
  report::Table& table_;
};

}  // namespace

model::ModelInputs InputsOf(const EngineCounts& counts) {
  return counts.engine == engine::Engine::kCompiled ? model::ModelInputs::kData
                                                    : model::ModelInputs::kAll;
}

std::vector<double> CyclesOfRuns(const EngineCounts& counts, const model::Processor& processor) {
  std::vector<double> cycles;
  if (InputsOf(counts) == model::ModelInputs::kData) return cycles;
  for (std::size_t i = 0; i < counts.runs.size(); ++i) {
    cycles.push_back(
        model::EstimateCycles(processor, counts.runs[i][Metric::kInstructions], counts.events[i]));
  }
  return cycles;
}

std::vector<const EngineCounts*> ModelledCounts(const count::CountReport& report) {
  std::vector<const EngineCounts*> modelled;
  for (const EngineCounts& counts : report.engines) {
    if (counts.Usable() && !counts.events.empty()) modelled.push_back(&counts);
  }
  return modelled;
}

report::Table VirtualTable(const EngineCounts& counts, const model::Processor& processor,
                           bool all) {
  const bool by_program = InputsOf(counts) == model::ModelInputs::kData;
  report::Table table{by_program ? "streams" : "virtual",
                      fmt::format("Events of a modelled {}{}", Printable(processor.name),
                                  by_program ? ", from the program's own stream" : ""),
                      {{"event"}, {"count"}, {"per_1000"}, {"share", "%"}, {"of"}},
                      {}};
  if (all) table.columns.push_back({"source"});
  Rows rows(counts, processor, all, table);
  rows.AddMetric(Metric::kInstructions, "instructions");
  rows.AddMetric(Metric::kLoads, "loads");
  rows.AddMetric(Metric::kStores, "stores");
  rows.AddMetric(Metric::kConditionalBranches, "branches");
  for (const EventText& text : model::EventTable()) {
    if (all || text.main) rows.AddEvent(text);
  }
  rows.AddCycles();
  return table;
}

namespace {

// The usual ones, and the one of the order.
std::vector<std::string_view> ListedEvents(const EventColumns& columns) {
  std::vector<std::string_view> ids(kColumns.begin(), kColumns.end());
  if (columns.sorted_by != nullptr && std::ranges::find(ids, columns.sorted_by->id) == ids.end()) {
    ids.insert(ids.begin(), columns.sorted_by->id);
  }
  return ids;
}

}  // namespace

void AddEventColumns(const EventColumns& events, std::vector<report::Column>& columns) {
  for (const std::string_view id : ListedEvents(events)) {
    std::string name(id);
    std::ranges::replace(name, '-', '_');
    report::Column column{std::move(name)};
    column.keep = events.sorted_by != nullptr && id == events.sorted_by->id;
    columns.push_back(std::move(column));
  }
}

void AddEventCells(const model::EventCounts& events, const EventColumns& columns,
                   std::vector<report::Cell>& row) {
  for (const std::string_view id : ListedEvents(columns)) {
    const EventText& text = TextOf(id);
    const std::string absence = model::WhyAbsent(columns.processor, text, columns.inputs);
    row.emplace_back(absence.empty() ? Count(Sum(events, text)) : Absent(absence));
  }
}

std::string VirtualSummary(const model::Processor& processor) {
  std::string text = fmt::format(" Events come from a model of {}", Printable(processor.name));
  text +=
      processor.page_bytes == model::kLargePage ? " with pages of 2 MiB." : " with pages of 4 KiB.";
  if (!processor.assumed.empty()) {
    text += fmt::format(" Assumed: {}.",
                        Printable(fmt::format("{}", fmt::join(processor.assumed, "; "))));
  }
  return text;
}

}  // namespace tare::cli
