// least_squares.cc: Householder QR on Eigen, and the active-set method on top of it.
#include "stats/least_squares.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Members = std::vector<Index>;

// A column of length 1 whose remainder is shorter than this depends on the others.
constexpr double kMinRemainder = 1e-10;
// Slopes below this, relative to the target, are rounding errors.
constexpr double kMinSlope = 1e-13;

// The system with rows multiplied by the roots of their weights and columns scaled to length 1.
struct System {
  MatrixXd columns;
  VectorXd lengths;
  VectorXd target;
  VectorXd roots;
  std::size_t observations = 0;  // rows with a weight
};

Eigen::Map<const VectorXd> AsVector(std::span<const double> values) {
  return {values.data(), static_cast<Index>(values.size())};
}

std::size_t Place(Index index) { return static_cast<std::size_t>(index); }

// The factored columns of `members`; those that are left out are not among them.
struct Factored {
  Members members;
  Eigen::HouseholderQR<MatrixXd> qr;

  auto Triangle() const {
    const auto count = static_cast<Index>(members.size());
    return qr.matrixQR().topLeftCorner(count, count).triangularView<Eigen::Upper>();
  }
};

// The place of the first member that depends on earlier ones; the number of members if none does.
// Elements of the diagonal after the first small one mean nothing.
std::size_t FirstDependent(const Factored& factored) {
  const MatrixXd& factors = factored.qr.matrixQR();
  for (Index k = 0; k < factors.cols(); ++k) {
    if (k >= factors.rows() || !(std::abs(factors(k, k)) > kMinRemainder)) return Place(k);
  }
  return factored.members.size();
}

Factored Factor(const System& system, Members members) {
  std::erase_if(members, [&](Index j) { return !(system.lengths[j] > 0); });
  Factored factored{std::move(members), {}};
  for (;;) {
    if (factored.members.empty()) return factored;
    factored.qr.compute(system.columns(Eigen::all, factored.members));
    const std::size_t dependent = FirstDependent(factored);
    if (dependent == factored.members.size()) return factored;
    factored.members.erase(factored.members.begin() + static_cast<std::ptrdiff_t>(dependent));
  }
}

struct Solution {
  VectorXd coefficients;  // of the members, in units of their lengths
  VectorXd residuals;     // weighted
};

Solution Solve(const System& system, const Factored& factored) {
  const auto count = static_cast<Index>(factored.members.size());
  Solution solution{VectorXd(count), system.target};
  if (count == 0) return solution;
  solution.residuals.applyOnTheLeft(factored.qr.householderQ().adjoint());
  solution.coefficients = factored.Triangle().solve(solution.residuals.head(count));
  solution.residuals.head(count).setZero();
  solution.residuals.applyOnTheLeft(factored.qr.householderQ());
  return solution;
}

// Scales each column to length 1. A column that is not finite gets the length 0, so that it is left
// out.
void ScaleColumns(System& system) {
  for (Index j = 0; j < system.columns.cols(); ++j) {
    const double length = system.columns.col(j).stableNorm();
    system.lengths[j] = std::isfinite(length) ? length : 0;
    if (system.lengths[j] > 0) system.columns.col(j) /= length;
  }
}

Result<System> Weigh(Columns columns, std::span<const double> target,
                     std::span<const double> weights) {
  constexpr std::string_view kMethod = "least squares";
  CHECK(weights.empty() || weights.size() == target.size());
  TRY_VOID(RequireSamples(kMethod, target, 0));
  TRY_VOID(RequireSamples(kMethod, weights, 0));
  const auto rows = static_cast<Index>(target.size());
  const auto count = static_cast<Index>(columns.size());
  System system{MatrixXd(rows, count), VectorXd(count), AsVector(target), VectorXd::Ones(rows),
                target.size()};
  if (!weights.empty()) {
    const auto negative = std::ranges::find_if(weights, [](double weight) { return weight < 0; });
    if (negative != weights.end()) {
      return Fail(ErrorKind::kUsage, fmt::format("{}: the weight of row {} is negative", kMethod,
                                                 negative - weights.begin() + 1));
    }
    system.roots = AsVector(weights).cwiseSqrt();
    system.target.array() *= system.roots.array();
    system.observations = target.size() - Place(std::ranges::count(weights, 0.0));
  }
  for (Index j = 0; j < count; ++j) {
    const std::span<const double> column = columns[Place(j)];
    CHECK(column.size() == target.size());
    TRY_VOID(RequireSamples(kMethod, column, 0));
    system.columns.col(j) = AsVector(column).cwiseProduct(system.roots);
  }
  ScaleColumns(system);
  return system;
}

