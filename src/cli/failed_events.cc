// failed_events.cc: finds the events of a document by the names of its columns.
#include "cli/failed_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cells.h"
#include "cli/provenance.h"
#include "machine/host/system_files.h"

namespace tare::cli {
namespace {

constexpr auto kEventColumns =
    std::to_array<std::string_view>({"metric", "event", "what", "response", "first", "second"});
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
  Marker(const pmu::EventVerdicts& verdicts, const CountedBy& counted)
      : verdicts_(verdicts), counted_(counted) {}

  void Mark(report::Table& table) {
    const auto own = counted_.of_block.find(table.id);
    const auto& usual = UsualSources(table.id);
    if (usual.empty()) return;
    const auto of_event = ColumnsNamed(table, kEventColumns);
    const auto of_source = ColumnsNamed(table, kSourceColumns);
    for (auto& row : table.rows) {
      const std::size_t before = marked_;
      const bool stated = own == counted_.of_block.end() && !of_source.empty();
      const auto sources = stated ? SourcesOf(row[of_source.front()]) : usual;
      for (const std::size_t column : of_event) {
        const auto* event = std::get_if<std::string>(&row[column]);
        if (event != nullptr) MarkRow(sources, *event, row);
      }
      if (of_event.empty() && (!of_source.empty() || usual.size() == 1)) {
        for (std::size_t i = 0; i < row.size(); ++i) {
          MarkCells(sources, table.columns[i].name, std::span(row).subspan(i, 1));
        }
      }
      for (const std::string& event : counted_.needed) MarkCells(usual, event, row);
      if (marked_ != before) MarkVerdict(table, row);
    }
  }

  // A bar states its event, and a segment can state the source.
  void Mark(report::Bars& bars) {
    const auto& usual = UsualSources(bars.id);
    if (usual.empty()) return;
    for (report::Bar& bar : bars.bars) {
      for (std::size_t i = 0; i < bar.values.size() && i < bars.segments.size(); ++i) {
        const bool stated = std::ranges::find(usual, bars.segments[i]) != usual.end();
        report::Cell cell = std::move(bar.values[i]);
        MarkRow(stated ? std::vector{bars.segments[i]} : usual, bar.name, std::span(&cell, 1));
        bar.values[i] = std::get<Measured>(std::move(cell));
      }
    }
  }

  // A line states its event.
  void Mark(report::Series& series) {
    const auto& usual = UsualSources(series.id);
    if (usual.empty()) return;
    for (report::Line& line : series.lines) {
      const auto failure = FailureOf(usual, line.name);
      if (!failure || line.verdict == Verdict::kRefused) continue;
      const Caveat caveat{CaveatId::kFailedSelfTest, *failure};
      line.verdict = Verdict::kDoubtful;
      const std::string reason = fmt::format("{}: {}", Row(caveat.key).message, *failure);
      line.reason += line.reason.empty() ? reason : "; " + reason;
      Note(caveat);
    }
  }

  // As in a table without a column for the event.
  void Mark(report::Tree& tree) {
    const auto& usual = UsualSources(tree.id);
    if (usual.size() != 1) return;
    for (report::TreeNode& root : tree.roots) MarkNode(usual, tree.columns, root);
  }

  void Mark(report::Timeline&) {}
  void Mark(report::Text&) {}

  const std::vector<Caveat>& Found() const { return found_; }

 private:
  const std::vector<std::string>& UsualSources(const std::string& block) const {
    const auto own = counted_.of_block.find(block);
    return own == counted_.of_block.end() ? counted_.sources : own->second;
  }

  void MarkNode(std::span<const std::string> sources, std::span<const report::Column> columns,
                report::TreeNode& node) {
    for (std::size_t i = 0; i < node.cells.size() && i < columns.size(); ++i) {
      MarkCells(sources, columns[i].name, std::span(node.cells).subspan(i, 1));
    }
    for (report::TreeNode& child : node.children) MarkNode(sources, columns, child);
  }

  void Note(const Caveat& caveat) {
    if (std::ranges::find(found_, caveat) == found_.end()) found_.push_back(caveat);
  }

  // A name that is not a source, such as a file in /proc, is none of the tested ones.
  std::vector<std::string> SourcesOf(const report::Cell& cell) const {
    const auto* source = std::get_if<std::string>(&cell);
    if (source == nullptr) return {};
    if (std::ranges::find(kRequested, *source) != kRequested.end()) return {"hardware", "kernel"};
    // tare proxy: the engine that counted, or the models that it fed.
    if (*source == "engine" || *source == "model") return counted_.sources;
    // "valgrind, 2 runs"
    return {source->substr(0, source->find(','))};
  }

  static void MarkVerdict(const report::Table& table, std::span<report::Cell> row) {
    for (const std::size_t column : ColumnsNamed(table, std::array{std::string_view("verdict")})) {
      auto* const verdict = std::get_if<std::string>(&row[column]);
      if (verdict != nullptr && *verdict == Name(Verdict::kValid))
        *verdict = Name(Verdict::kDoubtful);
    }
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
    const auto failure = FailureOf(sources, event);
    if (!failure) return;
    const Caveat caveat{CaveatId::kFailedSelfTest, *failure};
    bool any = false;
    for (report::Cell& cell : cells) {
      auto* const measured = std::get_if<Measured>(&cell);
      if (measured == nullptr || !measured->value) continue;
      if (measured->verdict == Verdict::kValid) {
        *measured = WithCaveats(*measured, std::span(&caveat, 1));
      } else if (!measured->reason.contains(*failure)) {
        measured->reason += fmt::format("; {}: {}", Row(caveat.key).message, *failure);
      }
      any = true;
      ++marked_;
    }
    if (any) Note(caveat);
  }

  // Looking up the other names of an event takes long, and tables have many rows.
  std::optional<std::string> FailureOf(std::span<const std::string> sources,
                                       std::string_view event) {
    const auto key =
        std::pair(std::vector<std::string>(sources.begin(), sources.end()), std::string(event));
    const auto known = failures_.find(key);
    if (known != failures_.end()) return known->second;
    return failures_[key] = pmu::FailedTest(verdicts_, sources, event);
  }

  const pmu::EventVerdicts& verdicts_;
  const CountedBy& counted_;
  std::map<std::pair<std::vector<std::string>, std::string>, std::optional<std::string>> failures_;
  std::size_t marked_ = 0;
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

StoredSelfTest ReadSelfTest() {
  const pmu::EventVerdicts now = VerdictsOfThisBoot();
  const auto path =
      pmu::VerdictsPath(EnvironmentText("XDG_STATE_HOME"), EnvironmentText("HOME"), now.machine);
  std::error_code error;
  if (!path || !std::filesystem::exists(*path, error)) return {};
  auto stored = pmu::ReadVerdicts(*path);
  if (!stored)
    return {{},
            Caveat{CaveatId::kFailedSelfTest,
                   fmt::format("the stored result is unreadable: {}", stored.error().message)}};
  if (stored->machine != now.machine || stored->kernel != now.kernel || stored->boot != now.boot) {
    return {};
  }
  return {*std::move(stored), {}};
}

void MarkFailedEvents(report::Document& document, const pmu::EventVerdicts& verdicts,
                      const CountedBy& counted) {
  Marker marker(verdicts, counted);
  for (report::Block& block : document.blocks) {
    std::visit([&](auto& part) { marker.Mark(part); }, block);
  }
  AddCaveats(document, marker.Found());
}

}  // namespace tare::cli
