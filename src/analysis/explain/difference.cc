// difference.cc: selects programs with both sources and builds the columns of their causes.
#include "analysis/explain/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/printable.h"

namespace tare::explain {
namespace {

using Pair = std::pair<std::string, std::string>;

std::string Listed(std::span<const std::string> names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(Printable(name));
  return fmt::format("{}", fmt::join(shown, ", "));
}

Result<Pair> Choose(std::span<const Program> programs, const std::optional<Pair>& requested) {
  const auto available = SourcesOf(programs);
  if (available.empty()) {
    return Fail(ErrorKind::kFormat,
                "the files have no count by any source; add rows of kind source");
  }
  if (!requested) {
    if (available.size() == 2) return Pair{available[0], available[1]};
    return Fail(ErrorKind::kUsage,
                available.size() == 1
                    ? fmt::format("the files have only one source, {}; a difference needs two",
                                  Listed(available))
                    : fmt::format("the files have {} sources: {}; choose two with "
                                  "--sources FIRST,SECOND",
                                  available.size(), Listed(available)));
  }
  for (const std::string& name : {requested->first, requested->second}) {
    if (std::ranges::binary_search(available, name)) continue;
    return Fail(ErrorKind::kUsage, fmt::format("there is no source {}; the files have {}",
                                               Printable(name), Listed(available)));
  }
  if (requested->first == requested->second) {
    return Fail(ErrorKind::kUsage, fmt::format("both sources are {}; give two different ones",
                                               Printable(requested->first)));
  }
  return *requested;
}

bool HasOpcodes(const Program& program) {
  return std::ranges::any_of(
      program.causes, [](const auto& entry) { return entry.first.kind == CauseKind::kOpcode; });
}

bool ExplainsCounts(const Cause& cause) {
  return cause.kind != CauseKind::kEvent || (cause.name != kCycles && cause.name != kStatedMhz);
}

// Columns by cause. An opcode that a program does not list did not run in it. An event that a
// program does not list is unknown, so it is not a candidate.
std::map<Cause, std::vector<double>> ColumnsOf(std::span<const Program* const> programs) {
  std::map<Cause, std::vector<double>> columns;
  std::map<Cause, std::size_t> known;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (const auto& [cause, count] : programs[i]->causes) {
      if (!ExplainsCounts(cause)) continue;
      auto& column = columns[cause];
      column.resize(programs.size(), 0);
      column[i] = count;
      ++known[cause];
    }
  }
  std::erase_if(columns, [&](const auto& entry) {
    return entry.first.kind == CauseKind::kEvent && known[entry.first] < programs.size();
  });
  return columns;
}

// The factor such that a = factor * b everywhere; absent if there is none.
std::optional<double> Factor(std::span<const double> a, std::span<const double> b) {
  constexpr double kSame = 1e-9;
  std::optional<double> factor;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] == 0) != (b[i] == 0)) return std::nullopt;
    if (a[i] == 0) continue;
    if (!factor) factor = a[i] / b[i];
    if (std::abs(a[i] - *factor * b[i]) > kSame * a[i]) return std::nullopt;
  }
  return factor;
}

void AddCandidate(Cause cause, std::vector<double> counts, Difference& difference) {
  const auto support = std::ranges::count_if(counts, [](double count) { return count > 0; });
  if (support == 0) return;
  if (static_cast<std::size_t>(support) < kMinSupport) {
    difference.rare.push_back(std::move(cause));
    return;
  }
  for (Candidate& candidate : difference.candidates) {
    if (const auto factor = Factor(candidate.counts, counts)) {
      candidate.twins.push_back({std::move(cause), *factor});
      return;
    }
  }
  difference.candidates.push_back({std::move(cause), std::move(counts), {}});
}

}  // namespace

std::vector<std::string> SourcesOf(std::span<const Program> programs) {
  std::set<std::string> names;
  for (const Program& program : programs) {
    for (const auto& [name, count] : program.sources) names.insert(name);
  }
  return {names.begin(), names.end()};
}

Result<Difference> DifferenceOf(std::span<const Program> programs,
                                const std::optional<Pair>& sources) {
  TRY(const auto chosen, Choose(programs, sources));
  Difference difference;
  difference.first = chosen.first;
  difference.second = chosen.second;
  const bool opcodes = std::ranges::any_of(programs, HasOpcodes);
  std::vector<const Program*> used;
  for (const Program& program : programs) {
    const auto first = program.sources.find(chosen.first);
    const auto second = program.sources.find(chosen.second);
    const bool whole = first != program.sources.end() && second != program.sources.end();
    if (!whole || (opcodes && !HasOpcodes(program))) {
      difference.left_out.push_back(program.name);
      continue;
    }
    used.push_back(&program);
    difference.programs.push_back(program.name);
    difference.first_counts.push_back(first->second);
    difference.second_counts.push_back(second->second);
    difference.amounts.push_back(second->second - first->second);
  }
  if (used.empty()) {
    return Fail(ErrorKind::kFormat,
                fmt::format("no program has counts by both {} and {}{}", Printable(chosen.first),
                            Printable(chosen.second), opcodes ? ", and its opcodes" : ""));
  }
  auto columns = ColumnsOf(used);
  if (columns.size() > kMaxCauses || columns.size() * used.size() > kMaxCells) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} programs with {} causes are too many to search; the maximum is {} causes "
                    "and {} counts in total",
                    used.size(), columns.size(), kMaxCauses, kMaxCells));
  }
  AddCandidate({CauseKind::kConstant, "constant per program"},
               std::vector<double>(used.size(), 1.0), difference);
  AddCandidate({CauseKind::kInstruction, "each instruction"}, difference.first_counts, difference);
  for (auto& [cause, counts] : columns) AddCandidate(cause, std::move(counts), difference);
  return difference;
}

}  // namespace tare::explain
