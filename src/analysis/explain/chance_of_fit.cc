// chance_of_fit.cc: repeats the search on permuted residuals.
#include "analysis/explain/chance_of_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/random.h"

namespace tare::explain {
namespace {

void Shuffle(std::span<double> values, bool with_signs, stats::Generator& generator) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[generator.Below(i)]);
  }
  if (!with_signs) return;
  for (double& value : values) {
    if (generator.Below(2) == 1) value = -value;
  }
}

// Counts how often chance does as well. Enough() once the p-value is certain to exceed alpha.
class Tally {
 public:
  explicit Tally(const ChanceOptions& options)
      : max_(options.alpha * static_cast<double>(options.shuffles + 1)) {}

  void Add(bool as_well) {
    ++shuffles_;
    if (as_well) ++as_well_;
  }
  bool Enough() const { return static_cast<double>(as_well_ + 1) > max_ && shuffles_ >= 19; }
  double P() const {
    return static_cast<double>(as_well_ + 1) / static_cast<double>(shuffles_ + 1);
  }

 private:
  double max_;
  std::size_t shuffles_ = 0;
  std::size_t as_well_ = 0;
};

// The squared correlation of two vectors without the row that increases it most; 0 if removing a
// row changes the sign or leaves nothing.
double CorrelationWithoutBest(std::span<const double> x, std::span<const double> y) {
  constexpr double kNothing = 1e-14;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i];
    yy += y[i] * y[i];
    xy += x[i] * y[i];
  }
  double min = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rest_xx = xx - x[i] * x[i];
    const double rest_yy = yy - y[i] * y[i];
    const double rest_xy = xy - x[i] * y[i];
    if (rest_xx <= kNothing * xx || rest_yy <= kNothing * yy || rest_xy * xy <= 0) return 0;
    min = std::min(min, rest_xy * rest_xy / (rest_xx * rest_yy));
  }
  return min;
}

// All columns, concatenated, with the part that the other terms explain removed. Columns that
// become zero are omitted.
std::vector<double> Rests(const Weighted& weighted, const stats::ColumnSpace& others) {
  constexpr double kMinRest = 1e-20;
  std::vector<double> rests;
  std::vector<double> rest(weighted.rows);
  for (std::size_t j = 0; j < weighted.Count(); ++j) {
    others.TakeOut(weighted.Column(j), rest);
    const double square = std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0);
    if (square > kMinRest) rests.insert(rests.end(), rest.begin(), rest.end());
  }
  return rests;
}

bool AnyReaches(std::span<const double> rests, std::span<const double> residuals, double wanted) {
  for (std::size_t at = 0; at < rests.size(); at += residuals.size()) {
    if (CorrelationWithoutBest(rests.subspan(at, residuals.size()), residuals) >= wanted) {
      return true;
    }
  }
  return false;
}

}  // namespace

double ChanceOfTerm(const Weighted& weighted, const Fit& fit, std::size_t term,
                    const ChanceOptions& options) {
  constexpr double kSame = 1e-9;
  auto columns = fit.columns;
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(term));
  const stats::ColumnSpace others = SpaceOf(weighted, columns);
  std::vector<double> residuals(weighted.rows);
  std::vector<double> own(weighted.rows);
  others.TakeOut(weighted.target, residuals);
  others.TakeOut(weighted.Column(fit.columns[term]), own);
  const double reached = CorrelationWithoutBest(own, residuals) - kSame;
  const std::vector<double> rests = Rests(weighted, others);
  // Residuals without their mean have no free sign.
  const bool with_signs = std::ranges::find(columns, kConstant) == columns.end();

  stats::Generator generator(options.seed);
  Tally tally(options);
  std::vector<double> shuffled(weighted.rows);
  std::vector<double> left(weighted.rows);
  for (std::size_t i = 0; i < options.shuffles && !tally.Enough(); ++i) {
    shuffled = residuals;
    Shuffle(shuffled, with_signs, generator);
    others.TakeOut(shuffled, left);
    tally.Add(AnyReaches(rests, left, reached));
  }
  return tally.P();
}

double ChanceOfSearch(const Weighted& weighted, std::size_t max_terms,
                      const ChanceOptions& options) {
  constexpr std::size_t kWidth = 4;
  const auto search = [&](std::span<const double> target) {
    const auto fits = BestFits(weighted, target, max_terms, kWidth);
    const double nothing = Implausibility(weighted, fits.front());
    double best = 0;
    for (const Fit& fit : fits) best = std::min(best, Implausibility(weighted, fit) - nothing);
    return best;
  };
  const double reached = search(weighted.target);
  stats::Generator generator(options.seed);
  Tally tally(options);
  std::vector<double> shuffled;
  for (std::size_t i = 0; i < options.shuffles && !tally.Enough(); ++i) {
    shuffled = weighted.target;
    Shuffle(shuffled, true, generator);
    tally.Add(search(shuffled) <= reached);
  }
  return tally.P();
}

}  // namespace tare::explain
