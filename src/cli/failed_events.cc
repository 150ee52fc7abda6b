// failed_events.cc: finds the events of a document by the names of its columns.
#include "cli/failed_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/cells.h"
#include "cli/provenance.h"
#include "machine/host/system_files.h"

namespace tare::cli {
namespace {

constexpr auto kEventColumns =
    std::to_array<std::string_view>({"metric", "event", "first", "second"});
constexpr auto kSourceColumns = std::to_array<std::string_view>({"engine", "source", "group"});
// A requested event may be one of the processor or of the kernel.
constexpr auto kRequested = std::to_array<std::string_view>({"requested", "event"});

template <typename Names>
std::vector<std::size_t> ColumnsNamed(const report::Table& table, const Names& names) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (std::ranges::find(names, table.columns[i].name) != names.end()) columns.push_back(i);
  }
  return columns;
}

// tare proxy states the source in the name of a metric: "hardware-branches", "event-page-faults".
constexpr std::string_view kHardwarePrefix = "hardware-";
constexpr std::string_view kEventPrefix = "event-";

class Marker {
 public:
  Marker(const pmu::EventVerdicts& verdicts, std::span<const std::string> sources)
      : verdicts_(verdicts), sources_(sources.begin(), sources.end()) {}

  void Mark(report::Table& table) {
    const auto of_event = ColumnsNamed(table, kEventColumns);
    const auto of_source = ColumnsNamed(table, kSourceColumns);
    for (auto& row : table.rows) {
      const auto sources = of_source.empty() ? sources_ : SourcesOf(row[of_source.front()]);
      for (const std::size_t column : of_event) {
        const auto* event = std::get_if<std::string>(&row[column]);
        if (event != nullptr) MarkRow(sources, *event, row);
      }
      if (!of_event.empty() || of_source.empty()) continue;
      for (std::size_t i = 0; i < row.size(); ++i) {
        MarkCells(sources, table.columns[i].name, std::span(row).subspan(i, 1));
      }
    }
  }

  const std::vector<Caveat>& Found() const { return found_; }

 private:
  // A name that is not a source, such as a file in /proc, is none of the tested ones.
  std::vector<std::string> SourcesOf(const report::Cell& cell) const {
    const auto* source = std::get_if<std::string>(&cell);
    if (source == nullptr) return {};
    if (std::ranges::find(kRequested, *source) != kRequested.end()) return {"hardware", "kernel"};
    return {*source};
  }

  void MarkRow(std::span<const std::string> sources, std::string_view event,
               std::span<report::Cell> row) {
    const std::vector<std::string> counters = {"hardware", "kernel"};
    if (event.starts_with(kHardwarePrefix)) {
      MarkCells(counters, event.substr(kHardwarePrefix.size()), row);
    } else if (event.starts_with(kEventPrefix)) {
      MarkCells(counters, event.substr(kEventPrefix.size()), row);
    } else {
      MarkCells(sources, event, row);
    }
  }

  void MarkCells(std::span<const std::string> sources, std::string_view event,
                 std::span<report::Cell> cells) {
    const auto failure = pmu::FailedTest(verdicts_, sources, event);
    if (!failure) return;
    const Caveat caveat{CaveatId::kFailedSelfTest, *failure};
    bool any = false;
    for (report::Cell& cell : cells) {
      auto* const measured = std::get_if<Measured>(&cell);
      if (measured == nullptr || !measured->value) continue;
      if (measured->verdict == Verdict::kValid) {
        *measured = WithCaveats(*measured, std::span(&caveat, 1));
      } else {
        measured->reason += fmt::format("; {}: {}", Row(caveat.key).message, *failure);
      }
      any = true;
    }
    if (any && std::ranges::find(found_, caveat) == found_.end()) found_.push_back(caveat);
  }

  const pmu::EventVerdicts& verdicts_;
  std::vector<std::string> sources_;
  std::vector<Caveat> found_;
};

}  // namespace

pmu::EventVerdicts VerdictsOfThisBoot() {
  const MachineNames names = ThisMachine();
  pmu::EventVerdicts verdicts;
  verdicts.machine = names.machine;
  verdicts.kernel = names.kernel;
  verdicts.boot = host::SystemFiles{}.Line("/proc/sys/kernel/random/boot_id").value_or("");
  return verdicts;
}

std::optional<pmu::EventVerdicts> StoredVerdicts() {
  const pmu::EventVerdicts now = VerdictsOfThisBoot();
  const auto path =
      pmu::VerdictsPath(EnvironmentText("XDG_STATE_HOME"), EnvironmentText("HOME"), now.machine);
  if (!path) return std::nullopt;
  auto stored = pmu::ReadVerdicts(*path);
  if (!stored || stored->machine != now.machine || stored->kernel != now.kernel ||
      stored->boot != now.boot) {
    return std::nullopt;
  }
  return *std::move(stored);
}

void MarkFailedEvents(report::Document& document, const pmu::EventVerdicts& verdicts,
                      std::span<const std::string> sources) {
  Marker marker(verdicts, sources);
  for (report::Block& block : document.blocks) {
    if (auto* const table = std::get_if<report::Table>(&block)) marker.Mark(*table);
  }
  AddCaveats(document, marker.Found());
}

}  // namespace tare::cli
