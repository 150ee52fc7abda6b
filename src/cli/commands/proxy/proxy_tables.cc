// proxy_tables.cc: ratios and verdicts as cells.
#include "cli/commands/proxy/proxy_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/printable.h"
#include "cli/cells.h"
#include "stats/interval.h"
#include "stats/sample.h"

namespace tare::cli {
namespace {

using proxy::MetricRatio;
using proxy::ProgramRatios;

// The metrics of table 1 of "Counting Performance", and instructions.
constexpr auto kUsual = std::to_array<std::string_view>(
    {"run-time", "instructions", "loads", "stores", "l1i-misses", "l2-instruction-misses",
     "l2-data-misses", "conditional-branches", "conditional-mispredictions"});

std::string VerdictText(const MetricRatio& metric) {
  return metric.ratio.value ? std::string(Name(metric.ratio.verdict)) : "none";
}

Number WholeIfIntegral(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 0x1p53) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

// Equal amounts are exact. Others have a median with its interval, or with minimum and maximum if
// there are few.
Measured AmountCell(std::vector<double> amounts, const std::string& unit) {
  Measured cell;
  cell.unit = unit;
  const auto [min, max] = std::ranges::minmax(amounts);
  const auto median = stats::MedianInterval(amounts, 0.95);
  cell.value = WholeIfIntegral(stats::MedianOf(amounts));
  cell.exact = min == max;
  if (cell.exact) return cell;
  cell.low = median ? median->Low() : min;
  cell.high = median ? median->High() : max;
  if (median) cell.confidence = median->confidence;
  return cell;
}

// The ratio has an interval, so text shows the amounts without one.
report::Cell Amount(const std::vector<double>& amounts, const MetricRatio& metric, bool whole) {
  if (amounts.empty()) return Absent(metric.ratio.reason);
  Measured cell = AmountCell(amounts, metric.unit);
  if (whole) return cell;
  cell.exact = false;
  cell.low = cell.high = cell.confidence = std::nullopt;
  return cell;
}

bool WithAmounts(std::span<const ProgramRatios> programs) {
  return std::ranges::any_of(programs, [](const ProgramRatios& program) {
    return std::ranges::any_of(program.metrics, [](const MetricRatio& metric) {
      return metric.source != proxy::Source::kGiven;
    });
  });
}

void AddAmounts(const proxy::Amounts& amounts, bool calls, std::vector<report::Cell>& row) {
  for (const std::int64_t amount :
       {amounts.instructions, amounts.loads, amounts.stores, amounts.branches}) {
    row.emplace_back(Exact(amount));
  }
  if (calls) row.emplace_back(Exact(amounts.calls));
}

// The cause with the most instructions.
std::string MainCause(const proxy::Parts& parts) {
  std::size_t main = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (std::abs(parts[i].instructions) > std::abs(parts[main].instructions)) main = i;
  }
  return std::string(TextOf(static_cast<proxy::Cause>(main)).id);
}

}  // namespace

