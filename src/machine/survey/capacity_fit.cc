// capacity_fit.cc: weighted least squares over candidates of size and ways.
#include "machine/survey/capacity_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/result.h"
#include "stats/least_squares.h"

namespace tare::survey {
namespace {

// Minimum relative error of a point's mean, for what the model does not cover.
constexpr double kMinError = 0.004;
// Another step is added only if it reduces the squared error below this factor.
constexpr double kWorthwhile = 0.6;
constexpr double kGridStep = 1.03;

using Column = std::vector<double>;

struct Points {
  std::vector<double> sizes;
  std::vector<double> seconds;
  std::vector<double> weights;  // 1 / squared expected error
};

struct Solution {
  std::vector<double> coefficients;
  double error = std::numeric_limits<double>::infinity();  // sum of weighted squares
};

Points PointsOf(std::span<const CostSamples> samples) {
  Points points;
  for (const CostSamples& one : samples) {
    const double mean = MiddleMean(one.seconds);
    std::vector<double> apart;
    for (const double seconds : one.seconds) apart.push_back(std::abs(seconds - mean));
    std::ranges::nth_element(apart, apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2));
    const double spread =
        1.5 * apart[apart.size() / 2] / std::sqrt(static_cast<double>(apart.size()));
    points.sizes.push_back(one.size);
    points.seconds.push_back(mean);
    points.weights.push_back(1 / (spread * spread + kMinError * mean * kMinError * mean));
  }
  return points;
}

Solution SolutionOf(const Result<stats::LinearFit>& fit) {
  if (!fit) return {};
  return {fit->coefficients, fit->residual_norm * fit->residual_norm};
}

class Fitter {
 public:
  Fitter(std::span<const CostSamples> samples, const CapacityStepSearch& search)
      : search_(search), points_(PointsOf(samples)), ones_(samples.size(), 1.0) {
    for (const CapacityStep& step : search.known) known_.push_back(ColumnOf(step));
  }

  void Add() {
    while (found_.size() < search_.max_found) {
      const double before = Error();
      CapacityStep best;
      double best_error = std::numeric_limits<double>::infinity();
      for (double size = search_.low; size <= search_.high; size *= kGridStep) {
        for (const unsigned ways : search_.ways) Try({size, ways}, found_.size(), best, best_error);
      }
      if (!(best_error < before * kWorthwhile)) return;
      const std::vector<CapacityStep> kept = found_;
      found_.push_back(best);
      columns_.push_back(ColumnOf(best));
      Prepare();
      if (Lowest() < search_.min_rise || !(Error() < before * kWorthwhile)) {
        Restart(kept);
        return;
      }
    }
  }

  void Restart(const std::vector<CapacityStep>& steps) {
    found_ = steps;
    columns_.clear();
    for (const CapacityStep& step : steps) columns_.push_back(ColumnOf(step));
  }

  // Moves each step to where it fits best together with the others.
  void Polish() {
    for (const double reach : {0.12, 0.04, 0.012}) {
      for (std::size_t i = 0; i < found_.size(); ++i) {
        CapacityStep best = found_[i];
        double best_error = std::numeric_limits<double>::infinity();
        const double centre = found_[i].size;
        for (int step = -10; step <= 10; ++step) {
          const double size = centre * (1 + reach * step / 10);
          for (const unsigned ways : search_.ways) Try({size, ways}, i, best, best_error);
        }
        found_[i] = best;
        columns_[i] = ColumnOf(best);
      }
    }
  }

  // Steps that are close together affect each other, so polishing is repeated.
  void Prepare() {
    constexpr int kMaxRounds = 6;
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kMaxRounds && Error() < 0.99 * before; ++i) {
      before = Error();
      Polish();
    }
  }

  CapacityStepFit Fit() const {
    const Solution solution = Solved();
    CapacityStepFit fit;
    if (solution.coefficients.empty()) return fit;
    fit.first = solution.coefficients[0];
    std::size_t next = 1;
    for (CapacityStep step : search_.known) {
      step.rise = solution.coefficients[next++];
      fit.steps.push_back(step);
    }
    for (CapacityStep step : found_) {
      step.rise = solution.coefficients[next++];
      fit.steps.push_back(step);
    }
    std::ranges::sort(fit.steps, {}, &CapacityStep::size);
    fit.misfit = std::sqrt(solution.error / static_cast<double>(ones_.size()));
    return fit;
  }

 private:
  Column ColumnOf(const CapacityStep& step) const {
    Column column;
    for (const double size : points_.sizes)
      column.push_back(OverflowShare(size, step.size, step.ways, search_.page));
    return column;
  }

