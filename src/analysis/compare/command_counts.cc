// command_counts.cc: counts with the cheapest exact engine, and joins functions by name.
#include "analysis/compare/command_counts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

#include "measure/engine/usable_engines.h"

namespace tare::compare {
namespace {

// For longer programs, Valgrind's start-up of a quarter of a second pays off.
constexpr double kWorthValgrind = 0.1;

Measured Counted(std::uint64_t count) { return Exact(static_cast<std::int64_t>(count)); }

// The engines to try, cheapest first.
engine::UsableEngines EnginesFor(const CountPlan& plan, double native_seconds) {
  if (plan.engine) return {{*plan.engine}, ""};
  engine::UsableEngines usable = engine::ExactEnginesHere(plan.files);
  if (native_seconds > kWorthValgrind) std::ranges::reverse(usable.engines);
  return usable;
}

void AddEngineCounts(const count::EngineCounts& counts, CommandCounts& all) {
  const std::string source(engine::Name(counts.engine));
  const bool repeats = counts.unrepeatable.empty();
  for (const count::MetricText& text : count::MetricTable()) {
    if (!text.main) continue;
    Measured value = Counted(counts.runs.front()[text.metric]);
    if (!repeats) value = Doubtful(value, "the counts differ from run to run");
    all.metrics.push_back({std::string(text.id), std::string(text.unit), source, value});
  }
  std::map<std::string, std::uint64_t> functions;
  for (const auto& [key, function] : counts.tally.functions) {
    functions[function.function] += function.metrics[count::Metric::kInstructions];
  }
  for (const auto& [name, instructions] : functions) all.functions.push_back({name, instructions});
}

void AddEvents(const count::EngineCounts& counts, CommandCounts& all) {
  for (const model::EventText& text : model::EventTable()) {
    all.metrics.push_back({std::string(text.id), "", std::string(engine::Name(counts.engine)),
                           Counted(model::Sum(counts.events.front(), text))});
  }
}

void AddNative(const std::vector<pmu::MetricCount>& counts, const char* source,
               CommandCounts& all) {
  for (const pmu::MetricCount& count : counts) {
    if (!count.count.value) continue;
    all.metrics.push_back(
        {count.metric, count.unit, source, Unbounded(static_cast<double>(*count.count.value))});
  }
}

void AddNativeCounts(const count::CountReport& report, CommandCounts& all) {
  if (!report.native) return;
  AddNative(report.native->hardware, "hardware", all);
  AddNative(report.native->kernel, "kernel", all);
}

// The exact counts come first.
void AddReport(const count::CountReport& report, CommandCounts& all) {
  all.absence.clear();
  std::vector<MetricValue> native;
  std::swap(native, all.metrics);
  for (const count::EngineCounts& counts : report.engines) {
    if (!counts.Usable()) continue;
    if (counts.engine != engine::Engine::kVirtual) {
      AddEngineCounts(counts, all);
    } else if (!counts.events.empty()) {
      AddEvents(counts, all);
    }
    all.caveats.insert(all.caveats.end(), counts.caveats.begin(), counts.caveats.end());
  }
  std::ranges::move(native, std::back_inserter(all.metrics));
}

}  // namespace

const MetricValue* CommandCounts::Find(std::string_view metric) const {
  const auto found = std::ranges::find(metrics, metric, &MetricValue::metric);
  return found == metrics.end() ? nullptr : &*found;
}

Result<CommandCounts> CountCommand(const run::ResolvedProgram& program, const run::Setting& setting,
                                   double native_seconds, const CountPlan& plan,
                                   const Progress& progress) {
  CommandCounts all;
  const auto usable = EnginesFor(plan, native_seconds);
  all.absence = usable.absence;
  count::CountRequest request;
  request.program = program;
  request.setting = run::WithDiscardedOutput(setting);
  request.processor = plan.processor;
  request.runs = 1;
  request.first_engine_runs = plan.twice ? 2 : 1;
  request.native_seconds = native_seconds;
  request.engine_seconds = plan.engine_seconds;
  request.children = true;
  request.interrupted = plan.interrupted;
  // An engine may not support what the program does, such as execve; then the next is tried.
  for (const engine::Engine engine : usable.engines) {
    request.engines = {engine};
    if (plan.processor) request.engines.push_back(engine::Engine::kVirtual);
    const auto counted = count::CountProgram(request, plan.files, *plan.images, progress);
    if (!counted) {
      if (counted.error().kind == ErrorKind::kInterrupted) return std::unexpected(counted.error());
      all.absence = counted.error().message;
      continue;
    }
    if (request.events) AddNativeCounts(*counted, all);
    request.events = false;
    if (!counted->engines.front().Usable()) {
      all.absence = counted->engines.front().absence;
      continue;
    }
    AddReport(*counted, all);
    return all;
  }
  return all;
}

std::vector<FunctionDifference> DifferencesOf(const CommandCounts& first,
                                              const CommandCounts& second) {
  std::map<std::string, FunctionDifference> joined;
  for (const FunctionCount& count : first.functions) {
    joined[count.function].first = static_cast<std::int64_t>(count.instructions);
  }
  for (const FunctionCount& count : second.functions) {
    joined[count.function].second = static_cast<std::int64_t>(count.instructions);
  }
  std::vector<FunctionDifference> differences;
  for (auto& [name, difference] : joined) {
    if (difference.Difference() == 0) continue;
    difference.function = name;
    differences.push_back(difference);
  }
  std::ranges::sort(differences, [](const auto& a, const auto& b) {
    const auto size_a = std::llabs(a.Difference());
    const auto size_b = std::llabs(b.Difference());
    return size_a != size_b ? size_a > size_b : a.function < b.function;
  });
  return differences;
}

}  // namespace tare::compare