report::Table RatiosTable(std::span<const ProgramRatios> programs, bool whole) {
  report::Table table{
      "ratios", "Instrumented over vanilla", {{"program"}, {"metric"}, {"ratio"}, {"verdict"}}, {}};
  const bool amounts = WithAmounts(programs);
  if (amounts) {
    for (const char* name : {"vanilla", "instrumented"}) table.columns.push_back({name});
    if (whole) table.columns.push_back({"source"});
  }
  for (const ProgramRatios& program : programs) {
    for (const MetricRatio& metric : program.metrics) {
      if (!metric.ratio.value && !whole) continue;
      std::vector<report::Cell> row = {Printable(program.program), Printable(metric.metric),
                                       metric.ratio, VerdictText(metric)};
      if (amounts) {
        row.emplace_back(Amount(metric.vanilla, metric, whole));
        row.emplace_back(Amount(metric.instrumented, metric, whole));
        if (whole) row.emplace_back(std::string(Name(metric.source)));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

report::Bars RatioDots(std::span<const ProgramRatios> programs, double tolerance) {
  report::Bars dots{"ratio_plot", "Ratios, instrumented over vanilla", "", {}, {}};
  dots.dots = true;
  const int percent = static_cast<int>(std::lround(100 * tolerance));
  dots.marks = {{1 - tolerance, fmt::format("-{} %", percent)},
                {1 + tolerance, fmt::format("+{} %", percent)}};
  for (const ProgramRatios& program : programs) dots.segments.push_back(Printable(program.program));
  for (const ProgramRatios& program : programs) {
    for (const MetricRatio& metric : program.metrics) {
      const std::string name = Printable(metric.metric);
      if (!metric.ratio.value || metric.ratio.Value() < 0) continue;
      if (std::ranges::find(dots.bars, name, &report::Bar::name) != dots.bars.end()) continue;
      report::Bar row{name, {}};
      for (const ProgramRatios& other : programs) {
        const MetricRatio* same = proxy::FindMetric(other, metric.metric);
        row.values.push_back(same == nullptr ? Absent("not measured") : same->ratio);
      }
      dots.bars.push_back(std::move(row));
    }
  }
  return dots;
}

report::Table WideRatiosTable(std::span<const ProgramRatios> programs, bool measured) {
  report::Table table{"wide", "One row per program", {{"program"}}, {}};
  if (programs.empty()) return table;
  std::vector<std::string> metrics;
  for (const MetricRatio& metric : programs.front().metrics) {
    const bool usual = std::ranges::find(kUsual, metric.metric) != kUsual.end();
    if (measured && !usual) continue;
    metrics.push_back(metric.metric);
    report::Column column{Printable(metric.metric)};
    column.thing = true;
    table.columns.push_back(std::move(column));
  }
  for (const ProgramRatios& program : programs) {
    std::vector<report::Cell> row = {Printable(program.program)};
    for (const std::string& name : metrics) {
      const MetricRatio* metric = proxy::FindMetric(program, name);
      row.emplace_back(metric == nullptr ? Absent("not measured") : metric->ratio);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table PairsTable(const ProgramRatios& program) {
  report::Table table{
      "samples", "All pairs of runs", {{"metric"}, {"pair"}, {"vanilla"}, {"instrumented"}}, {}};
  for (const MetricRatio& metric : program.metrics) {
    const std::size_t pairs = std::min(metric.vanilla.size(), metric.instrumented.size());
    for (std::size_t i = 0; pairs > 1 && i < pairs; ++i) {
      const auto cell = [&](double amount) {
        return WithUnit(metric.unit, Measured{.value = WholeIfIntegral(amount)});
      };
      table.rows.push_back({Printable(metric.metric), Number{static_cast<std::int64_t>(i + 1)},
                            cell(metric.vanilla[i]), cell(metric.instrumented[i])});
    }
  }
  return table;
}

report::Table MisledTable(std::span<const ProgramRatios> programs) {
  report::Table table{"misled",
                      "Metrics for which the simple rule, run time within 10 %, is wrong",
                      {{"program"}, {"run_time"}, {"rule"}, {"metric"}, {"ratio"}, {"verdict"}},
                      {}};
  for (const ProgramRatios& program : programs) {
    for (const proxy::Misled& misled : proxy::MisledByRunTime(program)) {
      const MetricRatio* time = proxy::FindMetric(program, proxy::kRunTime);
      const MetricRatio* metric = proxy::FindMetric(program, misled.metric);
      const bool trusted = misled.how == proxy::Misled::How::kTrusted;
      table.rows.push_back({Printable(program.program), time->ratio,
                            std::string(trusted ? "accepts" : "rejects"), Printable(misled.metric),
                            metric->ratio, VerdictText(*metric)});
    }
  }
  return table;
}

report::Table DifferencePartsTable(const proxy::StaticDifference& difference) {
  report::Table table{
      "parts",
      "Added instructions of the instrumented program, by cause",
      {{"cause"}, {"instructions"}, {"loads"}, {"stores"}, {"branches"}, {"calls"}, {"meaning"}},
      {}};
  for (std::size_t i = 0; i < proxy::kCauses; ++i) {
    const proxy::CauseText& text = proxy::TextOf(static_cast<proxy::Cause>(i));
    std::vector<report::Cell> row = {std::string(text.id)};
    AddAmounts(difference.parts[i], true, row);
    row.emplace_back(std::string(text.meaning));
    table.rows.push_back(std::move(row));
  }
  std::vector<report::Cell> total = {std::string("total")};
  AddAmounts(difference.Difference(), true, total);
  total.emplace_back(std::string("all causes together: instrumented minus vanilla"));
  table.rows.push_back(std::move(total));
  return table;
}

report::Table DifferenceFunctionsTable(const proxy::StaticDifference& difference,
                                       std::size_t max_rows, bool whole) {
  report::Table table{"functions",
                      "Added instructions by function, most first",
                      {report::SymbolColumn("function")},
                      {}};
  if (whole) table.columns.insert(table.columns.end(), {{"object"}, {"code"}});
  table.columns.insert(table.columns.end(),
                       {{"hook_sites"}, {"instructions"}, {"loads"}, {"stores"}, {"branches"}});
  if (whole) table.columns.push_back({"calls"});
  table.columns.push_back({"mostly"});
  for (const proxy::FunctionDifference& function : difference.functions) {
    const proxy::Amounts more = function.Difference();
    if (table.rows.size() == max_rows) break;
    if (!whole && more == proxy::Amounts{}) continue;
    std::vector<report::Cell> row = {Printable(function.function)};
    if (whole) {
      row.emplace_back(Printable(function.object));
      row.emplace_back(
          Exact(function.instrumented_code.instructions - function.vanilla_code.instructions));
    }
    row.emplace_back(Exact(function.hook_sites));
    AddAmounts(more, whole, row);
    row.emplace_back(MainCause(function.parts));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table PredictionTable(const proxy::Prediction& prediction, const ProgramRatios& ratios,
                              double tolerance) {
  report::Table table{"prediction",
                      "Ratios predicted from the vanilla program alone",
                      {{"metric"}, {"predicted"}, {"measured"}, {"error"}, {"inside"}, {"verdict"}},
                      {}};
  std::array<std::optional<double>, proxy::kPredicted> measured = {};
  for (std::size_t i = 0; i < proxy::kPredicted; ++i) {
    const auto* metric = proxy::FindMetric(ratios, proxy::Name(static_cast<proxy::Predicted>(i)));
    if (metric != nullptr && metric->ratio.value) measured[i] = metric->ratio.Value();
  }
  const auto scores = proxy::ScoreOf(prediction, measured, tolerance);
  for (const proxy::PredictedMetric& predicted : prediction.metrics) {
    const auto score = std::ranges::find(scores, predicted.metric, &proxy::Score::metric);
    std::vector<report::Cell> row = {std::string(proxy::Name(predicted.metric))};
    row.emplace_back(predicted.vanilla == 0 ? Absent("the vanilla program has none")
                                            : predicted.ratio);
    if (score == scores.end()) {
      row.resize(table.columns.size(), Absent("not measured"));
    } else {
      row.insert(row.end(), {Known(score->measured), Known(score->error),
                             std::string(score->inside ? "yes" : "no"),
                             std::string(score->SameVerdict() ? "same" : "different")});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tare::cli
