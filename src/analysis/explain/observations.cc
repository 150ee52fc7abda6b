// observations.cc: parses saved documents and CSV, and joins them by program.
#include "analysis/explain/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "analysis/machines/count_document.h"
#include "base/csv.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "report/json.h"
#include "report/table_cells.h"

namespace tare::explain {
namespace {

// Counts must be finite, not negative, and small enough for sums of squares.
constexpr double kMaxCount = 1e18;

// The count, unless it is absent or refused.
std::optional<double> CountAt(const std::vector<report::Cell>& row, std::size_t column) {
  const auto* measured = std::get_if<Measured>(&row[column]);
  if (measured == nullptr || !measured->value) return std::nullopt;
  if (measured->verdict == Verdict::kRefused) return std::nullopt;
  const double count = AsDouble(*measured->value);
  if (!(count >= 0) || count > kMaxCount) return std::nullopt;
  return count;
}

struct NamedCount {
  std::string name;
  double count;
};

// Name and count of each row that has both.
std::vector<NamedCount> CountsIn(const report::Table* table, std::string_view name,
                                 std::string_view count) {
  std::vector<NamedCount> counts;
  if (table == nullptr) return counts;
  const auto names = report::FindColumn(*table, name);
  const auto values = report::FindColumn(*table, count);
  if (!names || !values) return counts;
  for (const auto& row : table->rows) {
    if (const auto value = CountAt(row, *values))
      counts.push_back({report::TextAt(row, *names), *value});
  }
  return counts;
}

// A kernel or hardware event other than instructions, converted to the unit used here.
std::optional<NamedCount> EventOf(const NamedCount& event) {
  static constexpr std::array<std::string_view, 9> kKept = {
      "page-faults",      "minor-faults",   "major-faults",
      "context-switches", "cpu-migrations", "alignment-faults",
      "emulation-faults", "interrupts",     "cycles"};
  if (event.name == "task-clock") return NamedCount{std::string(kSeconds), event.count / 1e9};
  if (std::ranges::find(kKept, event.name) == kKept.end()) return std::nullopt;
  return event;
}

constexpr std::array<std::string_view, 4> kKinds = {"source", "opcode", "prefix", "event"};

std::string ProgramName(const std::string& program, const std::string& machine) {
  return machine.empty() ? program : fmt::format("{} on {}", program, machine);
}

}  // namespace

std::string_view Name(CauseKind kind) {
  switch (kind) {
    case CauseKind::kOpcode:
      return "opcode";
    case CauseKind::kPrefix:
      return "prefix";
    case CauseKind::kEvent:
      return "event";
    case CauseKind::kInstruction:
      return "instruction";
    case CauseKind::kConstant:
      return "constant";
  }
  return "";
}

ObservationReader::Entry& ObservationReader::EntryOf(const std::string& program,
                                                     const std::string& machine) {
  const auto [place, is_new] = places_.try_emplace({program, machine}, entries_.size());
  if (is_new) entries_.push_back({ProgramName(program, machine), machine, {}, {}, {}});
  return entries_[place->second];
}

Result<void> ObservationReader::AddCsv(std::string_view text, std::string_view name) {
  TRY(const auto table, ParseCsv(text, name));
  static constexpr std::array<std::string_view, 4> kColumns = {"benchmark", "kind", "name",
                                                               "count"};
  TRY(const auto columns, table.FindColumns(kColumns));
  std::optional<std::size_t> machines;
  if (table.HasColumn("machine")) {
    static constexpr std::array<std::string_view, 1> kMachine = {"machine"};
    TRY(const auto found, table.FindColumns(kMachine));
    machines = found.front();
  }
  for (std::size_t row = 0; row < table.Rows(); ++row) {
    const std::string_view kind = table.Cell(row, columns[1]);
    const auto known = std::ranges::find(kKinds, kind);
    if (known == kKinds.end()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}: unknown kind {}; expected source, opcode, prefix or event{}",
                              table.Place(row), Printable(kind), DidYouMean(kind, kKinds)));
    }
    TRY(const double count, table.Number(row, columns[3]));
    if (count < 0 || count > kMaxCount) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}: expected a count from 0 to {:g}", table.Place(row), kMaxCount));
    }
    const std::string cause(table.Cell(row, columns[2]));
    Entry& entry = EntryOf(std::string(table.Cell(row, columns[0])),
                           machines ? std::string(table.Cell(row, *machines)) : std::string());
    const auto at = static_cast<std::size_t>(known - kKinds.begin());
    constexpr std::array kCauses = {CauseKind::kOpcode, CauseKind::kPrefix, CauseKind::kEvent};
    Sum& sum = at == 0 ? entry.sources[cause] : entry.causes[{kCauses[at - 1], cause}];
    sum.total += count;
    sum.times += 1;
  }
  if (const std::string doubt = table.CutDoubt(); !doubt.empty()) doubts_.push_back(doubt);
  return {};
}

