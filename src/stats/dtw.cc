// dtw.cc: checks the signals to be aligned and assembles the results.
#include "stats/dtw.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stats/dtw_path.h"
#include "stats/dtw_quality.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// Copies the signals into one array; fails unless all have the same length.
Result<std::vector<double>> Gather(const char* name, Signals signals) {
  std::vector<double> gathered;
  gathered.reserve(signals.size() * signals[0].size());
  for (std::size_t s = 0; s < signals.size(); ++s) {
    TRY_VOID(RequireSamples(fmt::format("warping, {} signal", name), signals[s], 1));
    if (signals[s].size() != signals[0].size()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("warping: {} signal 1 has {} samples and {} signal {} has {}; "
                              "signals recorded together must have equal lengths",
                              name, signals[0].size(), name, s + 1, signals[s].size()));
    }
    gathered.insert(gathered.end(), signals[s].begin(), signals[s].end());
  }
  return gathered;
}

Result<WarpProblem> Pose(Signals a, Signals b, const DtwOptions& options) {
  if (a.empty() || a.size() != b.size()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format(
            "warping: {} first and {} second signals; the numbers must be equal and at least 1",
            a.size(), b.size()));
  }
  WarpProblem problem{};
  TRY(problem.a, Gather("first", a));
  TRY(problem.b, Gather("second", b));
  problem.rows = a[0].size();
  problem.columns = b[0].size();
  problem.signals = a.size();
  problem.cost = options.cost;
  problem.kernels = BestStripKernels();
  const std::size_t widest = std::max(problem.rows, problem.columns);
  const std::size_t needed = widest - std::min(problem.rows, problem.columns);
  problem.band = std::min(options.band.value_or(widest), widest);
  if (problem.band < needed) {
    return Fail(ErrorKind::kUsage,
                fmt::format("warping: signals of {} and {} samples cannot be aligned within a band "
                            "of {}; use at least {}",
                            problem.rows, problem.columns, problem.band, needed));
  }
  return problem;
}

Result<double> RequireInRange(double distance) {
  if (std::isfinite(distance)) return distance;
  return Fail(ErrorKind::kUsage,
              "warping: the sum of costs is beyond the largest number; use a larger unit");
}

}  // namespace

Result<double> DtwDistance(Signals a, Signals b, const DtwOptions& options) {
  TRY(const WarpProblem problem, Pose(a, b, options));
  return RequireInRange(WarpDistance(problem));
}

Result<double> DtwDistance(std::span<const double> a, std::span<const double> b,
                           const DtwOptions& options) {
  return DtwDistance(Signals(&a, 1), Signals(&b, 1), options);
}

Result<DtwAlignment> DtwAlign(Signals a, Signals b, const DtwOptions& options) {
  TRY(const WarpProblem problem, Pose(a, b, options));
  WarpPath path = FindWarpPath(problem);
  TRY_VOID(RequireInRange(path.distance));
  const DtwQuality quality = AssessAlignment(problem, path.distance, path.steps);
  return DtwAlignment{.distance = path.distance, .path = std::move(path.steps), .quality = quality};
}

Result<DtwAlignment> DtwAlign(std::span<const double> a, std::span<const double> b,
                              const DtwOptions& options) {
  return DtwAlign(Signals(&a, 1), Signals(&b, 1), options);
}

}  // namespace tare::stats
