// timing_export.cc: the tables `samples` and `resources` of comparisons.
#include "report/timing_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/json_writer.h"
#include "base/printable.h"
#include "report/table_cells.h"

namespace tare::report {
namespace {

// The runs of one command. Times are in seconds.
struct TimedCommand {
  std::string name;
  std::vector<double> times;
  std::optional<double> user;
  std::optional<double> system;
};

const Measured* NumberAt(const std::vector<Cell>& row, std::size_t column) {
  const auto* measured = std::get_if<Measured>(&row[column]);
  return measured != nullptr && measured->value ? measured : nullptr;
}

void ReadResources(const Document& document, std::vector<TimedCommand>& commands) {
  const Table* table = FindTable(document, "resources");
  if (table == nullptr) return;
  for (TimedCommand& command : commands) {
    const auto column = FindColumn(*table, command.name);
    if (!column) continue;
    for (const auto& row : table->rows) {
      const Measured* value = NumberAt(row, *column);
      if (value == nullptr) continue;
      if (TextAt(row, 0) == "user time") command.user = value->Value();
      if (TextAt(row, 0) == "system time") command.system = value->Value();
    }
  }
}

Result<std::vector<TimedCommand>> TimedCommands(const PageResult& result) {
  const Table* samples = FindTable(result.document, "samples");
  const auto command = samples != nullptr ? FindColumn(*samples, "command") : std::nullopt;
  const auto time = samples != nullptr ? FindColumn(*samples, "time") : std::nullopt;
  std::vector<TimedCommand> commands;
  if (command && time) {
    for (const auto& row : samples->rows) {
      const Measured* value = NumberAt(row, *time);
      const std::string name = TextAt(row, *command);
      if (value == nullptr || name.empty()) continue;
      auto own = std::ranges::find(commands, name, &TimedCommand::name);
      if (own == commands.end()) own = commands.insert(own, {name, {}, {}, {}});
      own->times.push_back(value->Value());
    }
  }
  if (commands.empty()) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: has no times of runs; use a result of tare compare",
                            result.name.empty() ? "the result" : Printable(result.name)));
  }
  ReadResources(result.document, commands);
  return commands;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Of a sample; nothing for a single value.
std::optional<double> DeviationOf(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double mean = MeanOf(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

class BenchmarkWriter : private JsonWriter {
 public:
  std::string Write(std::span<const PageResult> results,
                    std::span<const std::vector<TimedCommand>> all) {
    Raw("{\n  \"context\": {");
    const Provenance& provenance = results.front().document.provenance;
    TextField("date", provenance.time);
    TextField("host_name", provenance.machine);
    TextField("executable", "tare");
    Raw("},\n  \"benchmarks\": [");
    for (const auto& commands : all) {
      for (const TimedCommand& command : commands) WriteCommand(command, family_++);
    }
    Raw("\n  ]\n}\n");
    return Take();
  }

 private:
  void Open(const TimedCommand& command, std::string_view suffix, std::string_view type,
            std::size_t family) {
    Raw(first_ ? "\n    {" : ",\n    {");
    first_ = false;
    TextField("name", suffix.empty() ? command.name : fmt::format("{}_{}", command.name, suffix));
    WholeField("family_index", family);
    WholeField("per_family_instance_index", 0);
    TextField("run_name", command.name);
    TextField("run_type", type);
    WholeField("repetitions", command.times.size());
  }

  // The processor time of single runs is not known: the mean of all is used.
  void Times(const TimedCommand& command, double real) {
    const bool known = command.user && command.system;
    Key("real_time");
    Real(real);
    Key("cpu_time");
    Real(known ? *command.user + *command.system : real);
    TextField("time_unit", "s");
    Raw("}");
  }

  void WriteCommand(const TimedCommand& command, std::size_t family) {
    for (std::size_t i = 0; i < command.times.size(); ++i) {
      Open(command, "", "iteration", family);
      WholeField("repetition_index", i);
      WholeField("threads", 1);
      WholeField("iterations", 1);
      Times(command, command.times[i]);
    }
    const auto aggregate = [&](std::string_view name, std::optional<double> value) {
      if (!value) return;
      Open(command, name, "aggregate", family);
      WholeField("threads", 1);
      TextField("aggregate_name", name);
      TextField("aggregate_unit", "time");
      WholeField("iterations", command.times.size());
      Times(command, *value);
    };
    aggregate("mean", MeanOf(command.times));
    aggregate("median", MedianOf(command.times));
    aggregate("stddev", DeviationOf(command.times));
  }

  bool first_ = true;
  std::size_t family_ = 0;
};

class HyperfineWriter : private JsonWriter {
 public:
  std::string Write(std::span<const std::vector<TimedCommand>> all) {
    Raw("{\n  \"results\": [");
    for (const auto& commands : all) {
      for (const TimedCommand& command : commands) WriteCommand(command);
    }
    Raw("\n  ]\n}\n");
    return Take();
  }

 private:
  void Maybe(std::string_view name, const std::optional<double>& value) {
    Key(name);
    if (value) {
      Real(*value);
    } else {
      Raw("null");
    }
  }

  void WriteCommand(const TimedCommand& command) {
    Raw(first_ ? "\n    {" : ",\n    {");
    first_ = false;
    TextField("command", command.name);
    Maybe("mean", MeanOf(command.times));
    Maybe("stddev", DeviationOf(command.times));
    Maybe("median", MedianOf(command.times));
    Maybe("user", command.user.value_or(0));
    Maybe("system", command.system.value_or(0));
    Maybe("min", std::ranges::min(command.times));
    Maybe("max", std::ranges::max(command.times));
    Key("times");
    Inline(command.times, [this](double time) { Real(time); });
    // tare compare times only runs that succeed, unless the user asked for others.
    Key("exit_codes");
    Inline(command.times, [this](double) { Raw("0"); });
    Raw("}");
  }

  bool first_ = true;
};

Result<std::vector<std::vector<TimedCommand>>> AllTimed(std::span<const PageResult> results) {
  std::vector<std::vector<TimedCommand>> all;
  for (const PageResult& result : results) {
    TRY(auto commands, TimedCommands(result));
    all.push_back(std::move(commands));
  }
  return all;
}

}  // namespace

Result<std::string> ToGoogleBenchmark(std::span<const PageResult> results) {
  TRY(const auto all, AllTimed(results));
  return BenchmarkWriter().Write(results, all);
}

Result<std::string> ToHyperfine(std::span<const PageResult> results) {
  TRY(const auto all, AllTimed(results));
  return HyperfineWriter().Write(all);
}

}  // namespace tare::report
