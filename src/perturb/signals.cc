// signals.cc: differences of totals, and what cannot be one.
#include "perturb/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/printable.h"
#include "trace/series_reader.h"

namespace tare::perturb {
namespace {

// A channel's values record by record, as the file has them.
using Column = std::vector<std::optional<std::int64_t>>;

std::string FactOf(std::span<const trace::SeriesFact> facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &trace::SeriesFact::name);
  return found == facts.end() ? "" : found->value;
}

std::vector<Column> ReadColumns(trace::SeriesReader& reader) {
  std::vector<Column> columns;
  std::size_t records = 0;
  while (const trace::RecordColumns* const chunk = reader.Next()) {
    columns.resize(std::max(columns.size(), chunk->Channels()));
    for (std::size_t channel = 0; channel < columns.size(); ++channel) {
      columns[channel].resize(records);
      for (std::size_t record = 0; record < chunk->Records(); ++record) {
        columns[channel].push_back(channel < chunk->Channels() ? chunk->Value(record, channel)
                                                               : std::nullopt);
      }
    }
    records += chunk->Records();
  }
  return columns;
}

void AddSignal(const trace::Channel& channel, const Column& column, TraceSignals& to) {
  const auto missing = std::ranges::count_if(
      column, [](const std::optional<std::int64_t>& value) { return !value; });
  if (missing > 0) {
    to.unusable.push_back(
        {channel.name, fmt::format("{} of {} records have no value", missing, column.size())});
    return;
  }
  Signal signal{channel.name, channel.group, {}};
  for (std::size_t record = 1; record < column.size(); ++record) {
    const std::int64_t before =
        channel.kind == trace::ChannelKind::kTotal ? *column[record - 1] : 0;
    signal.values.push_back(static_cast<double>(*column[record] - before));
  }
  to.signals.push_back(std::move(signal));
}

// The command line without the folder that its program lies in.
std::string_view WithoutFolder(std::string_view program) {
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

Result<TraceSignals> ReadSignals(const std::filesystem::path& file, const std::string& name,
                                 bool accept_incomplete) {
  TRY(auto reader, trace::SeriesReader::Open(file));
  const std::vector<Column> columns = ReadColumns(reader);
  TraceSignals signals;
  signals.name = name;
  signals.program = FactOf(reader.Head().facts, "program");
  signals.clock = reader.Head().clock;
  signals.complete = reader.Outcome().complete;
  if (!signals.complete && !accept_incomplete) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {}; see --accept-incomplete",
                                               Printable(signals.name), reader.Outcome().reason));
  }
  if (reader.Outcome().records < kLeastLength + 1) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: {} records are too few to correlate: {} or more are needed",
                            Printable(signals.name), reader.Outcome().records, kLeastLength + 1));
  }
  for (std::size_t channel = 0; channel < reader.Head().channels.size(); ++channel) {
    const Column none(reader.Outcome().records);
    AddSignal(reader.Head().channels[channel], channel < columns.size() ? columns[channel] : none,
              signals);
  }
  return signals;
}

Result<void> RequireSameKind(const TraceSignals& first, const TraceSignals& second) {
  const auto refuse = [&](std::string_view what, const std::string& a, const std::string& b) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} and {} are traces of {}: {} and {}", Printable(first.name),
                            Printable(second.name), what, Printable(a), Printable(b)));
  };
  if (first.clock != second.clock) return refuse("different clocks", first.clock, second.clock);
  if (WithoutFolder(first.program) != WithoutFolder(second.program)) {
    return refuse("different programs", first.program, second.program);
  }
  return {};
}

}  // namespace tare::perturb
