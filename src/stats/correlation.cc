// correlation.cc: the correlations of Pearson, Spearman and Kendall.
#include "stats/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "stats/distribution.h"
#include "stats/rank.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

Result<void> RequirePairs(const char* method, std::span<const double> x, std::span<const double> y,
                          double confidence) {
  TRY_VOID(RequireConfidence(method, confidence));
  if (x.size() != y.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {} samples and {}; the numbers must be equal",
                                               method, x.size(), y.size()));
  }
  TRY_VOID(RequireSamples(method, x, 5));
  TRY_VOID(RequireSamples(method, y, 5));
  for (auto samples : {x, y}) {
    const double first = samples.front();
    if (std::ranges::all_of(samples, [&](double sample) { return sample == first; })) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: one series is constant ({}), so the correlation is undefined",
                              method, first));
    }
  }
  return {};
}

// The interval on Fisher's z scale, where the variance is known and hardly depends on the value.
Measured WithInterval(double value, double variance, double confidence) {
  value = std::clamp(value, -1.0, 1.0);
  const double centre = std::atanh(value);
  const double half = NormalCritical(confidence) * std::sqrt(variance);
  return Between(value, std::tanh(centre - half), std::tanh(centre + half), confidence);
}

// The correlation of two centred series.
double Cosine(std::span<const double> x, std::span<const double> y) {
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i];
    yy += y[i] * y[i];
    xy += x[i] * y[i];
  }
  return xy / std::sqrt(xx * yy);
}

// Differences from the mean, scaled so that neither they nor their squares overflow or underflow.
std::vector<double> Centred(std::span<const double> samples) {
  double largest = 0;
  for (double sample : samples) largest = std::max(largest, std::fabs(sample));
  const int exponent = std::ilogb(largest);
  std::vector<double> centred(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) centred[i] = std::scalbn(samples[i], -exponent);
  const double mean = MomentsOf(centred).mean;
  for (double& sample : centred) sample -= mean;
  return centred;
}

std::vector<double> CentredRanks(std::span<const double> samples) {
  std::vector<double> ranks = AverageRanks(samples);
  const double mean = (static_cast<double>(samples.size()) + 1) / 2;
  for (double& rank : ranks) rank -= mean;
  return ranks;
}

// Merge sort that returns the number of inverted pairs (Knight 1966).
std::uint64_t SortCountingInversions(std::vector<std::uint32_t>& values) {
  std::uint64_t inversions = 0;
  std::vector<std::uint32_t> merged(values.size());
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, values.size());
      const std::size_t end = std::min(begin + 2 * width, values.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t to = begin; to < end; ++to) {
        const bool from_left = right == end || (left < middle && values[left] <= values[right]);
        if (!from_left) inversions += middle - left;
        merged[to] = values[from_left ? left++ : right++];
      }
    }
    values.swap(merged);
  }
  return inversions;
}

// The number of pairs of equal values in a sorted range.
template <typename Range>
std::uint64_t TiedPairs(const Range& sorted) {
  std::uint64_t pairs = 0;
  std::uint64_t run = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    run = sorted[i] == sorted[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

double KendallTau(std::span<const double> x, std::span<const double> y) {
  const std::vector<std::uint32_t> rank_x = DenseRanks(x);
  const std::vector<std::uint32_t> rank_y = DenseRanks(y);
  // Sorted by x, and by y among equal x.
  std::vector<std::uint64_t> pairs(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    pairs[i] = std::uint64_t{rank_x[i]} << 32 | rank_y[i];
  }
  std::ranges::sort(pairs);
  std::vector<std::uint32_t> sorted_x(x.size());
  std::vector<std::uint32_t> sorted_y(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    sorted_x[i] = static_cast<std::uint32_t>(pairs[i] >> 32);
    sorted_y[i] = static_cast<std::uint32_t>(pairs[i]);
  }
  const double tied_both = static_cast<double>(TiedPairs(pairs));
  const double discordant = static_cast<double>(SortCountingInversions(sorted_y));
  const double tied_x = static_cast<double>(TiedPairs(sorted_x));
  const double tied_y = static_cast<double>(TiedPairs(sorted_y));
  const double n = static_cast<double>(x.size());
  const double all = n * (n - 1) / 2;
  const double concordant_less_discordant = all - tied_x - tied_y + tied_both - 2 * discordant;
  return concordant_less_discordant / std::sqrt((all - tied_x) * (all - tied_y));
}

}  // namespace

Result<Measured> Pearson(std::span<const double> x, std::span<const double> y, double confidence) {
  TRY_VOID(RequirePairs("Pearson's correlation", x, y, confidence));
  const double n = static_cast<double>(x.size());
  return WithInterval(Cosine(Centred(x), Centred(y)), 1 / (n - 3), confidence);
}

Result<Measured> Spearman(std::span<const double> x, std::span<const double> y, double confidence) {
  TRY_VOID(RequirePairs("Spearman's correlation", x, y, confidence));
  const double n = static_cast<double>(x.size());
  const double rho = Cosine(CentredRanks(x), CentredRanks(y));
  return WithInterval(rho, (1 + rho * rho / 2) / (n - 3), confidence);
}

Result<Measured> Kendall(std::span<const double> x, std::span<const double> y, double confidence) {
  TRY_VOID(RequirePairs("Kendall's correlation", x, y, confidence));
  const double n = static_cast<double>(x.size());
  return WithInterval(KendallTau(x, y), 0.437 / (n - 4), confidence);
}

}  // namespace tare::stats