void AddErrors(const System& system, const Factored& factored, LinearFit& fit) {
  const auto count = static_cast<Index>(fit.rank);
  const MatrixXd triangle = factored.Triangle();
  const MatrixXd inverse = factored.Triangle().solve(MatrixXd::Identity(count, count));
  fit.condition =
      triangle.colwise().lpNorm<1>().maxCoeff() * inverse.colwise().lpNorm<1>().maxCoeff();
  const bool has_freedom = system.observations > fit.rank;
  const double deviation =
      has_freedom
          ? fit.residual_norm / std::sqrt(static_cast<double>(system.observations - fit.rank))
          : 0;
  for (Index k = 0; k < count; ++k) {
    const Index j = factored.members[Place(k)];
    fit.own_lengths[Place(j)] = std::abs(triangle(k, k)) * system.lengths[j];
    if (has_freedom) {
      fit.standard_errors[Place(j)] = deviation * inverse.row(k).norm() / system.lengths[j];
    }
  }
}

// The residual of a row without weight does not follow from weighted residuals.
std::vector<double> Residuals(const System& system, const Solution& solution, Columns columns,
                              std::span<const double> target, const LinearFit& fit) {
  std::vector<double> residuals(target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (system.roots[row] > 0) {
      residuals[i] = solution.residuals[row] / system.roots[row];
      continue;
    }
    residuals[i] = target[i];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      residuals[i] -= fit.coefficients[j] * columns[j][i];
    }
  }
  return residuals;
}

Result<LinearFit> FitOf(const System& system, const Factored& factored, Columns columns,
                        std::span<const double> target) {
  const Solution solution = Solve(system, factored);
  LinearFit fit;
  fit.coefficients.assign(columns.size(), 0);
  fit.standard_errors.assign(columns.size(), std::nullopt);
  fit.own_lengths.assign(columns.size(), 0);
  fit.residual_norm = solution.residuals.stableNorm();
  fit.rank = factored.members.size();
  for (std::size_t k = 0; k < fit.rank; ++k) {
    const Index j = factored.members[k];
    const double coefficient = solution.coefficients[static_cast<Index>(k)] / system.lengths[j];
    if (!std::isfinite(coefficient)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("least squares: the coefficient of column {} overflows", j + 1));
    }
    fit.coefficients[Place(j)] = coefficient;
  }
  if (fit.rank > 0) AddErrors(system, factored, fit);
  fit.residuals = Residuals(system, solution, columns, target, fit);
  return fit;
}

// Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, algorithm NNLS.
class ActiveSet {
 public:
  explicit ActiveSet(const System& system)
      : system_(system),
        coefficients_(VectorXd::Zero(system.columns.cols())),
        refused_(Place(system.columns.cols()), false),
        noise_(kMinSlope * system.target.stableNorm()) {}

  // The columns with coefficients above 0, in ascending order.
  Members Find() {
    // Each step reduces the squares, so the method ends; rounding could make it repeat steps.
    const Index max_steps = 10 * (system_.columns.cols() + 1);
    VectorXd residuals = system_.target;
    for (Index step = 0; step < max_steps; ++step) {
      const auto entering = Entering(residuals);
      if (!entering) break;
      if (!Enter(*entering)) {
        refused_[Place(*entering)] = true;
        continue;
      }
      residuals = system_.target - system_.columns * coefficients_;
      refused_.assign(refused_.size(), false);
    }
    std::ranges::sort(members_);
    return members_;
  }

 private:
  // The column that reduces the squares most steeply; of equal ones the first.
  std::optional<Index> Entering(const VectorXd& residuals) const {
    constexpr double kSame = 1 + 1e-12;
    std::optional<Index> entering;
    double steepest = noise_;
    for (Index j = 0; j < system_.columns.cols(); ++j) {
      const bool is_free = system_.lengths[j] > 0 && !refused_[Place(j)] &&
                           std::ranges::find(members_, j) == members_.end();
      if (!is_free) continue;
      const double slope = system_.columns.col(j).dot(residuals);
      if (!(slope > steepest * kSame)) continue;
      steepest = slope;
      entering = j;
    }
    return entering;
  }

