// nonnegative_fit.cc: least squares on every subset of the unknowns; the best feasible one wins.
#include "machine/profile/nonnegative_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"

namespace tare::machine_profile {
namespace {

using Matrix = std::vector<std::vector<double>>;

// The normal equations of columns scaled to length 1.
struct Normal {
  Matrix products;
  std::vector<double> targets;
  std::vector<double> lengths;
  double target_square = 0;
};

Normal NormalOf(std::span<const FitRow> rows, std::size_t count) {
  Normal normal{Matrix(count, std::vector<double>(count)), std::vector<double>(count),
                std::vector<double>(count), 0};
  for (const FitRow& row : rows) {
    normal.target_square += row.weight * row.target * row.target;
    for (std::size_t i = 0; i < count; ++i) {
      normal.targets[i] += row.weight * row.coefficients[i] * row.target;
      for (std::size_t j = 0; j < count; ++j) {
        normal.products[i][j] += row.weight * row.coefficients[i] * row.coefficients[j];
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) normal.lengths[i] = std::sqrt(normal.products[i][i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (normal.lengths[i] == 0) continue;
    normal.targets[i] /= normal.lengths[i];
    for (std::size_t j = 0; j < count; ++j) {
      if (normal.lengths[j] != 0) normal.products[i][j] /= normal.lengths[i] * normal.lengths[j];
    }
  }
  return normal;
}

// Cholesky decomposition with forward and back substitution; nothing when the columns are linearly
// dependent.
std::optional<std::vector<double>> Solve(Matrix a, std::vector<double> b) {
  constexpr double kMinPivot = 1e-10;
  const std::size_t count = b.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      if (i == j) {
        if (!(a[i][i] > kMinPivot)) return std::nullopt;
        a[i][i] = std::sqrt(a[i][i]);
      } else {
        a[i][j] /= a[j][j];
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

std::vector<std::size_t> Members(std::size_t subset, const Normal& normal) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < normal.targets.size(); ++i) {
    if ((subset >> i & 1) != 0 && normal.lengths[i] > 0) members.push_back(i);
  }
  return members;
}

std::optional<std::vector<double>> SolveFor(const Normal& normal,
                                            const std::vector<std::size_t>& members) {
  Matrix a;
  std::vector<double> b;
  for (const std::size_t i : members) {
    a.emplace_back();
    for (const std::size_t j : members) a.back().push_back(normal.products[i][j]);
    b.push_back(normal.targets[i]);
  }
  return Solve(std::move(a), std::move(b));
}

}  // namespace

std::vector<double> NonNegativeFit(std::span<const FitRow> rows) {
  const std::size_t count = rows.empty() ? 0 : rows.front().coefficients.size();
  CHECK(count <= kMaxUnknowns);
  std::vector<double> best(count, 0.0);
  if (count == 0) return best;
  const Normal normal = NormalOf(rows, count);
  double min = normal.target_square;
  for (std::size_t subset = 1; subset < std::size_t{1} << count; ++subset) {
    const auto members = Members(subset, normal);
    const auto solution = members.empty() ? std::nullopt : SolveFor(normal, members);
    if (!solution || std::ranges::any_of(*solution, [](double x) { return !(x >= 0); })) continue;
    // At a solution the residual sum of squares is that of the target minus the explained part.
    double left = normal.target_square;
    for (std::size_t i = 0; i < members.size(); ++i) {
      left -= (*solution)[i] * normal.targets[members[i]];
    }
    if (!(left < min)) continue;
    min = left;
    std::ranges::fill(best, 0.0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      best[members[i]] = (*solution)[i] / normal.lengths[members[i]];
    }
  }
  return best;
}

}  // namespace tare::machine_profile
