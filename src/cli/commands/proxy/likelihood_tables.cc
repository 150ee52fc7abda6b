// likelihood_tables.cc: probabilities of metrics as cells, lines and sentences.
#include "cli/commands/proxy/likelihood_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "cli/cells.h"

namespace tare::cli {
namespace {

constexpr const char* kLowerBound = "without debug information the prediction is a lower bound";

Number Whole(std::size_t count) { return static_cast<std::int64_t>(count); }

}  // namespace

report::Table LikelihoodTable(const proxy::CaptureModel& model, const proxy::Prediction& prediction,
                              const proxy::ProgramRatios& ratios, double tolerance,
                              double confidence) {
  report::Table table{
      "likelihood",
      fmt::format("Probability that a metric stays within {} %", Rounded(100 * tolerance, 4)),
      {{"metric"},
       report::Kept({"probability"}),
       {"captured"},
       {"cases"},
       {"measured"},
       {"within"}},
      {}};
  for (std::size_t i = 0; i < proxy::kCaptureMetrics; ++i) {
    const auto predicted = proxy::PredictedFor(i, prediction);
    if (!predicted) continue;
    Measured chance = model.ChanceOf(i, *predicted, tolerance, confidence);
    if (prediction.lower_bound) chance = Doubtful(std::move(chance), kLowerBound);
    const std::string name(proxy::CaptureMetrics()[i]);
    std::vector<report::Cell> row = {name, std::move(chance), Whole(model.Captured(i, tolerance)),
                                     Whole(model.Cases(i))};
    const auto* metric = proxy::FindMetric(ratios, name);
    if (metric != nullptr && metric->ratio.value) {
      const double ratio = metric->ratio.Value();
      row.emplace_back(metric->ratio);
      row.emplace_back(std::string(std::abs(ratio - 1) <= tolerance ? "yes" : "no"));
    } else {
      row.resize(table.columns.size(), Absent("not measured"));
    }
    table.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(table.rows, std::ranges::greater{},
                           [](const auto& row) { return std::get<Measured>(row[1]).Value(); });
  return table;
}

report::Table ReliabilityTable(const proxy::CaptureModel& model, double confidence) {
  report::Table table{
      "reliability",
      "Probabilities, and how often the metric was within the tolerance",
      {{"from"}, {"to"}, {"predicted"}, report::Kept({"observed"}), {"predictions"}, {"programs"}},
      {}};
  for (const auto& bin : proxy::Reliability(model.LeftOut(), confidence)) {
    table.rows.push_back({Known(bin.low), Known(bin.high), Unbounded(bin.predicted), bin.observed,
                          Whole(bin.predictions), Whole(bin.programs)});
  }
  table.whole = true;
  return table;
}

report::Series ReliabilityPlot(const proxy::CaptureModel& model, double confidence) {
  report::Series plot{"reliability_plot",
                      "Share of predictions that came true, over their probability",
                      {"probability"},
                      false,
                      {}};
  report::Line observed{"observed", "", {}, {}, {}, {}};
  for (const auto& bin : proxy::Reliability(model.LeftOut(), confidence)) {
    observed.x.push_back(bin.predicted);
    observed.y.push_back(bin.observed.Value());
    observed.low.push_back(bin.observed.Low());
    observed.high.push_back(bin.observed.High());
  }
  plot.lines = {{"calibrated", "", {0, 1}, {0, 1}, {}, {}}, std::move(observed)};
  return plot;
}

report::Table MixChangeTable(const proxy::MixChange& change) {
  report::Table table{"mix",
                      "Static instructions by category, and their ratio weighted by executions of "
                      "the vanilla program",
                      {{"category"}, {"vanilla"}, {"instrumented"}, {"ratio"}, {"weighted"}},
                      {}};
  const auto ratio = [](double vanilla, double instrumented) {
    return vanilla == 0 ? Absent("the vanilla program has none") : Known(instrumented / vanilla);
  };
  const auto add = [&](std::string name, std::uint64_t vanilla, std::uint64_t instrumented,
                       double weighted_vanilla, double weighted_instrumented) {
    table.rows.push_back({std::move(name), Count(vanilla), Count(instrumented),
                          ratio(static_cast<double>(vanilla), static_cast<double>(instrumented)),
                          ratio(weighted_vanilla, weighted_instrumented)});
  };
  double all_vanilla = 0;
  double all_instrumented = 0;
  for (std::size_t i = 0; i < decode::kCategories; ++i) {
    all_vanilla += change.vanilla_weighted[i];
    all_instrumented += change.instrumented_weighted[i];
    add(std::string(CategoryName(static_cast<decode::Category>(i))), change.vanilla[i],
        change.instrumented[i], change.vanilla_weighted[i], change.instrumented_weighted[i]);
  }
  add("all", mix::Sum(change.vanilla), mix::Sum(change.instrumented), all_vanilla,
      all_instrumented);
  return table;
}

std::string LikelihoodSummary(const proxy::CaptureModel& model, double tolerance) {
  std::vector<proxy::LeftOutChance> same;
  std::ranges::copy_if(model.LeftOut(), std::back_inserter(same),
                       [&](const auto& one) { return std::abs(one.tolerance - tolerance) < 1e-9; });
  const bool checked = !same.empty();
  const auto scores = proxy::BrierOf(checked ? same : model.LeftOut());
  return fmt::format(
      "The probabilities come from {} programs that were predicted and measured. Predicted without "
      "the program itself, their Brier score {} is {}; {} if the program is unknown. 0 is perfect.",
      model.Programs(),
      checked ? fmt::format("at {} %", Rounded(100 * tolerance, 4)) : "at 1 % to 100 %",
      Rounded(scores.predicted, 2), Rounded(scores.usual, 2));
}

}  // namespace tare::cli
