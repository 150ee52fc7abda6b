// explanation.cc: search, tests, intervals and indistinguishable causes.
#include "analysis/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/explain/chance_of_fit.h"
#include "analysis/explain/fit_search.h"
#include "analysis/explain/rivals.h"
#include "analysis/explain/weighted_rows.h"
#include "base/check.h"
#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::explain {
namespace {

constexpr std::size_t kWidth = 16;
// Minimum residual degrees of freedom per term.
constexpr std::size_t kSpare = 4;

struct Chosen {
  Weighted weighted;
  std::vector<Fit> fits;  // by size
  std::size_t size = 0;
};

// Chooses the noise model under which the found causes leave the most likely residuals.
Chosen ChooseFit(const Difference& difference, std::size_t max_terms) {
  Chosen best;
  double min = std::numeric_limits<double>::infinity();
  for (const double knee : Knees(difference)) {
    Chosen chosen;
    chosen.weighted = Weigh(difference, knee);
    chosen.fits = BestFits(chosen.weighted, chosen.weighted.target, max_terms, kWidth);
    bool better = false;
    for (std::size_t size = 0; size < chosen.fits.size(); ++size) {
      const double score = Implausibility(chosen.weighted, chosen.fits[size]);
      if (score >= min) continue;
      min = score;
      chosen.size = size;
      better = true;
    }
    if (better) best = std::move(chosen);
  }
  return best;
}

void PreferPlain(const Difference& difference, Chosen& chosen, double confidence) {
  Fit& fit = chosen.fits[chosen.size];
  for (std::size_t k = 0; k < fit.columns.size(); ++k) {
    const auto plainer = Plainer(difference, chosen.weighted, fit, k, confidence);
    if (!plainer) continue;
    auto columns = fit.columns;
    columns[k] = *plainer;
    std::ranges::sort(columns);
    fit = LeastSquares(chosen.weighted, chosen.weighted.target, columns);
  }
}

// Drops terms that are not significant, the worst first, and fits the rest again.
std::vector<double> DropByChance(const Difference& difference, Chosen& chosen,
                                 const ChanceOptions& options) {
  while (chosen.size > 0) {
    PreferPlain(difference, chosen, 1 - options.alpha);
    const Fit& fit = chosen.fits[chosen.size];
    std::vector<double> chances;
    for (std::size_t k = 0; k < fit.columns.size(); ++k) {
      chances.push_back(ChanceOfTerm(chosen.weighted, fit, k, options));
    }
    if (std::ranges::max(chances) <= options.alpha) return chances;
    --chosen.size;
  }
  return {};
}

double Variance(const Weighted& weighted, const Fit& fit) {
  return std::max(fit.squares, weighted.rounding) /
         static_cast<double>(weighted.rows - fit.columns.size());
}

// Length of the part of a column that the other columns of the fit do not explain.
double OwnLength(const Weighted& weighted, const Fit& fit, std::size_t term) {
  auto others = fit.columns;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(term));
  std::vector<double> rest(weighted.rows);
  SpaceOf(weighted, others).TakeOut(weighted.Column(fit.columns[term]), rest);
  double square = 0;
  for (const double value : rest) square += value * value;
  return std::sqrt(square);
}

// The jackknife standard error of a coefficient: leaves out each program in turn (Quenouille,
// Tukey).
double JackknifeError(const Weighted& weighted, const Fit& fit, std::size_t term) {
  Weighted chosen;
  chosen.rows = weighted.rows;
  std::vector<std::size_t> places;
  for (const std::size_t j : fit.columns) {
    const auto column = weighted.Column(j);
    chosen.columns.insert(chosen.columns.end(), column.begin(), column.end());
    places.push_back(places.size());
  }
  std::vector<double> without;
  for (std::size_t out = 0; out < weighted.rows; ++out) {
    // A row of zeros has no effect on the fit, as if it were removed.
    Weighted left = chosen;
    left.target = weighted.target;
    left.target[out] = 0;
    for (const std::size_t place : places) left.columns[place * left.rows + out] = 0;
    without.push_back(LeastSquares(left, left.target, places).coefficients[term]);
  }
  const auto rows = static_cast<double>(weighted.rows);
  const stats::Moments moments = stats::MomentsOf(without);
  return moments.standard_deviation * (rows - 1) / std::sqrt(rows);
}

