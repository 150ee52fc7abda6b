// memory_model.cc: times per level, fitted to a curve or computed from the figures of the levels.
#include "machine/profile/memory_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/printable.h"
#include "machine/profile/hit_rates.h"
#include "stats/least_squares.h"
#include "stats/summary.h"

namespace tare::machine_profile {
namespace {

// A level that serves less than this at every point is indistinguishable from noise.
constexpr double kMinShare = 0.01;

// Errors beyond this multiple of the median count linearly instead of quadratically (Huber): next
// to a step the model is off by the step's whole height.
constexpr double kFarError = 3;
constexpr double kMinFar = 1e-6;
constexpr int kRounds = 50;

// The times of a point's levels, each if it served all accesses, relative to the measured time.
using Ratios = std::vector<double>;

// 0 when there are no errors.
double ErrorQuantile(const std::vector<double>& errors, double part) {
  return stats::Quantile(errors, part).value_or(0);
}

// The logarithm of computed over measured seconds.
double LogErrorOf(const Ratios& row, const std::vector<double>& seconds) {
  // Beyond these limits the fit has failed, and infinity must not enter the sums.
  constexpr double kMin = 1e-6;
  constexpr double kMax = 1e6;
  const double ratio = std::inner_product(seconds.begin(), seconds.end(), row.begin(), 0.0);
  if (!(ratio > kMin)) return std::log(kMin);
  return std::log(std::min(ratio, kMax));
}

std::vector<double> ErrorsOf(std::span<const Ratios> rows, const std::vector<double>& seconds) {
  std::vector<double> errors;
  for (const Ratios& row : rows) errors.push_back(std::abs(LogErrorOf(row, seconds)));
  return errors;
}

// One equation per point: shares times seconds, divided by the measured seconds, is 1.
std::vector<Ratios> RowsOf(const Curve& curve, std::span<const Level> levels) {
  std::vector<Ratios> rows;
  for (const CurvePoint& point : curve.points) {
    if (point.rate.verdict == Verdict::kRefused || !(point.rate.Value() > 0)) continue;
    Ratios row = ServedShares(levels, curve.key, point.bytes);
    for (double& share : row) share *= point.rate.Value();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<bool> KnownLevels(const Curve& curve, std::span<const Level> levels) {
  std::vector<bool> known(levels.size(), false);
  for (const CurvePoint& point : curve.points) {
    const auto shares = ServedShares(levels, curve.key, point.bytes);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] > kMinShare) known[i] = true;
    }
  }
  return known;
}

// Squared ratios would penalize a time that is too long more than one that is too short by the same
// factor; these weights turn them into squared logarithms.
double LogWeight(double log_error) {
  const double beyond = std::expm1(log_error);
  return beyond == 0 ? 1 : std::pow(log_error / beyond, 2);
}

// Needs one row or more.
Result<std::vector<double>> RobustFit(std::span<const Ratios> rows) {
  std::vector<std::vector<double>> values(rows.front().size());
  for (const Ratios& row : rows) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i].push_back(row[i]);
  }
  const std::vector<std::span<const double>> columns(values.begin(), values.end());
  const std::vector<double> ones(rows.size(), 1.0);
  std::vector<double> weights = ones;
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    TRY(auto fit, stats::NonNegativeLeastSquares(columns, ones, weights));
    seconds = std::move(fit.coefficients);
    const double far = std::max(kFarError * ErrorQuantile(ErrorsOf(rows, seconds), 0.5), kMinFar);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double error = LogErrorOf(rows[i], seconds);
      weights[i] = LogWeight(error) * far / std::max(std::abs(error), far);
    }
  }
  return seconds;
}

struct Transfers {
  double load = 0;
  double store = 0;
};

// Seconds of what `access` does with `bytes`.
std::optional<Transfers> TransfersOf(const Level& level, Access access, double bytes) {
  const bool loads = access != Access::kStore;
  const bool stores = access != Access::kLoad;
  if ((loads && !level.load) || (stores && !level.store)) return std::nullopt;
  return Transfers{loads ? bytes / level.load->Value() : 0,
                   stores ? bytes / level.store->Value() : 0};
}

}  // namespace

