// study_tables.cc: progress, failures, conditions and nodes of a study.
#include "cli/commands/study/study_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

std::vector<std::string> VaryingOf(const OpenedStudy& opened) {
  std::vector<std::string> varying;
  for (std::size_t i = 0; i < opened.cases.factors.size(); ++i) {
    if (opened.cases.varies[i] || i == 0) varying.push_back(opened.cases.factors[i]);
  }
  return varying;
}

std::vector<report::Cell> LevelCells(const std::vector<std::string>& levels) {
  std::vector<report::Cell> cells;
  for (const std::string& level : levels) cells.emplace_back(level);
  return cells;
}

report::Cell WholeCell(std::size_t number) { return Number(static_cast<std::int64_t>(number)); }

}  // namespace

std::string Counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", Grouped(count), what, count == 1 ? "" : "s");
}

std::vector<report::Column> FactorColumns(const std::vector<std::string>& factors,
                                          const std::vector<std::string>& varying) {
  std::vector<report::Column> columns;
  for (const std::string& factor : factors) {
    report::Column column{factor};
    column.thing = true;
    column.detail = std::ranges::find(varying, factor) == varying.end();
    column.keep = !column.detail;
    columns.push_back(std::move(column));
  }
  return columns;
}

void SeparateColumns(report::Document& document) {
  for (report::Block& block : document.blocks) {
    auto* table = std::get_if<report::Table>(&block);
    if (table == nullptr) continue;
    std::set<std::string> names;
    for (const report::Column& column : table->columns) {
      if (!column.thing) names.insert(column.name);
    }
    for (report::Column& column : table->columns) {
      if (!column.thing) continue;
      while (!names.insert(column.name).second) column.name += "_";
    }
  }
}

std::string StudyAnswer(compare::Answer answer, const std::string& unit) {
  if (unit == "s") return std::string(compare::Name(answer));
  if (answer == compare::Answer::kFaster) return "less";
  if (answer == compare::Answer::kSlower) return "more";
  return std::string(compare::Name(answer));
}