  // False if the column depends on the members or would become negative.
  bool Enter(Index entering) {
    Members members = members_;
    members.push_back(entering);
    Factored factored = Factor(system_, members);
    if (factored.members.size() < members.size()) return false;
    VectorXd wanted = Solve(system_, factored).coefficients;
    if (!(wanted[wanted.size() - 1] > 0)) return false;
    members_ = std::move(members);
    while (wanted.size() > 0 && !(wanted.minCoeff() > 0)) {
      MoveUntilOneIsZero(wanted);
      factored = Factor(system_, members_);
      members_ = factored.members;
      wanted = Solve(system_, factored).coefficients;
    }
    coefficients_.setZero();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      coefficients_[members_[k]] = wanted[static_cast<Index>(k)];
    }
    return true;
  }

  // Moves towards `wanted` as far as no coefficient is negative, and drops the members that are 0.
  void MoveUntilOneIsZero(const VectorXd& wanted) {
    constexpr double kNever = 2;
    std::vector<double> parts;  // of the way until each is 0
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const double now = coefficients_[members_[k]];
      const double then = wanted[static_cast<Index>(k)];
      parts.push_back(then > 0 ? kNever : now > 0 ? now / (now - then) : 0);
    }
    const double part = std::ranges::min(parts);
    Members kept;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      double& now = coefficients_[members_[k]];
      const bool is_zero = parts[k] <= part;
      now = is_zero ? 0 : now + part * (wanted[static_cast<Index>(k)] - now);
      if (!is_zero) kept.push_back(members_[k]);
    }
    members_ = std::move(kept);
  }

  const System& system_;
  VectorXd coefficients_;
  Members members_;  // in the order in which they entered
  std::vector<bool> refused_;
  double noise_;
};

Members All(Index count) {
  Members members;
  for (Index j = 0; j < count; ++j) members.push_back(j);
  return members;
}

}  // namespace

Result<LinearFit> LeastSquares(Columns columns, std::span<const double> target,
                               std::span<const double> weights) {
  TRY(const System system, Weigh(columns, target, weights));
  return FitOf(system, Factor(system, All(system.columns.cols())), columns, target);
}

Result<LinearFit> NonNegativeLeastSquares(Columns columns, std::span<const double> target,
                                          std::span<const double> weights) {
  TRY(const System system, Weigh(columns, target, weights));
  TRY(LinearFit fit, FitOf(system, Factor(system, ActiveSet(system).Find()), columns, target));
  // In another order of the columns, rounding could make a coefficient near 0 negative.
  for (double& coefficient : fit.coefficients) coefficient = std::max(coefficient, 0.0);
  return fit;
}

ColumnSpace::ColumnSpace(Columns columns, std::size_t rows) : rows_(rows) {
  const auto count = static_cast<Index>(columns.size());
  System system{MatrixXd(static_cast<Index>(rows), count), VectorXd(count), {}, {}, rows};
  for (Index j = 0; j < count; ++j) {
    CHECK(columns[Place(j)].size() == rows);
    system.columns.col(j) = AsVector(columns[Place(j)]);
  }
  ScaleColumns(system);
  const Factored factored = Factor(system, All(count));
  const std::size_t rank = factored.members.size();
  if (rank == 0) return;
  MatrixXd basis = MatrixXd::Identity(static_cast<Index>(rows), static_cast<Index>(rank));
  basis.applyOnTheLeft(factored.qr.householderQ());
  basis_.assign(basis.data(), basis.data() + basis.size());
}

void ColumnSpace::TakeOut(std::span<const double> vector, std::span<double> rest) const {
  CHECK(vector.size() == rows_ && rest.size() == rows_);
  std::ranges::copy(vector, rest.begin());
  if (basis_.empty()) return;
  const auto rows = static_cast<Index>(rows_);
  const Eigen::Map<const MatrixXd> basis(basis_.data(), rows,
                                         static_cast<Index>(basis_.size() / rows_));
  Eigen::Map<VectorXd> left(rest.data(), rows);
  left -= basis * (basis.transpose() * left).eval();
}

double ColumnSpace::Leverage(std::size_t row) const {
  CHECK(row < rows_);
  double sum = 0;
  for (std::size_t at = row; at < basis_.size(); at += rows_) sum += basis_[at] * basis_[at];
  return sum;
}

}  // namespace tare::stats
