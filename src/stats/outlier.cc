// outlier.cc: modified z-scores.
#include "stats/outlier.h"

#include <fmt/format.h>

#include <cmath>

#include "stats/sample.h"

namespace tare::stats {

Result<Outliers> FindOutliers(std::span<const double> samples, double limit) {
  TRY_VOID(RequireSamples("outliers", samples, 1));
  if (!(limit > 0)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("outliers: the limit must be above 0, not {} (usually 3.5)", limit));
  }
  // Halved, so that differences of the largest doubles stay finite; the scores do not depend on
  // scale.
  std::vector<double> halves(samples.begin(), samples.end());
  for (double& sample : halves) sample /= 2;
  std::vector<double> scratch = halves;
  const double median = MedianOf(scratch);
  for (double& sample : scratch) sample = std::fabs(sample - median);
  const double mean_deviation = MomentsOf(scratch).mean;
  const double mad = MedianOf(scratch);
  // For a normal population both scales estimate the standard deviation: MAD / 0.6745, and the mean
  // deviation times sqrt(pi / 2).
  const double scale = mad > 0 ? mad / 0.6745 : mean_deviation * 1.2533141373155003;
  Outliers found{.scores = {}, .indices = {}, .by_mean_deviation = mad == 0};
  found.scores.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    found.scores.push_back(scale > 0 ? (halves[i] - median) / scale : 0);
    if (std::fabs(found.scores[i]) > limit) found.indices.push_back(i);
  }
  return found;
}

}  // namespace tare::stats