report::Table StudyCasesTable(const OpenedStudy& opened, const study::RunSchedule& schedule,
                              const study_results::ResultSet& set) {
  report::Table table{"cases", "Cases", FactorColumns(opened.cases.factors, VaryingOf(opened)), {}};
  table.columns.insert(
      table.columns.end(),
      {{"succeeded", "runs"}, {"failed", "runs"}, {"left", "runs"}, {"run_time", "s"}, {"state"}});
  for (std::size_t i = 0; i < opened.cases.cases.size(); ++i) {
    auto row = LevelCells(opened.cases.cases[i].levels);
    const study_results::ResultCase& one = set.Cases()[i];
    row.push_back(WholeCell(one.runs.size()));
    row.push_back(WholeCell(one.failed));
    row.push_back(WholeCell(schedule.RunsLeft(i)));
    const bool has_runs = one.runs.size() + one.failed > 0;
    const auto seconds = schedule.SecondsOf(i);
    // Programs that never ran took no time.
    row.push_back(has_runs && seconds.value_or(0) > 0 ? report::Cell(Unbounded(*seconds))
                                                      : report::Cell());
    row.emplace_back(std::string(Name(schedule.EndOf(i))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table StudyPlanTable(const OpenedStudy& opened, const study::RunSchedule& schedule) {
  report::Table table{
      "plan", "Runs that are left", FactorColumns(opened.cases.factors, VaryingOf(opened)), {}};
  table.columns.insert(
      table.columns.end(),
      {{"runs", "runs"}, {"run_time", "s"}, {"total_time", "s"}, report::Detail({"command"})});
  for (std::size_t i = 0; i < opened.cases.cases.size(); ++i) {
    const std::size_t left = schedule.RunsLeft(i);
    if (left == 0) continue;
    auto row = LevelCells(opened.cases.cases[i].levels);
    row.push_back(WholeCell(left));
    const auto seconds = schedule.SecondsOf(i);
    // Nothing is missing before the first run, so the cells are empty, without a reason.
    const auto time = [&](double runs) -> report::Cell {
      if (!seconds) return std::monostate();
      return Unbounded(*seconds * runs);
    };
    row.push_back(time(1));
    row.push_back(time(static_cast<double>(left)));
    std::string command;
    for (const std::string& word : opened.cases.cases[i].words) {
      if (!command.empty()) command += ' ';
      command += word;
    }
    row.emplace_back(command);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table StudyFailuresTable(const study_results::ResultSet& set) {
  report::Table table{"failures",
                      "Failed runs",
                      {{"state"},
                       {"runs", "runs"},
                       {"cases", "cases"},
                       {.name = "message", .below = true},
                       {.name = "case", .below = true}},
                      {}};
  struct Failure {
    std::size_t runs = 0;
    std::set<std::size_t> cases;
  };
  std::map<std::pair<study::RunState, std::string>, Failure> failures;
  const study::StoredStudy& stored = set.Stored();
  const std::vector<std::string> varying = set.VaryingFactors();
  for (const study::LoadedRun& run : stored.runs) {
    if (run.state == study::RunState::kOk || !set.IsOfCase(run.case_index)) continue;
    Failure& failure = failures[{run.state, run.message}];
    ++failure.runs;
    failure.cases.insert(run.case_index);
  }
  for (const auto& [what, failure] : failures) {
    std::vector<std::string> levels;
    const study::Levels& of_case = stored.cases[*failure.cases.begin()].levels;
    for (const std::string& factor : set.Factors()) {
      const bool shown = factor == "program" || std::ranges::find(varying, factor) != varying.end();
      if (!shown) continue;
      const auto level = of_case.find(factor);
      if (level != of_case.end() && !level->second.empty()) {
        levels.push_back(fmt::format("{} {}", factor, level->second));
      }
    }
    const std::string first = fmt::format("{}", fmt::join(levels, ", "));
    table.rows.push_back({std::string(Name(what.first)), WholeCell(failure.runs),
                          WholeCell(failure.cases.size()), what.second,
                          failure.cases.size() == 1 ? first : fmt::format("first: {}", first)});
  }
  return table;
}

report::Table StudyChangesTable(const study_results::ResultSet& set) {
  report::Table table{"conditions",
                      "Runs under other conditions than the first",
                      {{"changed"}, {"runs", "runs"}},
                      {}};
  for (const auto& [fact, runs] : set.ChangedFacts()) {
    table.rows.push_back({fact, WholeCell(runs)});
  }
  return table;
}

report::Table StudyNodesTable(const study_results::ResultSet& set) {
  report::Table table{"nodes",
                      "Runs by node",
                      {{"node"}, {"runs", "runs"}, {"failed", "runs"}, {"total_time", "s"}},
                      {}};
  struct Sum {
    std::size_t runs = 0;
    std::size_t failed = 0;
    double seconds = 0;
  };
  std::vector<Sum> sums(set.Stored().nodes.size());
  for (const study::LoadedRun& run : set.Stored().runs) {
    Sum& sum = sums[run.node];
    ++sum.runs;
    sum.failed += run.state == study::RunState::kOk ? 0 : 1;
    sum.seconds += run.seconds;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::string& node = set.Stored().nodes[i];
    // Runs that no node brought back.
    table.rows.push_back(
        {node.empty() ? "none" : node, WholeCell(sums[i].runs), WholeCell(sums[i].failed),
         sums[i].seconds > 0 ? report::Cell(Unbounded(sums[i].seconds)) : report::Cell()});
  }
  return table;
}

std::string CasesWithoutResult(const OpenedStudy& opened, const study::RunSchedule& schedule) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<std::string> named;
  std::size_t count = 0;
  for (std::size_t i = 0; i < opened.cases.cases.size(); ++i) {
    if (!schedule.HasNoResult(i)) continue;
    if (++count <= kMaxNamed) named.push_back(CaseText(opened.cases, opened.cases.cases[i]));
  }
  if (count == 0) return "";
  if (count == 1) return fmt::format("No run of {} succeeded. ", named.front());
  if (count > kMaxNamed) named.push_back(Counted(count - kMaxNamed, "more case"));
  return fmt::format("{} have no successful run: {} and {}. ", Counted(count, "case"),
                     fmt::join(named.begin(), named.end() - 1, ", "), named.back());
}

std::string StudyProgressText(const study::RunSchedule& schedule,
                              const study_results::ResultSet& set) {
  const std::size_t done = schedule.Stored();
  const std::size_t left = schedule.RunsLeft();
  std::size_t failed = 0;
  for (const study_results::ResultCase& one : set.Cases()) failed += one.failed;
  std::size_t given_up = 0;
  for (std::size_t i = 0; i < set.Cases().size(); ++i) {
    given_up += schedule.EndOf(i) == study::CaseEnd::kGivenUp ? 1u : 0u;
  }
  std::string text = fmt::format("{} of {} of {} are done", Grouped(done),
                                 Counted(done + left, "run"), Counted(set.Cases().size(), "case"));
  if (failed > 0) text += fmt::format("; {} failed", Grouped(failed));
  if (given_up > 0) text += fmt::format("; {} given up", Counted(given_up, "case"));
  text += '.';
  if (left > 0 && schedule.IsBudgetSpent()) {
    text += fmt::format(" The budget is spent: {} of runs.", LongDuration(schedule.SecondsSpent()));
  } else if (left > 0) {
    const auto seconds = schedule.SecondsLeft();
    text += seconds ? fmt::format(" About {} are left.", LongDuration(*seconds))
                    : " How long they take is known after the first runs.";
  }
  if (set.OtherCases() > 0) {
    text +=
        fmt::format(" {} no longer in the study file {} left out.",
                    Counted(set.OtherCases(), "stored case"), set.OtherCases() == 1 ? "is" : "are");
  }
  if (set.ChangedRuns() > 0) {
    text += fmt::format(" Conditions changed: {} marked.", Counted(set.ChangedRuns(), "run"));
  }
  return text;
}

std::vector<Caveat> StudyCaveats(const OpenedStudy& opened, const study_results::ResultSet& set,
                                 const study::RunSchedule& schedule) {
  std::vector<Caveat> caveats;
  if (set.ChangedRuns() > 0) {
    const auto facts = set.ChangedFacts();
    caveats.push_back({CaveatId::kConditionsChanged,
                       fmt::format("{} of {} runs: {}", Grouped(set.ChangedRuns()),
                                   Grouped(set.Stored().runs.size()), facts.begin()->first)});
  }
  std::size_t failed = 0;
  for (const study_results::ResultCase& one : set.Cases()) failed += one.failed;
  if (failed > 0) {
    caveats.push_back({CaveatId::kRunsFailed,
                       fmt::format("{} of {} runs", Grouped(failed), Grouped(schedule.Stored()))});
  }
  if (!schedule.IsFinished()) {
    caveats.push_back(
        {CaveatId::kIncomplete,
         fmt::format("{} runs are left; tare study run {} continues", Grouped(schedule.RunsLeft()),
                     Printable(opened.study.path.string()))});
  }
  return caveats;
}

report::Table StudyDifferenceTable(const study_results::StudyDifference& difference) {
  std::vector<std::string> varying;
  for (std::size_t i = 0; i < difference.factors.size(); ++i) {
    const bool varies = std::ranges::any_of(difference.rows, [&](const auto& row) {
      return row.levels[i] != difference.rows.front().levels[i];
    });
    if (varies || i == 0) varying.push_back(difference.factors[i]);
  }
  report::Table table{
      "difference", "Second study over the first", FactorColumns(difference.factors, varying), {}};
  table.columns.insert(
      table.columns.end(),
      {{"metric"}, {"before"}, {"after"}, report::Kept({"ratio"}), report::Kept({"answer"})});
  for (const study_results::CaseDifference& one : difference.rows) {
    auto row = LevelCells(one.levels);
    row.emplace_back(one.metric);
    row.emplace_back(WithUnit(one.unit, one.before));
    row.emplace_back(WithUnit(one.unit, one.after));
    row.emplace_back(one.ratio);
    row.emplace_back(StudyAnswer(one.answer, one.unit));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tare::cli