Measured ExtraOf(const Weighted& weighted, const Fit& fit, std::size_t term, double confidence) {
  const double scale = weighted.lengths[fit.columns[term]];
  const double value = std::abs(fit.coefficients[term]) / scale;
  const double classical =
      std::sqrt(Variance(weighted, fit)) / OwnLength(weighted, fit, term) / scale;
  const double jackknife = JackknifeError(weighted, fit, term) / scale;
  const auto freedom = static_cast<double>(weighted.rows - fit.columns.size());
  const double half = stats::StudentCritical(confidence, freedom) * std::max(classical, jackknife);
  return Between(value, value - half, value + half, confidence);
}

// Among causes that these programs cannot distinguish, puts the one with the simplest coefficient
// first. If one of them is the constant, claims no more than that.
void PutPlainestFirst(const Candidate& candidate, Term& term) {
  Cause plainest = candidate.cause;
  double factor = 1;
  for (const Twin& twin : candidate.twins) {
    if (candidate.cause.kind == CauseKind::kConstant) break;
    if (Oddness(term.extra.Value() * twin.factor) >= Oddness(term.extra.Value() * factor)) continue;
    plainest = twin.cause;
    factor = twin.factor;
  }
  const double extra = term.extra.Value();
  if (plainest != candidate.cause) {
    term.aliases.push_back({candidate.cause, extra, std::nullopt});
  }
  for (const Twin& twin : candidate.twins) {
    if (twin.cause == plainest) continue;
    term.aliases.push_back({twin.cause, extra * twin.factor, std::nullopt});
  }
  term.cause = plainest;
  term.extra = Scaled(std::move(term.extra), factor);
  term.occurrences /= factor;
}

// The squares grow in proportion to the number of programs, which gives the number needed to
// distinguish a rival from the term.
void AddAliases(const Difference& difference, const Weighted& weighted, const Fit& fit,
                std::size_t term, double confidence, Term& result) {
  constexpr double kNoDifference = 0.01;
  const auto rows = static_cast<double>(weighted.rows);
  // At 80 % power.
  const double wanted = std::pow(stats::NormalCritical(confidence) + stats::NormalQuantile(0.8), 2);
  for (const Rival& rival : RivalsOf(weighted, fit, term, confidence)) {
    std::optional<double> needed;
    if (rival.worse > kNoDifference) needed = std::ceil(rows * std::max(1.0, wanted / rival.worse));
    result.aliases.push_back({difference.candidates[rival.column].cause, rival.extra, needed});
  }
}

Term TermOf(const Difference& difference, const Chosen& chosen, std::size_t index, double p,
            double confidence) {
  const Weighted& weighted = chosen.weighted;
  const Fit& fit = chosen.fits[chosen.size];
  const Candidate& candidate = difference.candidates[fit.columns[index]];
  Term term;
  term.cause = candidate.cause;
  term.extra = ExtraOf(weighted, fit, index, confidence);
  term.by_second = fit.coefficients[index] > 0;
  term.p = p;
  for (const double count : candidate.counts) term.occurrences += count;
  double all = 0;
  for (const double amount : difference.amounts) all += std::abs(amount);
  term.share = term.extra.Value() * term.occurrences / all;
  PutPlainestFirst(candidate, term);
  AddAliases(difference, weighted, fit, index, confidence, term);
  return term;
}

// The length of a vector without its largest component.
double LengthWithoutBest(std::span<const double> vector) {
  double square = 0;
  double max = 0;
  for (const double value : vector) {
    square += value * value;
    max = std::max(max, value * value);
  }
  return std::sqrt(std::max(0.0, square - max));
}

// A cause is found if it passes the test without its most favourable program and is more plausible
// than none; both at 80 % power.
std::vector<DetectableCause> DetectableCauses(const Difference& difference,
                                              const Weighted& weighted, const Fit& fit,
                                              double alpha) {
  constexpr double kMinLength = 1e-10;
  const auto rows = static_cast<double>(weighted.rows);
  const auto columns = static_cast<double>(weighted.Count());
  const double freedom = rows - static_cast<double>(fit.columns.size()) - 1;
  const double variance = Variance(weighted, fit);
  const double tested = stats::StudentCritical(1 - alpha / columns, freedom);
  const stats::ColumnSpace space = SpaceOf(weighted, fit.columns);
  std::vector<double> rest(weighted.rows);
  std::vector<DetectableCause> detectable;
  for (std::size_t j = 0; j < weighted.Count(); ++j) {
    if (std::ranges::find(fit.columns, j) != fit.columns.end()) continue;
    space.TakeOut(weighted.Column(j), rest);
    const double length = LengthWithoutBest(rest) * weighted.lengths[j];
    if (!(length > kMinLength * weighted.lengths[j])) continue;
    const double price = std::log1p(length * length / variance) + 2 * std::log(columns);
    const double plausible = std::sqrt(freedom * std::expm1(price / rows));
    const double far = std::max(tested, plausible) + stats::NormalQuantile(0.8);
    detectable.push_back({difference.candidates[j].cause, far * std::sqrt(variance) / length});
  }
  std::ranges::sort(detectable, [](const DetectableCause& a, const DetectableCause& b) {
    return std::tie(a.min_extra, a.cause) < std::tie(b.min_extra, b.cause);
  });
  return detectable;
}

