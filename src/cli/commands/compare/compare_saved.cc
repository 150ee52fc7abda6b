// compare_saved.cc: reads the samples and counts of a saved comparison.
#include "cli/commands/compare/compare_saved.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/printable.h"
#include "report/json.h"

namespace tare::cli {
namespace {

constexpr std::uint64_t kMaxSavedBytes = std::uint64_t{1} << 28;

std::unexpected<Error> NotAComparison(std::string_view why) {
  return Fail(ErrorKind::kFormat, fmt::format("not a complete result of tare compare: {}", why));
}

// The cells of a table by the names of its columns.
class NamedCells {
 public:
  explicit NamedCells(const report::Table& table) : table_(table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) columns_[table.columns[i].name] = i;
  }

  Result<std::string> Text(std::size_t row, const std::string& column) const {
    TRY(const report::Cell* cell, At(row, column));
    if (const auto* text = std::get_if<std::string>(cell)) return *text;
    return NotAComparison(fmt::format("{} of {} is no text", column, table_.id));
  }

  Result<double> Real(std::size_t row, const std::string& column) const {
    TRY(const report::Cell* cell, At(row, column));
    if (const auto* number = std::get_if<Number>(cell)) return AsDouble(*number);
    if (const auto* measured = std::get_if<Measured>(cell); measured && measured->value) {
      return measured->Value();
    }
    return NotAComparison(fmt::format("{} of {} is no number", column, table_.id));
  }

  Result<Measured> Value(std::size_t row, const std::string& column) const {
    TRY(const report::Cell* cell, At(row, column));
    if (const auto* measured = std::get_if<Measured>(cell)) return *measured;
    if (const auto* number = std::get_if<Number>(cell)) return Unbounded(AsDouble(*number));
    return Absent("not in the file");
  }

 private:
  Result<const report::Cell*> At(std::size_t row, const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end() || found->second >= table_.rows[row].size()) {
      return NotAComparison(fmt::format("{} has no column {}", table_.id, column));
    }
    return &table_.rows[row][found->second];
  }

  const report::Table& table_;
  std::map<std::string, std::size_t> columns_;
};

std::size_t LabelIndex(const std::string& label, std::vector<std::string>& labels) {
  const auto found = std::ranges::find(labels, label);
  if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
  labels.push_back(label);
  return labels.size() - 1;
}

Result<std::size_t> Index(double number) {
  if (number >= 0 && number < 1e9 && number == static_cast<double>(static_cast<long>(number))) {
    return static_cast<std::size_t>(number);
  }
  return NotAComparison("a layout or run has no valid number");
}

// The runs of a round follow each other, each command once.
Result<void> ReadSamples(const report::Table& table, SavedComparison& saved) {
  const NamedCells cells(table);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    TRY(const std::string label, cells.Text(row, "command"));
    LabelIndex(label, saved.labels);
  }
  const std::size_t commands = saved.labels.size();
  if (commands == 0) return {};  // only counts
  for (std::size_t row = 0; row + commands <= table.rows.size(); row += commands) {
    compare::TimedRound timed;
    timed.round.seconds.resize(commands);
    timed.use.resize(commands);
    for (std::size_t i = row; i < row + commands; ++i) {
      TRY(const std::string label, cells.Text(i, "command"));
      TRY(const double layout, cells.Real(i, "layout"));
      TRY(const double seconds, cells.Real(i, "time"));
      TRY(const double build, cells.Real(i, "build"));
      TRY(timed.round.layout, Index(layout));
      TRY(timed.round.build, Index(build));
      if (!(seconds > 0)) return NotAComparison("a time is not above 0");
      const std::size_t command = LabelIndex(label, saved.labels);
      timed.round.seconds[command] = seconds;
      timed.order.push_back(command);
    }
    if (std::ranges::find(timed.round.seconds, 0.0) != timed.round.seconds.end()) {
      return NotAComparison("a round of runs lacks a command");
    }
    saved.rounds.push_back(std::move(timed));
  }
  return {};
}

Result<void> ReadCountRows(const report::Table& table, SavedComparison& saved) {
  const NamedCells cells(table);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    TRY(const std::string label, cells.Text(row, "command"));
    const std::size_t command = LabelIndex(label, saved.labels);
    if (saved.counts.size() <= command) saved.counts.resize(command + 1);
    compare::MetricValue metric;
    TRY(metric.metric, cells.Text(row, "metric"));
    TRY(metric.source, cells.Text(row, "source"));
    TRY(metric.value, cells.Value(row, "value"));
    metric.unit = metric.value.unit;
    if (metric.value.value) saved.counts[command].metrics.push_back(std::move(metric));
  }
  return {};
}

Result<void> ReadFunctions(const report::Table& table, SavedComparison& saved) {
  const NamedCells cells(table);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    TRY(const std::string label, cells.Text(row, "command"));
    TRY(const std::string function, cells.Text(row, "function"));
    TRY(const double instructions, cells.Real(row, "instructions"));
    const std::size_t command = LabelIndex(label, saved.labels);
    if (saved.counts.size() <= command) saved.counts.resize(command + 1);
    saved.counts[command].functions.push_back(
        {function, static_cast<std::uint64_t>(std::max(0.0, instructions))});
  }
  return {};
}

}  // namespace

