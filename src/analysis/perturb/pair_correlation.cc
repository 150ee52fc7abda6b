// pair_correlation.cc: scalar products of ranks.
#include "analysis/perturb/pair_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/printable.h"
#include "stats/rank.h"

namespace tare::perturb {

Ranked::Ranked(std::span<const double> values) : centred_(stats::AverageRanks(values)) {
  const double mean = (static_cast<double>(values.size()) + 1) / 2;
  for (double& rank : centred_) rank -= mean;
  const double squares =
      std::inner_product(centred_.begin(), centred_.end(), centred_.begin(), 0.0);
  if (squares == 0) {
    centred_.clear();
    return;
  }
  for (double& rank : centred_) rank /= std::sqrt(squares);
}

std::optional<double> Correlate(const Ranked& a, const Ranked& b) {
  if (a.centred_.empty() || a.centred_.size() != b.centred_.size()) return std::nullopt;
  const double product =
      std::inner_product(a.centred_.begin(), a.centred_.end(), b.centred_.begin(), 0.0);
  return std::clamp(product, -1.0, 1.0);
}

Result<std::vector<Ranked>> RankedMetrics(const TraceSignals& run,
                                          std::span<const std::string> metrics) {
  std::vector<Ranked> ranked;
  for (const std::string& metric : metrics) {
    const Signal* const signal = run.Find(metric);
    if (signal == nullptr) {
      return Fail(ErrorKind::kUsage, fmt::format("{} lacks the metric {}, which the baseline has",
                                                 Printable(run.name), Printable(metric)));
    }
    ranked.emplace_back(signal->values);
  }
  return ranked;
}

double FisherZ(double correlation) {
  constexpr double kMax = 1 - 1e-6;
  return std::atanh(std::clamp(correlation, -kMax, kMax));
}

double FromFisherZ(double z) { return std::tanh(z); }

}  // namespace tare::perturb
