// why_tables.cc: causes, fixes and summary sentences.
#include "cli/commands/why/why_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"
#include "report/wrap.h"
#include "stats/sample.h"
#include "stats/summary.h"

namespace tare::cli {
namespace {

using why::Answer;
using why::Cause;
using why::Response;

constexpr std::size_t kCommentWidth = 78;

std::string_view ResponseName(Response response) {
  return response == Response::kCounts ? "instructions" : "time";
}

std::string_view UnitOf(Response response) { return response == Response::kCounts ? "" : "s"; }

double FixedMedian(const Answer& answer) {
  std::vector<double> fixed = answer.findings.fixed;
  return stats::MedianOf(fixed);
}

// Counts are whole numbers; a mean of counts is shown as whole if it is.
Measured InUnitOf(double value, Response response) {
  Measured measured;
  measured.value = value;
  if (response == Response::kCounts && value == std::round(value)) {
    measured.value = static_cast<std::int64_t>(value);
  }
  measured.unit = UnitOf(response);
  return measured;
}

Measured EffectCell(const Cause& cause, Response response) {
  Measured measured = cause.effect;
  measured.value = InUnitOf(cause.effect.Value(), response).value;
  measured.unit = UnitOf(response);
  return measured;
}

Measured Share(const Measured& change, double mean) {
  if (mean == 0) return Absent("nothing ran");
  return Scaled(change, 100 / mean);
}

std::string FactorIds(const std::vector<why::Factor>& factors) {
  std::string ids;
  for (const why::Factor factor : factors) {
    if (!ids.empty()) ids += " with ";
    ids += why::Text(factor).id;
  }
  return ids;
}

std::string Significance(bool significant, bool negligible) {
  if (negligible) return "negligible";
  return significant ? "yes" : "no";
}

class CauseRows {
 public:
  CauseRows(const Answer& answer, double confidence, bool whole, report::Table& table)
      : answer_(answer), confidence_(confidence), whole_(whole), table_(table) {}

  void AddAll() {
    for (const Cause& cause : answer_.findings.causes) AddCause(cause);
    for (const why::Suspect& suspect : answer_.suspects) AddSuspect(suspect);
    for (const why::Cleared& cleared : answer_.findings.cleared) {
      if (whole_) AddCleared(cleared);
    }
    for (const why::Absence& absence : answer_.absences) AddAbsence(absence);
  }

 private:
  void AddRow(std::string factor, report::Cell effect, report::Cell share, std::string significant,
              report::Cell p, report::Cell largest, report::Cell levels, std::string kind,
              std::string what) {
    std::vector<report::Cell> row = {std::string(ResponseName(answer_.response)), std::move(factor),
                                     std::move(effect), std::move(share), std::move(significant)};
    if (whole_) {
      row.insert(row.end(), {std::move(p), std::move(largest), std::move(levels), std::move(kind),
                             answer_.source});
    }
    row.emplace_back(std::move(what));
    table_.rows.push_back(std::move(row));
  }

  void AddCause(const Cause& cause) {
    AddRow(FactorIds(cause.factors), EffectCell(cause, answer_.response),
           Share(cause.effect, FixedMedian(answer_)),
           Significance(cause.significant, cause.negligible), Number(cause.p),
           InUnitOf(cause.largest, answer_.response),
           Number(static_cast<std::int64_t>(cause.levels)),
           std::string(Name(why::Text(cause.factors[0]).nature)), InWords(cause.factors));
  }

  // Scatter with all factors fixed was observed directly, so no test is needed.
  void AddSuspect(const why::Suspect& suspect) {
    std::vector<double> runs = answer_.findings.fixed;
    const double median = stats::MedianOf(runs);
    for (double& value : runs) value = std::abs(value - median);
    const auto effect = stats::MeanInterval(runs, confidence_);
    report::Cell cell = Absent("too few runs");
    report::Cell share = Absent("too few runs");
    if (effect) {
      cell = WithUnit(std::string(UnitOf(answer_.response)), *effect);
      share = Share(*effect, FixedMedian(answer_));
    }
    const bool negligible = answer_.findings.negligible_scatter;
    AddRow(std::string(why::Text(suspect.factor).id), cell, share,
           Significance(!negligible, negligible),
           Absent("it varies with all factors fixed, so no test is needed"),
           InUnitOf(std::ranges::max(runs), answer_.response), Absent("cannot be varied"),
           std::string(Name(why::Text(suspect.factor).nature)),
           fmt::format("{}: {}", why::Text(suspect.factor).what, suspect.evidence));
  }

