// change_points.cc: optimal partitioning (Jackson and others 2005) by prefix sums.
#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// The deviation of the noise. The median of absolute differences ignores the few that contain a
// change; half of all differences may be 0 in counts, then the mean is taken.
double NoiseOfNeighbours(const std::vector<double>& samples) {
  std::vector<double> steps;
  double last = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double sample : samples) {
    if (std::isnan(sample)) continue;
    if (!std::isnan(last)) steps.push_back(std::abs(sample - last));
    last = sample;
    low = std::min(low, sample);
    high = std::max(high, sample);
  }
  if (steps.empty() || !(high > low)) return 0;
  double mean = 0;
  for (const double step : steps) mean += step / static_cast<double>(steps.size());
  // For normal noise, a difference has the deviation sqrt(2) sigma; its absolute value has the
  // median 0.6745 and the mean 0.7979 of that.
  const double by_median = MedianOf(steps) / (0.6745 * std::sqrt(2.0));
  const double noise = by_median > 0 ? by_median : mean / (0.7979 * std::sqrt(2.0));
  // Steps without noise: no change is smaller than a hundredth of the range.
  return std::max(noise, (high - low) / 100);
}

// Running medians of `width` samples, fewer at the ends; NaN stays.
std::vector<double> RunningMedian(const std::vector<double>& samples, std::size_t width) {
  std::vector<double> medians = samples;
  std::vector<double> window;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::isnan(samples[i])) continue;
    const std::size_t half = std::min({width / 2, i, samples.size() - 1 - i});
    window.clear();
    for (std::size_t k = i - half; k <= i + half; ++k) {
      if (!std::isnan(samples[k])) window.push_back(samples[k]);
    }
    medians[i] = MedianOf(window);
  }
  return medians;
}

bool Varies(const std::vector<double>& samples) {
  double first = std::numeric_limits<double>::quiet_NaN();
  for (const double sample : samples) {
    if (std::isnan(first)) first = sample;
    if (!std::isnan(sample) && sample != first) return true;
  }
  return false;
}

// Sums of all series up to each sample, in units of their noise.
class Sums {
 public:
  Sums(std::span<const std::vector<double>> series, std::size_t filter) {
    for (const std::vector<double>& raw : series) {
      double noise = NoiseOfNeighbours(raw);
      if (noise <= 0) continue;
      const std::vector<double> samples = filter > 1 ? RunningMedian(raw, filter) : raw;
      if (!Varies(samples)) continue;
      // The mean of n medians of normal samples has pi / 2 times the variance of the mean of n
      // samples.
      if (filter > 1) noise *= std::sqrt(std::numbers::pi / 2);
      Series& sums = series_.emplace_back();
      sums.count.push_back(0);
      sums.sum.push_back(0);
      sums.squares.push_back(0);
      const double origin =
          *std::ranges::find_if_not(samples, [](double x) { return std::isnan(x); });
      for (const double sample : samples) {
        const bool there = !std::isnan(sample);
        const double x = there ? (sample - origin) / noise : 0;
        sums.count.push_back(sums.count.back() + (there ? 1 : 0));
        sums.sum.push_back(sums.sum.back() + x);
        sums.squares.push_back(sums.squares.back() + x * x);
      }
    }
  }

  std::size_t Count() const { return series_.size(); }

  // The squared error of the samples from `first` up to `end` around their means.
  double Error(std::size_t first, std::size_t end) const {
    double error = 0;
    for (const Series& sums : series_) {
      const double count = sums.count[end] - sums.count[first];
      if (count < 1) continue;
      const double sum = sums.sum[end] - sums.sum[first];
      error += std::max(0.0, sums.squares[end] - sums.squares[first] - sum * sum / count);
    }
    return error;
  }

 private:
  struct Series {
    std::vector<double> count, sum, squares;
  };
  std::vector<Series> series_;
};

// The starts of the segments after the first.
std::vector<std::size_t> BestPartition(const Sums& sums, std::size_t samples,
                                       std::size_t min_length, double penalty) {
  std::vector<double> best(samples + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> start(samples + 1, 0);
  best[0] = -penalty;
  for (std::size_t end = min_length; end <= samples; ++end) {
    for (std::size_t first = 0; first + min_length <= end; ++first) {
      if (std::isinf(best[first])) continue;
      const double cost = best[first] + sums.Error(first, end) + penalty;
      if (cost < best[end]) {
        best[end] = cost;
        start[end] = first;
      }
    }
  }
  std::vector<std::size_t> starts;
  for (std::size_t end = samples; start[end] > 0; end = start[end]) starts.push_back(start[end]);
  std::ranges::reverse(starts);
  return starts;
}

ChangePoint WithInterval(const Sums& sums, std::size_t from, std::size_t at, std::size_t to,
                         double confidence) {
  const double least = sums.Error(from, at) + sums.Error(at, to);
  std::vector<std::pair<double, std::size_t>> weights;
  double all = 0;
  for (std::size_t t = from + 1; t < to; ++t) {
    const double weight = std::exp((least - sums.Error(from, t) - sums.Error(t, to)) / 2);
    weights.emplace_back(weight, t);
    all += weight;
  }
  std::ranges::sort(weights, std::ranges::greater());
  ChangePoint point{at, at, at};
  double held = 0;
  for (const auto& [weight, t] : weights) {
    if (held >= confidence * all) break;
    held += weight;
    point.low = std::min(point.low, t);
    point.high = std::max(point.high, t);
  }
  return point;
}

}  // namespace

std::vector<ChangePoint> FindChangePoints(std::span<const std::vector<double>> series,
                                          const ChangeOptions& options) {
  CHECK(options.min_length > 0 && options.filter % 2 == 1);
  if (series.empty() || series.front().size() < 2 * options.min_length) return {};
  const std::size_t samples = series.front().size();
  for (const std::vector<double>& one : series) CHECK(one.size() == samples);
  const Sums sums(series, options.filter);
  if (sums.Count() == 0) return {};
  double penalty =
      2 * static_cast<double>(sums.Count() + 1) * std::log(static_cast<double>(samples));
  auto starts = BestPartition(sums, samples, options.min_length, penalty);
  while (starts.size() > options.max_changes) {
    penalty *= 2;
    starts = BestPartition(sums, samples, options.min_length, penalty);
  }
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : starts[i - 1];
    const std::size_t to = i + 1 == starts.size() ? samples : starts[i + 1];
    points.push_back(WithInterval(sums, from, starts[i], to, options.confidence));
  }
  return points;
}

}  // namespace tare::stats
