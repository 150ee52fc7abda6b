// count_samples.cc: rows of the runs of each engine.
#include "cli/commands/count/count_samples.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/printable.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/count/virtual_tables.h"
#include "measure/count/native_summary.h"

namespace tare::cli {
namespace {

Number WholeOr(double value) {
  if (value == std::trunc(value) && std::abs(value) < 0x1p53) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

class Samples {
 public:
  explicit Samples(report::Table& table) : table_(table) {}

  void Add(std::string_view engine, std::string_view metric, std::string_view unit,
           std::span<const double> values) {
    if (values.size() < 2) return;
    for (std::size_t run = 0; run < values.size(); ++run) {
      Measured value{.value = WholeOr(values[run])};
      value.unit = unit;
      table_.rows.push_back({std::string(engine), Printable(metric),
                             Number{static_cast<std::int64_t>(run + 1)}, std::move(value)});
    }
  }

 private:
  report::Table& table_;
};

std::vector<double> ValuesOf(const count::EngineCounts& counts, count::Metric metric) {
  std::vector<double> values;
  for (const count::MetricCounts& run : counts.runs) {
    values.push_back(static_cast<double>(run[metric]));
  }
  return values;
}

Measured MeanOfEvent(const count::EngineCounts& counts, const model::EventText& text,
                     const model::Processor& processor) {
  if (counts.events.empty()) return Absent("the engine fed no models");
  if (auto absence = model::WhyAbsent(processor, text, InputsOf(counts)); !absence.empty()) {
    return Absent(std::move(absence));
  }
  double low = HUGE_VAL;
  double high = 0;
  double sum = 0;
  for (const model::EventCounts& run : counts.events) {
    const auto value = static_cast<double>(Sum(run, text));
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  Measured mean{.value = WholeOr(sum / static_cast<double>(counts.events.size()))};
  mean.exact = low == high;
  if (!mean.exact) {
    mean.low = low;
    mean.high = high;
  }
  return mean;
}

void AddModelled(const count::EngineCounts& counts, const model::Processor& processor,
                 Samples& samples) {
  for (const model::EventText& text : model::EventTable()) {
    if (!model::WhyAbsent(processor, text, InputsOf(counts)).empty()) continue;
    std::vector<double> values;
    for (const model::EventCounts& run : counts.events) {
      values.push_back(static_cast<double>(Sum(run, text)));
    }
    samples.Add(engine::Name(counts.engine), text.id, "", values);
  }
}

// Adds a row, unless it is 0 everywhere.
void AddDots(std::string_view name, std::vector<Measured> values, report::Bars& dots) {
  const bool any = std::ranges::any_of(
      values, [](const Measured& value) { return value.value && value.Value() > 0; });
  if (any) dots.bars.push_back({std::string(name), std::move(values)});
}

}  // namespace

report::Bars CountDots(const count::CountReport& report, std::span<const count::Metric> metrics,
                       const std::optional<model::Processor>& processor) {
  report::Bars dots{"counts_plot", "Counts by engine, plotted", "", {}, {}};
  dots.dots = true;
  std::vector<const count::EngineCounts*> engines;
  for (const count::EngineCounts& counts : report.engines) {
    if (!counts.Usable()) continue;
    engines.push_back(&counts);
    dots.segments.emplace_back(engine::Name(counts.engine));
  }
  for (const count::Metric metric : metrics) {
    const count::MetricText& text = count::MetricTable()[static_cast<std::size_t>(metric)];
    if (!text.unit.empty()) continue;
    std::vector<Measured> values;
    for (const count::EngineCounts* counts : engines) values.push_back(MeanCell(*counts, metric));
    AddDots(text.id, std::move(values), dots);
  }
  if (!processor || ModelledCounts(report).empty()) return dots;
  for (const model::EventText& text : model::EventTable()) {
    if (!text.main) continue;
    std::vector<Measured> values;
    for (const count::EngineCounts* counts : engines) {
      values.push_back(MeanOfEvent(*counts, text, *processor));
    }
    AddDots(text.id, std::move(values), dots);
  }
  return dots;
}

report::Table CountSamplesTable(const count::CountReport& report,
                                std::span<const count::Metric> metrics,
                                const std::optional<model::Processor>& processor) {
  report::Table table{
      "samples", "All counted runs", {{"engine"}, {"metric"}, {"run"}, {"value"}}, {}};
  Samples samples(table);
  for (const count::EngineCounts& counts : report.engines) {
    if (!counts.Usable()) continue;
    for (const count::Metric metric : metrics) {
      const count::MetricText& text = count::MetricTable()[static_cast<std::size_t>(metric)];
      samples.Add(engine::Name(counts.engine), text.id, text.unit, ValuesOf(counts, metric));
    }
    if (processor && !counts.events.empty()) AddModelled(counts, *processor, samples);
  }
  for (const count::NativeEvent& event : count::NativeEventsOf(report.native_runs)) {
    samples.Add(event.engine, event.event, event.unit, event.values);
  }
  return table;
}

}  // namespace tare::cli