double CurveModel::Seconds(std::span<const Level> levels, std::uint64_t bytes) const {
  const auto shares = ServedShares(levels, key, bytes);
  CHECK(shares.size() == seconds.size());
  return std::inner_product(shares.begin(), shares.end(), seconds.begin(), 0.0);
}

Result<CurveModel> FitCurve(const Curve& curve, std::span<const Level> levels) {
  const auto rows = RowsOf(curve, levels);
  if (rows.empty() || rows.size() < levels.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} has {} points, too few to fit the times of {} levels",
                            CurveName(curve.key), rows.size(), levels.size()));
  }
  TRY(auto seconds, RobustFit(rows));
  CurveModel model{.key = curve.key, .seconds = std::move(seconds), .known = {}};
  model.known = KnownLevels(curve, levels);
  for (const CurvePoint& point : curve.points) {
    if (!(model.Seconds(levels, point.bytes) > 0)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("the points of {} do not fit the levels", CurveName(curve.key)));
    }
  }
  const auto errors = ErrorsOf(rows, model.seconds);
  model.median_error = std::expm1(ErrorQuantile(errors, 0.5));
  model.usual_error = std::expm1(ErrorQuantile(errors, kConfidence));
  model.worst_error = std::expm1(ErrorQuantile(errors, 1));
  return model;
}

std::optional<double> LevelSeconds(std::span<const Level> levels, std::size_t index,
                                   const CurveKey& key, unsigned widest_bytes) {
  const Level& level = levels[index];
  if (key.pattern == Pattern::kChained) {
    if (!level.latency || !levels[0].latency) return std::nullopt;
    // The store of an update hits the nearest level, and nothing waits for it.
    const double stores = key.AccessesPerElement() - 1;
    const double nearest = levels[0].latency->Value() / key.AccessesPerElement();
    return index == 0 ? nearest : level.latency->Value() - stores * nearest;
  }
  const auto element =
      TransfersOf(levels[0], key.access, std::max(key.element_bytes, widest_bytes));
  if (!element) return std::nullopt;
  const double nearest = (element->load + element->store) / key.AccessesPerElement();
  if (index == 0) return nearest;
  const unsigned line = level.line_bytes == 0 ? LineBytes(levels) : level.line_bytes;
  const auto moved = TransfersOf(level, key.access, line);
  if (!moved) return std::nullopt;
  // A stored line is loaded and later written: the rate of stores contains both.
  double line_seconds = std::max(moved->load, moved->store);
  if (key.pattern == Pattern::kRandom || std::uint64_t{key.stride} * key.element_bytes >= line) {
    if (!level.latency || !level.parallel) return std::nullopt;
    line_seconds = std::max(line_seconds, level.latency->Value() / level.parallel->Value());
  }
  // The line arrives while the core is busy with the accesses to the previous one.
  const double accesses = AccessesPerLine(key, line);
  return std::max(accesses * nearest, line_seconds) - (accesses - 1) * nearest;
}

Result<CurveModel> ModelFromLevels(std::span<const Level> levels, const CurveKey& key,
                                   unsigned widest_bytes) {
  CurveModel model{.key = key, .seconds = {}, .known = std::vector<bool>(levels.size(), true)};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto seconds = LevelSeconds(levels, i, key, widest_bytes);
    if (!seconds) {
      return Fail(ErrorKind::kUsage, fmt::format("{} lacks figures that {} needs",
                                                 Printable(levels[i].name), CurveName(key)));
    }
    model.seconds.push_back(*seconds);
  }
  return model;
}

unsigned WidestElement(const Profile& profile) {
  constexpr unsigned kScalar = 8;
  constexpr double kMax = 1 << 12;
  unsigned widest = 0;
  for (const Curve& curve : profile.curves) widest = std::max(widest, curve.key.element_bytes);
  if (widest > 0) return widest;
  const Rate* rate = profile.FindRate("widest element");
  if (rate == nullptr || rate->unit != "B" || !(rate->figure.Value() <= kMax)) return kScalar;
  return std::max(kScalar, std::bit_floor(static_cast<unsigned>(rate->figure.Value())));
}

}  // namespace tare::machine_profile
