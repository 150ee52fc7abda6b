// fit_search.cc: a beam search over sets of columns, with exchange of members.
#include "analysis/explain/fit_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/check.h"

namespace tare::explain {
namespace {

// A column whose squared distance from the others is below this is linearly dependent.
constexpr double kMinRest = 1e-20;

double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<std::span<const double>> ChosenColumns(const Weighted& weighted,
                                                   std::span<const std::size_t> columns) {
  std::vector<std::span<const double>> chosen;
  for (const std::size_t index : columns) chosen.push_back(weighted.Column(index));
  return chosen;
}

// A set of columns extended by one, and its sum of squared residuals.
struct Step {
  const std::vector<std::size_t>* base;  // owned by the caller
  std::size_t column;
  double squares;

  std::vector<std::size_t> Columns() const {
    auto columns = *base;
    columns.insert(std::ranges::upper_bound(columns, column), column);
    return columns;
  }
};

// Lower is better: the log of the squared residuals. A set with coefficients of both signs is
// penalized like one more column.
double Rank(const Weighted& weighted, const Fit& fit) {
  const auto freedom = static_cast<double>(weighted.rows - fit.columns.size());
  const double price = fit.BothWays() ? 2 * std::log(static_cast<double>(weighted.Count())) : 0;
  return freedom * std::log(fit.squares + weighted.rounding) + price;
}

// Adds every extension of `base` by one column.
void Extend(const Weighted& weighted, std::span<const double> target,
            const std::vector<std::size_t>& base, std::vector<Step>& steps) {
  const stats::ColumnSpace space = SpaceOf(weighted, base);
  std::vector<double> residuals(weighted.rows);
  std::vector<double> rest(weighted.rows);
  space.TakeOut(target, residuals);
  const double squares = Dot(residuals, residuals);
  for (std::size_t j = 0; j < weighted.Count(); ++j) {
    if (std::ranges::binary_search(base, j)) continue;
    space.TakeOut(weighted.Column(j), rest);
    const double length = Dot(rest, rest);
    if (!(length > kMinRest)) continue;
    const double along = Dot(rest, residuals);
    steps.push_back({&base, j, squares - along * along / length});
  }
}

// Fits the extended sets and returns the best `width` of them and of `given`.
std::vector<Fit> Best(const Weighted& weighted, std::span<const double> target,
                      std::vector<Step>& steps, std::span<const Fit> given, std::size_t width) {
  // Fits more than `width`, because sets with coefficients of both signs fall back.
  const std::size_t fitted = std::min(steps.size(), 4 * width);
  std::ranges::partial_sort(
      steps, steps.begin() + static_cast<std::ptrdiff_t>(fitted), [](const Step& a, const Step& b) {
        return std::tie(a.squares, a.column, *a.base) < std::tie(b.squares, b.column, *b.base);
      });
  std::map<std::vector<std::size_t>, Fit> fits;
  for (const Fit& fit : given) fits.try_emplace(fit.columns, fit);
  for (std::size_t i = 0; i < fitted; ++i) {
    auto columns = steps[i].Columns();
    if (fits.contains(columns)) continue;
    Fit fit = LeastSquares(weighted, target, columns);
    fits.emplace(std::move(columns), std::move(fit));
  }
  std::vector<std::pair<double, Fit>> ranked;
  for (auto& [columns, fit] : fits) {
    const double rank = Rank(weighted, fit);
    ranked.emplace_back(rank, std::move(fit));
  }
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.columns) < std::tie(b.first, b.second.columns);
  });
  std::vector<Fit> best;
  for (auto& [rank, fit] : ranked) {
    if (best.size() == width) break;
    best.push_back(std::move(fit));
  }
  return best;
}

// Replaces each member of the best set by a better column until none is better.
void Exchange(const Weighted& weighted, std::span<const double> target, std::vector<Fit>& beam,
              std::size_t width) {
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto leader = beam.front().columns;
    std::vector<std::vector<std::size_t>> bases;
    for (std::size_t out = 0; out < leader.size(); ++out) {
      bases.push_back(leader);
      bases.back().erase(bases.back().begin() + static_cast<std::ptrdiff_t>(out));
    }
    std::vector<Step> steps;
    for (const auto& base : bases) Extend(weighted, target, base, steps);
    beam = Best(weighted, target, steps, beam, width);
    if (beam.front().columns == leader) return;
  }
}

// ln of the binomial coefficient.
double LogWays(std::size_t of, std::size_t chosen) {
  double sum = 0;
  for (std::size_t k = 0; k < chosen; ++k) {
    sum += std::log(static_cast<double>(of - k) / static_cast<double>(k + 1));
  }
  return sum;
}

}  // namespace

bool Fit::BothWays() const {
  return std::ranges::any_of(coefficients, [](double x) { return x > 0; }) &&
         std::ranges::any_of(coefficients, [](double x) { return x < 0; });
}

stats::ColumnSpace SpaceOf(const Weighted& weighted, std::span<const std::size_t> columns) {
  return {ChosenColumns(weighted, columns), weighted.rows};
}

Fit LeastSquares(const Weighted& weighted, std::span<const double> target,
                 std::vector<std::size_t> columns) {
  auto fitted = stats::LeastSquares(ChosenColumns(weighted, columns), target);
  // Counts are finite, and a column's length is 1.
  CHECK(fitted.has_value());
  Fit fit;
  fit.columns = std::move(columns);
  fit.coefficients = std::move(fitted->coefficients);
  fit.residuals = std::move(fitted->residuals);
  fit.own_lengths = std::move(fitted->own_lengths);
  fit.squares = fitted->residual_norm * fitted->residual_norm;
  return fit;
}

std::vector<Fit> BestFits(const Weighted& weighted, std::span<const double> target,
                          std::size_t max_terms, std::size_t width) {
  std::vector<Fit> best = {LeastSquares(weighted, target, {})};
  std::vector<Fit> beam = best;
  while (best.size() <= max_terms) {
    std::vector<Step> steps;
    for (const Fit& fit : beam) Extend(weighted, target, fit.columns, steps);
    if (steps.empty()) break;
    beam = Best(weighted, target, steps, {}, width);
    if (beam.front().columns.size() > 1) Exchange(weighted, target, beam, width);
    best.push_back(beam.front());
  }
  return best;
}

double Implausibility(const Weighted& weighted, const Fit& fit) {
  const auto rows = static_cast<double>(weighted.rows);
  const auto freedom = rows - static_cast<double>(fit.columns.size());
  const double variance = (fit.squares + weighted.rounding) / freedom;
  double sum = rows * std::log(variance) + freedom;
  for (const double spread : weighted.spread) sum += 2 * std::log(spread);
  for (std::size_t k = 0; k < fit.columns.size(); ++k) {
    // The prior of a coefficient is as wide as its estimate, and at least 1.
    const double length = weighted.lengths[fit.columns[k]];
    const double width = std::max(1.0, std::abs(fit.coefficients[k]) / length);
    const double known = fit.own_lengths[k] * length * width;
    sum += std::log1p(known * known / variance);
  }
  sum += 2 * LogWays(weighted.Count(), fit.columns.size());
  if (fit.BothWays()) sum += 2 * std::log(static_cast<double>(weighted.Count()));
  return sum;
}

}  // namespace tare::explain