  std::vector<std::span<const double>> AllColumns() const {
    std::vector<std::span<const double>> all = {ones_};
    all.insert(all.end(), known_.begin(), known_.end());
    all.insert(all.end(), columns_.begin(), columns_.end());
    return all;
  }

  // Negative rises are meaningless.
  Solution Solved() const {
    return SolutionOf(
        stats::NonNegativeLeastSquares(AllColumns(), points_.seconds, points_.weights));
  }
  double Error() const { return Solved().error; }

  // Evaluates `step` in place of found step `index`, or as an additional one.
  void Try(const CapacityStep& step, std::size_t index, CapacityStep& best,
           double& best_error) const {
    const Column column = ColumnOf(step);
    std::vector<std::span<const double>> all = AllColumns();
    const std::size_t place = 1 + known_.size() + index;
    if (place < all.size()) {
      all[place] = column;
    } else {
      all.push_back(column);
    }
    const Solution solution =
        SolutionOf(stats::LeastSquares(all, points_.seconds, points_.weights));
    if (solution.error < best_error && solution.coefficients[place] > 0) {
      best_error = solution.error;
      best = step;
    }
  }

  // The smallest of the found rises, relative to the cost before it.
  double Lowest() const {
    const CapacityStepFit fit = Fit();
    double lowest = std::numeric_limits<double>::infinity();
    for (const CapacityStep& found : found_) {
      for (const CapacityStep& step : fit.steps) {
        if (step.size != found.size || step.ways != found.ways) continue;
        lowest = std::min(lowest, step.rise / (fit.Beyond(step.size) - step.rise));
      }
    }
    return lowest;
  }

  const CapacityStepSearch& search_;
  Points points_;
  Column ones_;
  std::vector<Column> known_;
  std::vector<CapacityStep> found_;
  std::vector<Column> columns_;
};

}  // namespace

double MiddleMean(std::span<const double> samples) {
  CHECK(!samples.empty());
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t cut = sorted.size() < 3 ? 0 : std::max<std::size_t>(1, sorted.size() / 4);
  const auto middle = std::span(sorted).subspan(cut, sorted.size() - 2 * cut);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

double CapacityStepFit::Beyond(double size) const {
  double seconds = first;
  for (const CapacityStep& step : steps) {
    if (step.size <= size) seconds += step.rise;
  }
  return seconds;
}

double OverflowShare(double size, double capacity, unsigned ways, double page) {
  const double groups = ways == 0 ? 1 : capacity / (ways * page);
  if (groups <= 1) return std::max(0.0, 1 - capacity / size);
  const double pages = size / page;
  const double chance = 1 / groups;
  // E[(X - w)+] = E[X] - w + sum over k < w of (w - k) P(k), X binomial.
  double probability = std::exp(pages * std::log1p(-chance));
  double excess = pages / groups - ways;
  for (unsigned k = 0; k < ways; ++k) {
    excess += (ways - k) * probability;
    probability *= std::max(0.0, pages - k) / (k + 1) * chance / (1 - chance);
  }
  return std::max(0.0, excess * groups / pages);
}

CapacityStepFit FitCapacitySteps(std::span<const CostSamples> points,
                                 const CapacityStepSearch& search) {
  Fitter fitter(points, search);
  fitter.Add();
  return fitter.Fit();
}

std::vector<CapacityStepFit> RefitCapacitySteps(std::span<const CostSamples> points,
                                                const CapacityStepSearch& search,
                                                const CapacityStepFit& fit, unsigned count,
                                                stats::Generator& generator) {
  std::vector<CapacityStep> found;
  for (const CapacityStep& step : fit.steps) {
    const bool known = std::ranges::any_of(search.known, [&](const CapacityStep& one) {
      return one.size == step.size && one.ways == step.ways;
    });
    if (!known) found.push_back(step);
  }
  std::vector<CapacityStepFit> fits;
  for (unsigned i = 0; i < count; ++i) {
    std::vector<CostSamples> drawn;
    for (const CostSamples& point : points) {
      CostSamples again{point.size};
      for (std::size_t k = 0; k < point.seconds.size(); ++k)
        again.seconds.push_back(point.seconds[generator.Below(point.seconds.size())]);
      drawn.push_back(std::move(again));
    }
    Fitter fitter(drawn, search);
    fitter.Restart(found);
    fitter.Polish();
    fits.push_back(fitter.Fit());
  }
  return fits;
}

double BuiltSize(double found) {
  CHECK(found > 0);
  const double min = 0.95 * found;
  const double power = std::exp2(std::floor(std::log2(min)));
  for (const double factor : {1.0, 1.25, 1.5}) {
    if (power * factor >= min) return power * factor;
  }
  return 2 * power;
}

}  // namespace tare::survey