  void AddCleared(const why::Cleared& cleared) {
    const bool tested = cleared.levels > 0;
    report::Cell effect = Absent("the budget is too short for its runs");
    if (tested && answer_.findings.repeats) {
      Measured none = InUnitOf(0, answer_.response);
      none.exact = true;
      effect = none;
    } else if (tested) {
      effect = Absent("varied together with others, with no change above the noise");
    }
    AddRow(std::string(why::Text(cleared.factor).id), effect, report::Cell{},
           tested ? "no" : "not tested", report::Cell{}, report::Cell{},
           Number(static_cast<std::int64_t>(cleared.levels)),
           std::string(Name(why::Text(cleared.factor).nature)),
           std::string(why::Text(cleared.factor).what));
  }

  void AddAbsence(const why::Absence& absence) {
    AddRow(std::string(why::Text(absence.factor).id), Absent(absence.reason), report::Cell{},
           "not tested", report::Cell{}, report::Cell{}, report::Cell{},
           std::string(Name(why::Text(absence.factor).nature)),
           std::string(why::Text(absence.factor).what));
  }

  const Answer& answer_;
  double confidence_;
  bool whole_;
  report::Table& table_;
};

std::string Amount(double value, const Answer& answer) {
  const double percent = 100 * std::abs(value) / FixedMedian(answer);
  if (answer.response == Response::kTime)
    return fmt::format("{} %", report::ShowRounded(percent, 2));
  constexpr int kAllDigits = 15;
  return fmt::format("{} instructions, {} %", Rounded(std::round(std::abs(value)), kAllDigits),
                     report::ShowRounded(percent, 2));
}

std::string CauseSentence(const Cause& cause, const Answer& answer) {
  const std::string what = answer.response == Response::kCounts ? "the count" : "the time";
  const bool two = cause.levels == 1;
  const std::string how = two ? (cause.effect.Value() < 0 ? "less" : "more") : "more or less";
  const bool plural = why::Text(cause.factors.front()).plural;
  const char* const changes =
      cause.factors.size() > 1 ? "together change" : (plural ? "change" : "changes");
  return fmt::format("{} {} {}: {} {}{}.", InWords(cause.factors), changes, what,
                     Amount(cause.effect.Value(), answer), how, two ? "" : " on average");
}

std::string Capitalized(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// IDs of the factors that screening had no reason to test: at none of their levels did anything
// change, or the budget was used up before.
std::string ClearedIds(const Answer& answer, bool screened) {
  std::string ids;
  for (const why::Cleared& cleared : answer.findings.cleared) {
    if ((cleared.levels > 0) != screened) continue;
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", why::Text(cleared.factor).id);
  }
  return ids;
}

std::string ClearedText(const Answer& answer) {
  const std::string ids = ClearedIds(answer, true);
  const char* const said = answer.findings.repeats ? "Without effect" : "No effect seen";
  return ids.empty() ? "" : fmt::format("{}: {}. ", said, ids);
}

std::string BudgetText(const Answer& answer) {
  if (!answer.findings.out_of_budget) return "";
  const std::string ids = ClearedIds(answer, false);
  if (ids.empty()) return "The budget was too short to end the search; raise it with --budget. ";
  const std::string wanted =
      answer.wanted_seconds > 0
          ? fmt::format(" for about {} of runs", report::ShowSeconds(answer.wanted_seconds, 2))
          : "";
  return fmt::format(
      "Not tested, because the rest of the budget is too short{}: {}; raise it with --budget. ",
      wanted, ids);
}

std::string Percent(double fraction) { return fmt::format("{} %", Rounded(100 * fraction, 4)); }

std::string NegligibleText(const Answer& answer) {
  std::string list;
  for (const Cause& cause : answer.findings.causes) {
    if (!cause.negligible) continue;
    list += fmt::format("{}{} (at most {})", list.empty() ? "" : ", ", FactorIds(cause.factors),
                        Amount(cause.largest, answer));
  }
  return list.empty() ? "" : fmt::format("Negligible: {}. ", list);
}

// What could not be varied may not be fixed either.
std::string_view AllFixed(const Answer& answer) {
  return answer.absences.empty() ? "all factors fixed" : "all factors fixed that can be fixed here";
}

// Whether the search varied anything.
bool AnyTested(const Answer& answer) {
  return !answer.findings.causes.empty() ||
         std::ranges::any_of(answer.findings.cleared,
                             [](const why::Cleared& cleared) { return cleared.levels > 0; });
}

// Of the response: what the search rules out.
std::string NothingFound(const Answer& answer, bool of_machine) {
  const why::Findings& findings = answer.findings;
  const char* const what = answer.response == Response::kCounts ? "count" : "time";
  if (!AnyTested(answer)) return fmt::format("It is not known what changes the {}. ", what);
  const char* const where = of_machine ? "of the program or its setup " : "";
  if (findings.repeats) {
    return fmt::format(
        "No tested factor {}changes the {}{}. ", where, what,
        findings.min_effect > 0 ? " by " + Percent(findings.min_effect) + " or more" : "");
  }
  if (findings.detectable <= why::kLargeEffect) {
    return fmt::format("No tested factor {}was found to change the {}. ", where, what);
  }
  return fmt::format("No tested factor {}was found to change the {} by {} % or more. ", where, what,
                     Rounded(100 * findings.detectable, 2));
}

std::string ScatterText(const Answer& answer) {
  std::vector<why::Factor> factors;
  for (const why::Suspect& suspect : answer.suspects) factors.push_back(suspect.factor);
  const std::string limit = answer.findings.negligible_scatter
                                ? ", by less than " + Percent(answer.findings.min_effect)
                                : "";
  return fmt::format("It varies even with {}{}, because of {}. ", AllFixed(answer), limit,
                     InWords(factors));
}

std::string NoiseText(const Answer& answer) {
  const why::Findings& findings = answer.findings;
  const std::array<double, 4> parts = {0.25, 0.5, 0.75, 1};
  const auto quantiles = stats::Quantiles(findings.fixed, parts);
  if (!quantiles) return "";
  const double median = quantiles->at(1);
  std::string text = fmt::format("With {}, half of the runs lie within {} %", AllFixed(answer),
                                 Rounded(100 * (quantiles->at(2) - quantiles->at(0)) / median, 2));
  constexpr double kMuchSlower = 1.5;
  if (quantiles->at(3) > kMuchSlower * median) {
    text += fmt::format(" and the slowest takes {} times the median",
                        Rounded(quantiles->at(3) / median, 2));
  }
  return text + fmt::format(", so effects below about {} % may be missed. ",
                            Rounded(100 * findings.detectable, 2));
}

// What the machine would do to it.
std::string MachineText(const Answer& answer) {
  std::string list;
  for (const Cause& cause : answer.findings.causes) {
    if (!cause.significant || !IsOfMachine(cause)) continue;
    list += fmt::format("{}{} by {}", list.empty() ? "" : ", ", InWords(cause.factors),
                        Amount(cause.effect.Value(), answer));
  }
  return list.empty() ? "" : fmt::format("The machine would change it: {}. ", list);
}

std::string AnswerText(const Answer& answer) {
  std::string text;
  bool any = false;
  const std::string machine = MachineText(answer);
  for (const Cause& cause : answer.findings.causes) {
    if (!cause.significant || IsOfMachine(cause)) continue;
    any = true;
    text += Capitalized(CauseSentence(cause, answer)) + " ";
  }
  const bool counts = answer.response == Response::kCounts;
  if (!any) {
    text += NothingFound(answer, !machine.empty());
  }
  text += machine;
  text += NegligibleText(answer);
  text += ClearedText(answer);
  if (counts && answer.findings.repeats) {
    text += fmt::format("With {} it repeats to the instruction ({} runs). ", AllFixed(answer),
                        answer.findings.fixed.size());
  } else if (counts) {
    text += ScatterText(answer);
  } else {
    text += NoiseText(answer);
  }
  if (answer.sweep && answer.sweep->period) {
    text += fmt::format("The change has a period of {} bytes, so alignment is the cause. ",
                        *answer.sweep->period);
  }
  text += BudgetText(answer);
  text.pop_back();
  return text;
}

}  // namespace

report::Table CausesTable(const why::WhyReport& report, double confidence, bool whole) {
  report::Table table{
      "causes",
      "Causes",
      {{"response"}, {"factor"}, {"effect"}, {"share", "%"}, report::Kept({"significant"})},
      {}};
  if (whole) {
    for (const char* name : {"p", "largest", "levels", "kind", "source"}) {
      table.columns.push_back({name});
    }
  }
  table.columns.push_back({"what"});
  for (const Answer& answer : report.answers) CauseRows(answer, confidence, whole, table).AddAll();
  return table;
}

report::Table FixTable(const std::vector<why::Fix>& fixes) {
  report::Table table{"fix", "Advice", {{"factor"}, {"option"}, {"advice"}}, {}};
  for (const why::Fix& fix : fixes) {
    const report::Cell option = fix.option.empty() ? report::Cell{} : report::Cell{fix.option};
    table.rows.push_back({std::string(why::Text(fix.factor).id), option, fix.advice});
  }
  return table;
}

report::Series SweepSeries(const Answer& answer) {
  const bool heap = answer.sweep->factor == why::Factor::kHeap;
  report::Series series;
  series.id = "sweep";
  series.title = heap ? "Instructions by heap offset" : "Instructions by environment size";
  series.axis = {heap ? "heap_offset" : "environment", "bytes"};
  report::Line line;
  line.name = answer.source;
  line.x = answer.sweep->bytes;
  line.y = answer.sweep->response;
  series.lines.push_back(std::move(line));
  return series;
}

report::Table WhySamplesTable(const why::WhyReport& report) {
  report::Table table{"samples",
                      "All runs of the search, in order of time",
                      {{"response"}, {"run"}, {"varied"}, {"value"}},
                      {}};
  for (const Answer& answer : report.answers) {
    std::int64_t run = 0;
    for (const why::RunSample& sample : answer.findings.samples) {
      std::string varied;
      for (const auto& [factor, level] : sample.levels) {
        varied += fmt::format("{}{}:{}", varied.empty() ? "" : " ", why::Text(factor).id, level);
      }
      table.rows.push_back({std::string(ResponseName(answer.response)), Number{++run},
                            std::move(varied), InUnitOf(sample.response, answer.response)});
    }
  }
  return table;
}

std::string WhySummary(const why::WhyReport& report, const std::string& region) {
  std::string text;
  for (const Answer& answer : report.answers) {
    const bool counts = answer.response == Response::kCounts;
    const std::string of = counts && !region.empty() ? fmt::format(" of {}", region) : "";
    text += fmt::format("{}{}: {}\n\n", counts ? "Instructions" : "Time", of, AnswerText(answer));
  }
  for (const why::Unanswered& unanswered : report.unanswered) {
    text += fmt::format("No {}: {}.\n\n", ResponseName(unanswered.response), unanswered.reason);
  }
  const auto runs = [&] {
    std::size_t sum = 0;
    for (const Answer& answer : report.answers) sum += answer.findings.runs;
    return sum;
  };
  text += fmt::format("{} runs, {:.1f} s of a budget of {} s.", runs(), report.spent_seconds,
                      Rounded(report.budget_seconds, 3));
  return text;
}

std::string FixText(const std::vector<why::Fix>& fixes) {
  std::string options;
  std::string comments;
  for (const why::Fix& fix : fixes) {
    if (!fix.option.empty() && !options.contains(fix.option)) {
      options += (options.empty() ? "" : " ") + fix.option;
    }
    if (fix.option.empty()) {
      // Every line is a comment, so that a shell can read the text.
      const std::string comment = fmt::format("{}: {}", why::Text(fix.factor).id, fix.advice);
      comments += comments.empty() ? "\n" : "";
      for (const std::string& line : report::Wrap(comment, kCommentWidth, "# ", "# ")) {
        comments += "\n" + line;
      }
    }
  }
  if (fixes.empty())
    comments = "\n\n# no cause was found that could be fixed; see tare why without --fix";
  return options + comments;
}

}  // namespace tare::cli