void AddResiduals(const Difference& difference, const Chosen& chosen, double confidence,
                  Explanation& explanation) {
  const Weighted& weighted = chosen.weighted;
  const Fit& fit = chosen.fits[chosen.size];
  const stats::ColumnSpace space = SpaceOf(weighted, fit.columns);
  const auto freedom = static_cast<double>(weighted.rows - fit.columns.size());
  const double half_width =
      stats::StudentCritical(confidence, freedom) * std::sqrt(Variance(weighted, fit));
  for (std::size_t i = 0; i < weighted.rows; ++i) {
    explanation.residuals[i] = fit.residuals[i] * weighted.spread[i];
    explanation.explained[i] = difference.amounts[i] - explanation.residuals[i];
    explanation.precision[i] = half_width * weighted.spread[i] * std::sqrt(space.Leverage(i));
  }
}

}  // namespace

std::optional<int> Term::Whole() const {
  const double whole = std::ceil(extra.Low());
  if (whole < 1 || whole > 1e6 || whole > extra.High()) return std::nullopt;
  if (whole + 1 <= extra.High()) return std::nullopt;
  return static_cast<int>(whole);
}

std::optional<double> Term::Needed(std::size_t given) const {
  auto needed = static_cast<double>(given);
  for (const Alias& alias : aliases) {
    if (!alias.programs) return std::nullopt;
    needed = std::max(needed, *alias.programs);
  }
  return needed;
}

std::size_t MinPrograms(std::size_t terms) { return terms + kSpare; }

Result<Explanation> Explain(const Difference& difference, const ExplainOptions& options) {
  const std::size_t rows = difference.programs.size();
  if (rows < MinPrograms(1)) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} program{} cannot distinguish causes; one cause needs at least {} programs, "
                    "and each further cause one more",
                    rows, rows == 1 ? "" : "s", MinPrograms(1)));
  }
  const double alpha = 1 - options.confidence;
  Explanation explanation;
  explanation.max_terms = std::min({kMaxTerms, rows - kSpare, difference.candidates.size()});
  explanation.explained.assign(rows, 0);
  explanation.precision.assign(rows, 0);
  explanation.residuals = difference.amounts;
  explanation.differs = std::ranges::any_of(difference.amounts, [](double x) { return x != 0; });
  if (!explanation.differs) return explanation;

  Chosen chosen = ChooseFit(difference, explanation.max_terms);
  const ChanceOptions chance{alpha, options.shuffles, options.seed};
  auto chances = DropByChance(difference, chosen, chance);
  if (chosen.size > 0) {
    ChanceOptions search = chance;
    search.shuffles = std::max<std::size_t>(99, options.shuffles * 2 / 5);
    explanation.chance = ChanceOfSearch(chosen.weighted, explanation.max_terms, search);
    if (*explanation.chance > alpha) chosen.size = 0;
  }
  const Fit& fit = chosen.fits[chosen.size];
  for (std::size_t k = 0; k < fit.columns.size(); ++k) {
    explanation.terms.push_back(TermOf(
        difference, chosen, k, std::max(chances[k], *explanation.chance), options.confidence));
  }
  std::ranges::sort(explanation.terms, [](const Term& a, const Term& b) {
    return std::tie(b.share, a.cause) < std::tie(a.share, b.cause);
  });
  AddResiduals(difference, chosen, options.confidence, explanation);
  explanation.noise = std::sqrt(Variance(chosen.weighted, fit));
  explanation.knee = chosen.weighted.knee;
  explanation.detectable = DetectableCauses(difference, chosen.weighted, fit, alpha);
  return explanation;
}

}  // namespace tare::explain
