// check_tables.cc: one row per number, with its verdict.
#include "cli/commands/check/check_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands/count/count_tables.h"
#include "machine/host/machine.h"
#include "machine/pmu/counter_findings.h"
#include "measure/engine/engine.h"
#include "report/figures.h"
#include "stats/distribution.h"
#include "stats/interval.h"

namespace tare::cli {
namespace {

using check::CheckReport;

// Builds the main table row by row.
class Verdicts {
 public:
  void Add(std::string what, Measured value, std::string source, std::string meaning) {
    std::string verdict(Name(value.verdict));
    if (!value.value) verdict = "refused";
    table_.rows.push_back({std::move(what), std::move(value), std::move(verdict), std::move(source),
                           std::move(meaning)});
  }
  report::Table Take() && { return std::move(table_); }

 private:
  report::Table table_{"verdicts",
                       "Measured values and verdicts",
                       {{"what"},
                        report::Kept({"value"}),
                        report::Kept({"verdict"}),
                        report::Detail({"source"}),
                        {"meaning"}},
                       {},
                       true};
};

std::vector<double> Seconds(const CheckReport& report, double (*of)(const run::Finished&)) {
  std::vector<double> values;
  for (const run::Finished& run : report.timed) values.push_back(of(run));
  return values;
}

Measured Mean(const CheckReport& report, double confidence, double (*of)(const run::Finished&)) {
  const auto values = Seconds(report, of);
  auto mean = stats::MeanInterval(values, confidence);
  if (!mean) return Absent(mean.error().message);
  if (mean->low) mean->low = std::max(0.0, *mean->low);  // no time is negative
  return WithUnit("s", WithCaveats(*mean, report.time_caveats));
}

// The relative standard error of a standard deviation of n samples is about 1 / sqrt(2 (n - 1)).
Measured Smallest(const CheckReport& report, double confidence) {
  const double value = 100 * report.noise->smallest_difference;
  const double n = static_cast<double>(report.timed.size());
  const double part = stats::NormalCritical(confidence) / std::sqrt(2 * (n - 1));
  return Between(value, value * std::max(0.0, 1 - part), value * (1 + part), confidence);
}

void AddTimes(const CheckReport& report, double confidence, Verdicts& verdicts) {
  const std::string source = fmt::format("{} runs", report.timed.size());
  if (!report.noise) {
    verdicts.Add("wall time", Absent(report.noise.error().message), source, "");
    return;
  }
  const run::Noise& noise = *report.noise;
  verdicts.Add("wall time", WithUnit("s", WithCaveats(noise.median, report.time_caveats)), source,
               "median");
  verdicts.Add("user time",
               Mean(report, confidence, [](const auto& run) { return run.use.user_seconds; }),
               "rusage", "mean");
  verdicts.Add("system time",
               Mean(report, confidence, [](const auto& run) { return run.use.system_seconds; }),
               "rusage", "mean");
  verdicts.Add("against itself", WithCaveats(noise.against_itself, report.time_caveats), source,
               fmt::format("noise floor: differences below {} % mean nothing",
                           Rounded(100 * noise.floor, 2)));
  verdicts.Add("smallest difference",
               WithUnit("%", WithCaveats(Smallest(report, confidence), report.time_caveats)),
               fmt::format("runs vary by {} %", Rounded(100 * noise.coefficient_of_variation, 2)),
               "minimum detectable difference at 80 % power, with as many runs of another version");
}

void AddClock(const CheckReport& report, Verdicts& verdicts) {
  if (!report.clock) {
    verdicts.Add("clock", Absent(report.clock.error().message), "CLOCK_MONOTONIC", "");
    return;
  }
  const double cost = report.clock->overhead.Value();
  const double step = report.clock->resolution.value_or(cost);
  const double own = report.noise ? report.noise->median.Value() : report.first.wall_seconds;
  const double max_error = 100 * std::max(cost, step) / own;
  Measured error;
  error.value = max_error;
  error.low = 0;
  error.high = max_error;
  if (max_error > 1) error = Doubtful(error, "the clock is too coarse for such a short program");
  verdicts.Add("clock error", WithUnit("%", error), "CLOCK_MONOTONIC",
               fmt::format("cost or resolution of {} ns, relative to the wall time",
                           Rounded(1e9 * std::max(cost, step), 2)));
}

void AddCounts(const CheckReport& report, Verdicts& verdicts) {
  if (!report.counts || !report.counts->reference) {
    const std::string reason =
        report.counts ? report.counts->engines.front().absence : report.no_counts;
    verdicts.Add("instructions", Absent(reason), "none", "");
    return;
  }
  const count::CountReport& counts = *report.counts;
  const count::EngineCounts& first = counts.engines[*counts.reference];
  const std::string source = fmt::format("{}, {} runs", Name(first.engine), first.runs.size());
  for (const auto metric : {count::Metric::kInstructions, count::Metric::kLoads,
                            count::Metric::kStores, count::Metric::kConditionalBranches}) {
    const auto& text = count::MetricTable()[static_cast<std::size_t>(metric)];
    std::string name(text.id);
    std::ranges::replace(name, '_', ' ');
    verdicts.Add(name, MeanCell(first, metric), source,
                 first.runs.size() < 2    ? "one run"
                 : AllSame(first, metric) ? "the same in every run"
                                          : "mean; it differs from run to run");
  }
  for (std::size_t i = 0; i < counts.engines.size(); ++i) {
    const count::EngineCounts& other = counts.engines[i];
    if (i == *counts.reference) continue;
    if (!other.Usable()) {
      verdicts.Add("second engine", Absent(other.absence), std::string(Name(other.engine)), "");
      continue;
    }
    const count::Ledger& ledger = counts.ledgers[i];
    const Measured difference = DifferenceFromReference(counts, i);
    std::string meaning = "agrees to the instruction";
    if (!difference.exact) {
      meaning = "difference of the means in instructions";
    } else if (ledger.total != 0) {
      meaning = fmt::format("difference in instructions; {:+} unexplained", ledger.unexplained);
    }
    verdicts.Add("second engine", WithCaveats(difference, other.caveats),
                 std::string(Name(other.engine)), meaning);
  }
}

}  // namespace

report::Table VerdictTable(const CheckReport& report, double confidence) {
  Verdicts verdicts;
  AddTimes(report, confidence, verdicts);
  AddClock(report, verdicts);
  AddCounts(report, verdicts);
  return std::move(verdicts).Take();
}

namespace {

std::string TimeSentence(const CheckReport& report, const std::string& program) {
  if (!report.noise) {
    return fmt::format("The run time of {} is not known: {}.", program,
                       report.noise.error().message);
  }
  const run::Noise& noise = *report.noise;
  const Measured median = WithCaveats(noise.median, report.time_caveats);
  const ScaledUnit unit = ReadableUnit(median.Value(), "s");
  const auto shown = [&](double seconds) { return report::ShowRounded(seconds * unit.factor, 3); };
  std::string text = fmt::format("{} takes {} {}", program, shown(median.Value()), unit.symbol);
  if (median.HasInterval()) {
    text += fmt::format(" ({} to {}, {} runs)", shown(median.Low()), shown(median.High()),
                        report.timed.size());
  }
  if (median.verdict == Verdict::kValid) {
    return text + fmt::format("; differences below {} % mean nothing.",
                              report::ShowRounded(100 * noise.floor, 2));
  }
  return text + fmt::format(", but this time is {}: {}.", Name(median.verdict), median.reason);
}

std::string CountSentence(const CheckReport& report) {
  if (!report.counts || !report.counts->reference) return "Its instructions could not be counted.";
  const count::CountReport& counts = *report.counts;
  const count::EngineCounts& first = counts.engines[*counts.reference];
  const Measured instructions = MeanCell(first, count::Metric::kInstructions);
  std::string text =
      fmt::format("It executes {} instructions", report::ShowMeasured(instructions, 1).value);
  if (first.runs.size() > 1) {
    text += AllSame(first, count::Metric::kInstructions) ? ", the same in every run"
                                                         : "; the count differs from run to run";
  }
  for (std::size_t i = 0; i < counts.engines.size(); ++i) {
    if (i == *counts.reference || !counts.engines[i].Usable()) continue;
    const count::Ledger& ledger = counts.ledgers[i];
    const auto name = Name(counts.engines[i].engine);
    if (!DifferenceFromReference(counts, i).exact) {
      text += "; " + DifferenceOfMeans(counts, i);
    } else if (ledger.total == 0) {
      text += fmt::format("; {} confirms it to the instruction", name);
    } else if (ledger.unexplained == 0) {
      text += fmt::format("; {} confirms it, except {} with known causes", name,
                          report::ShowMeasured(Exact(std::abs(ledger.total)), 1).value);
    } else {
      text += fmt::format("; {} counts {} {}{}", name,
                          report::ShowMeasured(Exact(std::abs(ledger.total)), 1).value,
                          ledger.total < 0 ? "fewer" : "more", UnexplainedText(ledger));
    }
  }
  return text + ".";
}

}  // namespace

std::string CheckAnswer(const CheckReport& report, const std::string& program) {
  const std::string failure = report.first.ended.Failure();
  const std::string failed = failure.empty() ? "" : fmt::format(" It {}.", failure);
  std::string text = TimeSentence(report, program) + failed + " " + CountSentence(report);
  if (report.counts && IsReplaced(AllCaveats(*report.counts))) {
    text +=
        " The counts end where the program replaced itself by another one; check that one instead.";
  }
  return text;
}

report::Table RunTimesTable(const CheckReport& report) {
  report::Table table{"samples", "Wall time of each run", {{"run"}, {"time", "s"}}, {}};
  for (const run::Finished& run : report.timed) {
    table.rows.push_back(
        {Number{static_cast<std::int64_t>(table.rows.size() + 1)}, Number{run.wall_seconds}});
  }
  return table;
}

report::Series RunTimesPlot(const CheckReport& report) {
  report::Series plot{
      "run_times", "Wall times of the runs, and their median", {"run"}, false, {}, false, {}};
  report::Line runs{"one run", "s", {}, {}, {}, {}};
  runs.points = true;
  for (const run::Finished& run : report.timed) {
    runs.x.push_back(static_cast<double>(runs.x.size() + 1));
    runs.y.push_back(run.wall_seconds);
  }
  if (runs.x.empty()) return plot;
  if (report.noise) {
    const Measured median = WithCaveats(report.noise->median, report.time_caveats);
    report::Line line{"median", "s", {}, {}, {}, {}};
    line.verdict = median.verdict;
    line.reason = median.reason;
    for (const double x : {runs.x.front(), runs.x.back()}) {
      line.x.push_back(x);
      line.y.push_back(median.Value());
      if (!median.HasInterval()) continue;
      line.low.push_back(*median.low);
      line.high.push_back(*median.high);
    }
    plot.lines.push_back(std::move(line));
  }
  plot.lines.push_back(std::move(runs));
  return plot;
}

report::Table AdviceTable(const CheckReport& report) {
  report::Table table{
      "advice", "Advice, most useful first", {{"order"}, {"what"}, {"why", "", true}}, {}};
  for (const check::Advice& advice : report.advice) {
    table.rows.push_back(
        {Number{static_cast<std::int64_t>(table.rows.size() + 1)}, advice.what, advice.why});
  }
  return table;
}

report::Table EnginesTable() {
  report::Table table{"engines", "Engines on this machine", {{"engine"}, {"state"}}, {}};
  const host::SystemFiles files;
  const auto counters = pmu::ReadCounters(files, host::ReadConditions(files, {}));
  std::vector<host::Engine> engines = pmu::CounterEngines(counters);
  std::ranges::move(engine::ExamineEngines({}), std::back_inserter(engines));
  for (const host::Engine& engine : engines) table.rows.push_back({engine.name, engine.state});
  return table;
}

}  // namespace tare::cli