Result<void> ObservationReader::AddDocument(const report::Document& document,
                                            std::string_view name) {
  const report::Table* counts = report::FindTable(document, "counts");
  if (document.command != "count" || counts == nullptr) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{} is a document of tare {} without counts; save counts with: tare "
                            "count --per opcode --top 0 --save FILE -- PROGRAM",
                            name, Printable(document.command)));
  }
  Entry& entry = EntryOf(machines::BenchmarkOf(document), "");
  const std::string& machine = document.provenance.machine;
  if (entry.machine.empty()) entry.machine = machine;
  for (const NamedCount& source : CountsIn(counts, "engine", "instructions")) {
    const auto [before, is_new] = entry.counted_on.try_emplace(source.name, machine);
    if (before->second != machine) {
      return Fail(
          ErrorKind::kFormat,
          fmt::format(
              "{}: {} counted {} on {} and on {}; use a CSV file that gives each machine its "
              "own source",
              name, Printable(source.name), Printable(entry.name), Printable(before->second),
              Printable(machine)));
    }
    Sum& sum = entry.sources[source.name];
    sum.total += source.count;
    sum.times += 1;
  }
  const auto add = [&](CauseKind kind, const NamedCount& one) {
    Sum& sum = entry.causes[{kind, one.name}];
    sum.total += one.count;
    sum.times += 1;
  };
  for (const NamedCount& opcode :
       CountsIn(report::FindTable(document, "opcodes"), "opcode", "executions")) {
    add(CauseKind::kOpcode, opcode);
  }
  // The engine that lists the opcodes agrees on these with every engine that saw the same run.
  const auto once = CountsIn(counts, "engine", "rep_instructions");
  const auto each = CountsIn(counts, "engine", "rep_iterations");
  if (!once.empty() && !each.empty() && each.back().count > 0) {
    add(CauseKind::kPrefix, {"rep", std::max(0.0, each.back().count - once.back().count)});
  }
  for (const NamedCount& event :
       CountsIn(report::FindTable(document, "events"), "event", "count")) {
    if (const auto kept = EventOf(event)) add(CauseKind::kEvent, *kept);
  }
  return {};
}

Result<void> ObservationReader::Add(std::string_view text, std::string_view name) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return AddCsv(text, name);
  auto document = report::FromJson(text);
  if (!document) {
    return Fail(document.error().kind, fmt::format("{}: {}", name, document.error().message));
  }
  return AddDocument(*document, name);
}

std::vector<Program> ObservationReader::Programs() const {
  std::vector<Program> programs;
  for (const Entry& entry : entries_) {
    Program program{entry.name, entry.machine, {}, {}};
    for (const auto& [name, sum] : entry.sources) program.sources[name] = sum.total / sum.times;
    for (const auto& [cause, sum] : entry.causes) program.causes[cause] = sum.total / sum.times;
    programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace tare::explain
