// count_samples.cc: rows of the runs of each engine.
#include "cli/commands/count/count_samples.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/printable.h"
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

}  // namespace

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
