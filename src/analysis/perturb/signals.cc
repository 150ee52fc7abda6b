// signals.cc: converts totals to differences and rejects unusable channels.
#include "analysis/perturb/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "base/printable.h"
#include "format/series_reader.h"

namespace tare::perturb {
namespace {

// A channel's values by record, as in the file.
using Column = std::vector<std::optional<std::int64_t>>;

std::string FactOf(std::span<const format::SeriesFact> facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &format::SeriesFact::name);
  return found == facts.end() ? "" : found->value;
}

std::vector<Column> ReadColumns(format::SeriesReader& reader, std::vector<std::uint64_t>& times) {
  std::vector<Column> columns;
  std::size_t records = 0;
  while (const format::RecordColumns* const chunk = reader.Next()) {
    columns.resize(std::max(columns.size(), chunk->Channels()));
    for (std::size_t channel = 0; channel < columns.size(); ++channel) {
      columns[channel].resize(records);
      for (std::size_t record = 0; record < chunk->Records(); ++record) {
        columns[channel].push_back(channel < chunk->Channels() ? chunk->Value(record, channel)
                                                               : std::nullopt);
      }
    }
    times.insert(times.end(), chunk->Times().begin(), chunk->Times().end());
    records += chunk->Records();
  }
  return columns;
}

// A counter that did not exist yet had counted nothing.
void FillStart(const format::Channel& channel, Column& column) {
  if (channel.kind != format::ChannelKind::kTotal) return;
  const auto first = std::ranges::find_if(
      column, [](const std::optional<std::int64_t>& value) { return value.has_value(); });
  if (first != column.end()) std::fill(column.begin(), first, 0);
}

// The last record is taken after the program's end, when the kernel no longer reports on it. That
// must not exclude those metrics.
bool EndsWithoutAll(const std::vector<Column>& columns) {
  return std::ranges::any_of(columns, [](const Column& column) {
    return column.size() > 1 && !column.back() && column[column.size() - 2];
  });
}

void RepeatLast(Column& column) {
  for (std::size_t record = 1; record < column.size(); ++record) {
    if (!column[record]) column[record] = column[record - 1];
  }
}

void AddSignal(const format::Channel& channel, Column column, Gaps gaps, TraceSignals& to) {
  // Energy and power: what other programs do is no perturbation of this one.
  if (channel.group == "system") {
    to.unusable.push_back({channel.name, "it is of the machine, not of the program"});
    return;
  }
  FillStart(channel, column);
  if (gaps == Gaps::kRepeatLast) RepeatLast(column);
  // A level at the start says nothing about later records.
  if (channel.kind == format::ChannelKind::kLevel && !column.empty() && !column.front()) {
    column.front() = 0;
  }
  const auto missing = std::ranges::count_if(
      column, [](const std::optional<std::int64_t>& value) { return !value; });
  if (missing > 0) {
    to.unusable.push_back(
        {channel.name, fmt::format("{} of {} records have no value", missing, column.size())});
    return;
  }
  Signal signal{channel.name, channel.group, {}, channel.kind == format::ChannelKind::kTotal,
                channel.unit, channel.exact};
  for (std::size_t record = 1; record < column.size(); ++record) {
    const std::int64_t before = signal.total ? *column[record - 1] : 0;
    signal.values.push_back(static_cast<double>(*column[record] - before));
  }
  to.signals.push_back(std::move(signal));
}

// The command line without the program's directory.
std::string_view WithoutDirectory(std::string_view program) {
  const std::size_t end = program.find(' ');
  const std::size_t slash = program.substr(0, end).rfind('/');
  return slash == std::string_view::npos ? program : program.substr(slash + 1);
}

}  // namespace

bool Signal::IsConstant() const {
  return std::ranges::all_of(values, [this](double value) { return value == values.front(); });
}

const Signal* TraceSignals::Find(std::string_view metric) const {
  const auto found = std::ranges::find(signals, metric, &Signal::name);
  return found == signals.end() ? nullptr : &*found;
}

std::vector<std::string> TraceSignals::SoftwareMetrics() const {
  std::vector<std::string> names;
  for (const Signal& signal : signals) {
    if (signal.IsSoftware()) names.push_back(signal.name);
  }
  return names;
}

std::optional<double> TraceSignals::Instructions() const {
  const Signal* const signal = Find("instructions");
  if (signal == nullptr) return std::nullopt;
  return std::accumulate(signal->values.begin(), signal->values.end(), 0.0);
}

Result<TraceSignals> ReadSignals(const std::filesystem::path& file, const std::string& name,
                                 bool accept_incomplete, Gaps gaps) {
  TRY(auto reader, format::SeriesReader::Open(file));
  TraceSignals signals;
  std::vector<Column> columns = ReadColumns(reader, signals.times);
  signals.name = name;
  signals.program = FactOf(reader.Head().facts, "program");
  signals.clock = reader.Head().clock;
  signals.machine = FactOf(reader.Head().facts, "machine");
  signals.interval = reader.Head().interval;
  if (const auto& end = reader.Outcome().end; end && end->interval != 0) {
    signals.interval = end->interval;
  }
  signals.complete = reader.Outcome().complete;
  if (!signals.complete && !accept_incomplete) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {}; see --accept-incomplete",
                                               Printable(signals.name), reader.Outcome().reason));
  }
  if (reader.Outcome().records < kMinLength + 1) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{}: {} records are too few for correlations: at least {} are needed; use "
                    "a larger input, or a smaller --every",
                    Printable(signals.name), reader.Outcome().records, kMinLength + 1));
  }
  signals.times.erase(signals.times.begin());
  std::size_t records = reader.Outcome().records;
  if (EndsWithoutAll(columns)) {
    --records;
    signals.times.pop_back();
    for (Column& column : columns) column.resize(records);
  }
  for (std::size_t channel = 0; channel < reader.Head().channels.size(); ++channel) {
    const Column none(records);
    AddSignal(reader.Head().channels[channel], channel < columns.size() ? columns[channel] : none,
              gaps, signals);
  }
  return signals;
}

Result<void> RequireSameKind(const TraceSignals& first, const TraceSignals& second) {
  const auto refuse = [&](std::string_view what, const std::string& a, const std::string& b) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} and {} have {}: {} and {}", Printable(first.name),
                            Printable(second.name), what, Printable(a), Printable(b)));
  };
  if (first.clock != second.clock) return refuse("different clocks", first.clock, second.clock);
  if (!first.machine.empty() && !second.machine.empty() && first.machine != second.machine) {
    return refuse("different machines", first.machine, second.machine);
  }
  if (WithoutDirectory(first.program) != WithoutDirectory(second.program)) {
    return refuse("different programs", first.program, second.program);
  }
  return {};
}

}  // namespace tare::perturb
