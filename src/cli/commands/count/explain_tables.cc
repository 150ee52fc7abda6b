// explain_tables.cc: reads the files, explains the difference and builds the tables.
#include "cli/commands/count/explain_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "analysis/explain/clock_rates.h"
#include "analysis/explain/explanation.h"
#include "analysis/explain/tick_rate.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands/count/explain_summary.h"

namespace tare::cli {
namespace {

using explain::Difference;
using explain::Explanation;

constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

// Whole counts as integers; means over runs need not be whole.
Measured CountOf(double value) {
  constexpr double kExactBelow = 9e15;
  if (value == std::round(value) && std::abs(value) < kExactBelow) {
    return Exact(static_cast<std::int64_t>(value));
  }
  return Known(value);
}

Result<std::optional<std::pair<std::string, std::string>>> SourcesOf(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t comma = text.find(',');
  const bool two = comma != std::string::npos && text.find(',', comma + 1) == std::string::npos;
  if (!two || comma == 0 || comma + 1 == text.size()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("--sources {}: expected two names separated by a comma", Printable(text)));
  }
  return std::pair(text.substr(0, comma), text.substr(comma + 1));
}

Result<explain::ObservationReader> ReadObservations(const std::vector<std::string>& files) {
  explain::ObservationReader reader;
  for (const std::string& file : files) {
    TRY(const auto text, ReadFile(file, kMaxBytes));
    TRY_VOID(reader.Add(text, Printable(std::filesystem::path(file).filename().string())));
  }
  return reader;
}

std::string AliasText(const explain::Term& term) {
  std::vector<std::string> parts;
  for (const explain::Alias& alias : term.aliases) {
    parts.push_back(fmt::format("{} ({})", Printable(alias.cause.name), Rounded(alias.extra, 4)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Measured ExtraCell(const explain::Term& term) {
  if (term.aliases.empty()) return term.extra;
  return Doubtful(term.extra, "other causes explain the difference as well");
}

report::Cell NeededCell(const explain::Term& term, std::size_t given) {
  if (const auto needed = term.Needed(given)) {
    return Number{static_cast<std::int64_t>(std::min(*needed, 1e9))};
  }
  return Absent("use programs in which the aliases occur in other proportions");
}

report::Table ExplanationTable(const Difference& difference, const Explanation& explanation) {
  report::Table table{"explanation",
                      fmt::format("Causes of the difference of {} and {}",
                                  Printable(difference.first), Printable(difference.second)),
                      {{"cause"},
                       {"kind"},
                       {"extra"},
                       {"counted_by"},
                       {"occurrences"},
                       {"explains", "%"},
                       {"p"},
                       {"programs"},
                       {"aliases", "", true}},
                      {}};
  for (const explain::Term& term : explanation.terms) {
    // No interval here: it is that of `extra`.
    Measured percent;
    percent.value = 100 * term.share;
    table.rows.push_back({Printable(term.cause.name), std::string(Name(term.cause.kind)),
                          ExtraCell(term),
                          Printable(term.by_second ? difference.second : difference.first),
                          CountOf(term.occurrences), percent, Number{term.p},
                          NeededCell(term, difference.programs.size()), AliasText(term)});
  }
  return table;
}

report::Table ResidualTable(const Difference& difference, const Explanation& explanation,
                            double confidence) {
  report::Table table{"residuals",
                      fmt::format("Residual of each program; first is {}, second {}",
                                  Printable(difference.first), Printable(difference.second)),
                      {{"benchmark"}, {"first"}, {"second"}, {"difference"}, {"residual"}},
                      {}};
  for (std::size_t i = 0; i < difference.programs.size(); ++i) {
    const double left = explanation.residuals[i];
    // At least half a count of uncertainty, because both sources count whole numbers.
    const double half = std::max(0.5, explanation.precision[i]);
    table.rows.push_back({Printable(difference.programs[i]), CountOf(difference.first_counts[i]),
                          CountOf(difference.second_counts[i]), CountOf(difference.amounts[i]),
                          explanation.terms.empty()
                              ? CountOf(left)
                              : Between(left, left - half, left + half, confidence)});
  }
  return table;
}

bool HasSeconds(const Difference& difference) {
  const explain::Cause seconds{explain::CauseKind::kEvent, std::string(explain::kSeconds)};
  return std::ranges::any_of(difference.candidates, [&](const explain::Candidate& candidate) {
    return candidate.cause == seconds;
  });
}

report::Table TickTable(const Difference& difference, const std::optional<explain::TickRate>& ticks,
                        double baseline) {
  report::Table table{"ticks",
                      "Rate of the timer interrupt, from the counts that it adds",
                      {{"source"}, {"rate", "Hz"}, {"usual", "Hz"}, {"baseline", "Hz"}},
                      {}};
  const bool second = !ticks || ticks->by_second || baseline > 0;
  Measured rate = Absent("the difference does not grow with run time");
  Measured usual = Absent("the interval contains no common rate, or several");
  if (ticks) rate = ticks->rate;
  if (ticks && ticks->usual) usual = Exact(*ticks->usual);
  table.rows.push_back(
      {Printable(second ? difference.second : difference.first), rate, usual, Number{baseline}});
  return table;
}

report::Table ClockTable(const std::vector<explain::ClockRow>& clocks) {
  report::Table table{"clock",
                      "Clock frequency from cycles and time",
                      {{"machine"},
                       {"programs"},
                       {"derived", "MHz"},
                       {"sd", "MHz"},
                       {"stated", "MHz"},
                       {"error", "%"}},
                      {}};
  for (const explain::ClockRow& row : clocks) {
    Measured derived = row.mhz ? *row.mhz : Absent(row.absence);
    if (row.mhz && !row.deviation) derived = Doubtful(std::move(derived), "one program");
    const auto known = [&](const std::optional<double>& value, const char* reason) {
      return value ? Known(*value) : Absent(row.mhz ? reason : row.absence);
    };
    table.rows.push_back({row.machine.empty() ? "not named" : Printable(row.machine),
                          Number{static_cast<std::int64_t>(row.programs)}, derived,
                          known(row.deviation, "one program"),
                          row.stated ? Known(*row.stated) : Absent("the files state no frequency"),
                          known(row.error, "the files state no frequency")});
  }
  return table;
}

}  // namespace

Result<Outcome> ExplainCounts(const ExplainRequest& request) {
  TRY(const double confidence, Confidence(request.confidence));
  TRY(const auto sources, SourcesOf(request.sources));
  const double baseline = request.baseline_rate.value_or(0);
  if (!(baseline >= 0) || !std::isfinite(baseline)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--baseline-rate {}: expected a rate of 0 Hz or more", baseline));
  }
  TRY(const auto observations, ReadObservations(request.files));
  const auto programs = observations.Programs();
  Outcome outcome;
  report::Document& document = outcome.document;
  for (const std::string& doubt : observations.Doubts()) {
    AddCaveats(document, std::array{Caveat{CaveatId::kFileCut, doubt}});
  }
  const auto clocks = explain::ClockRows(programs, confidence);
  const bool only_clock = explain::SourcesOf(programs).empty() && !clocks.empty();
  document.title = only_clock ? "Clock frequency" : "Explanation of a difference in counts";
  if (!only_clock) {
    TRY(const auto difference, explain::DifferenceOf(programs, sources));
    explain::ExplainOptions options;
    options.confidence = confidence;
    TRY(const auto explanation, explain::Explain(difference, options));
    const auto ticks = explain::TickRateOf(explanation, baseline);
    document.blocks.emplace_back(ExplanationTable(difference, explanation));
    document.blocks.emplace_back(ResidualTable(difference, explanation, confidence));
    if (HasSeconds(difference)) {
      document.blocks.emplace_back(TickTable(difference, ticks, baseline));
    }
    document.provenance.seed = options.seed;
    document.blocks.emplace_back(
        report::Text{"summary", ExplanationSummary(difference, explanation, ticks)});
  }
  if (!clocks.empty()) document.blocks.emplace_back(ClockTable(clocks));
  return outcome;
}

}  // namespace tare::cli
