// rivals.cc: tries every other column in place of a term.
#include "analysis/explain/rivals.h"

#include <algorithm>
#include <cmath>

#include "stats/distribution.h"

namespace tare::explain {
namespace {

// The minimum over a candidate and its twins.
double MinOddness(const Candidate& candidate, double extra) {
  double min = Oddness(extra);
  for (const Twin& twin : candidate.twins) min = std::min(min, Oddness(extra * twin.factor));
  return min;
}

}  // namespace

double Oddness(double extra) {
  const double whole = std::max(1.0, std::round(extra));
  return std::abs(extra - whole) < 0.01 ? whole : 1000 + std::abs(extra - whole);
}

std::vector<Rival> RivalsOf(const Weighted& weighted, const Fit& fit, std::size_t term,
                            double confidence) {
  const double critical = std::pow(stats::NormalCritical(confidence), 2);
  const double own = fit.squares + weighted.rounding;
  std::vector<Rival> rivals;
  for (std::size_t j = 0; j < weighted.Count(); ++j) {
    if (std::ranges::find(fit.columns, j) != fit.columns.end()) continue;
    auto columns = fit.columns;
    columns[term] = j;
    const Fit swapped = LeastSquares(weighted, weighted.target, columns);
    const double worse =
        static_cast<double>(weighted.rows) * std::log((swapped.squares + weighted.rounding) / own);
    if (worse > critical || swapped.coefficients[term] * fit.coefficients[term] <= 0) continue;
    rivals.push_back({j, std::abs(swapped.coefficients[term]) / weighted.lengths[j], worse});
  }
  return rivals;
}

std::optional<std::size_t> Plainer(const Difference& difference, const Weighted& weighted,
                                   const Fit& fit, std::size_t term, double confidence) {
  constexpr double kPlain = 2;
  const std::size_t column = fit.columns[term];
  if (column == kConstant) return std::nullopt;
  const double extra = std::abs(fit.coefficients[term]) / weighted.lengths[column];
  double min = MinOddness(difference.candidates[column], extra) <= kPlain ? 0 : kPlain;
  std::optional<std::size_t> plainer;
  for (const Rival& rival : RivalsOf(weighted, fit, term, confidence)) {
    if (rival.column == kConstant) return kConstant;
    const double oddness = MinOddness(difference.candidates[rival.column], rival.extra);
    if (oddness > min) continue;
    min = oddness;
    plainer = rival.column;
  }
  return plainer;
}

}  // namespace tare::explain