Result<SavedComparison> ComparisonOf(const report::Document& document) {
  if (document.command != "compare") {
    return NotAComparison(fmt::format("it is one of tare {}", Printable(document.command)));
  }
  SavedComparison saved;
  saved.machine = document.provenance.machine;
  saved.kernel = document.provenance.kernel;
  saved.seed = document.provenance.seed.value_or(1);
  saved.fixed_layout = document.provenance.settings.contains("fixed-layout");
  const report::Table* samples = FindTable(document, "samples");
  const report::Table* counts = FindTable(document, "counts");
  if (samples == nullptr || counts == nullptr) return NotAComparison("it has no samples");
  TRY_VOID(ReadSamples(*samples, saved));
  TRY_VOID(ReadCountRows(*counts, saved));
  if (const report::Table* functions = FindTable(document, "function_counts")) {
    TRY_VOID(ReadFunctions(*functions, saved));
  }
  return saved;
}

Result<SavedComparison> ReadComparison(const std::string& path) {
  TRY(const auto text, ReadFile(path, kMaxSavedBytes));
  TRY(const auto document, InFile(path, report::FromJson(text)));
  return InFile(path, ComparisonOf(document));
}

Result<void> RequireSame(const SavedComparison& saved, const compare::CompareRequest& request,
                         const std::string& machine) {
  const auto differs = [](std::string_view what) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--resume: the saved comparison has {}; resume it with the options "
                            "that it was started with",
                            what));
  };
  if (saved.machine != machine) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--resume: the comparison was started on another machine, {}",
                            Printable(saved.machine)));
  }
  std::vector<std::string> labels;
  for (const auto& command : request.plan.commands) labels.push_back(command.label);
  std::vector<std::string> known = saved.labels;
  std::ranges::sort(labels);
  std::ranges::sort(known);
  if (!saved.rounds.empty() && labels != known) return differs("other commands");
  if (saved.seed != request.plan.seed) return differs("another --seed");
  if (saved.fixed_layout != request.fixed_layout) return differs("another --fixed-layout");
  return {};
}

std::vector<compare::TimedRound> InOrderOf(const SavedComparison& saved,
                                           const compare::CompareRequest& request) {
  std::vector<std::size_t> places(saved.labels.size());
  const auto& commands = request.plan.commands;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (std::size_t j = 0; j < saved.labels.size(); ++j) {
      if (saved.labels[j] == commands[i].label) places[j] = i;
    }
  }
  std::vector<compare::TimedRound> rounds;
  for (const compare::TimedRound& timed : saved.rounds) {
    compare::TimedRound placed = timed;
    for (std::size_t j = 0; j < places.size(); ++j) {
      placed.round.seconds[places[j]] = timed.round.seconds[j];
    }
    for (std::size_t& command : placed.order) command = places[command];
    rounds.push_back(std::move(placed));
  }
  return rounds;
}

compare::CompareReport WithBaseline(const SavedComparison& saved, compare::CompareReport measured,
                                    const compare::CompareRequest& request) {
  const auto same = std::ranges::find(saved.labels, measured.labels.front());
  const std::size_t chosen =
      same == saved.labels.end() ? 0 : static_cast<std::size_t>(same - saved.labels.begin());
  std::map<std::size_t, std::vector<double>> stored;
  for (const auto& timed : saved.rounds) {
    stored[timed.round.layout].push_back(timed.round.seconds[chosen]);
  }
  compare::CompareReport joined = std::move(measured);
  joined.labels.insert(joined.labels.begin(), saved.labels[chosen] + " (baseline)");
  std::vector<compare::TimedRound> rounds;
  std::map<std::size_t, std::size_t> used;
  for (compare::TimedRound& timed : joined.rounds) {
    const std::size_t nth = used[timed.round.layout]++;
    const auto& others = stored[timed.round.layout];
    if (nth >= others.size()) continue;
    timed.round.seconds.insert(timed.round.seconds.begin(), others[nth]);
    timed.use.insert(timed.use.begin(), std::nullopt);
    for (std::size_t& command : timed.order) ++command;
    timed.order.insert(timed.order.begin(), 0);
    rounds.push_back(std::move(timed));
  }
  joined.rounds = std::move(rounds);
  if (request.times) {
    const compare::Unit unit =
        request.fixed_layout ? compare::Unit::kRound : compare::Unit::kLayout;
    joined.answers = compare::AnswersOf(joined.rounds, joined.labels.size(), unit, request.detect,
                                        request.confidence);
    joined.caveats.push_back({CaveatId::kBaselineApart, ""});
  }
  if (!joined.counts.empty()) {
    joined.counts.insert(joined.counts.begin(), chosen < saved.counts.size()
                                                    ? saved.counts[chosen]
                                                    : compare::CommandCounts{});
  }
  return joined;
}

}  // namespace tare::cli
