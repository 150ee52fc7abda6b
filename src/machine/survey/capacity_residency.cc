// capacity_residency.cc: the plateau of the resident bytes, and the curve just below it.
#include "machine/survey/capacity_residency.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "machine/profile/origin.h"
#include "machine/survey/capacity_fit.h"
#include "stats/summary.h"

namespace tare::survey {
namespace {

// A working set has overflown when less than this share is resident.
constexpr double kOverflown = 0.75;
// The plateau: above the lower limit every group of sets overflows; below the upper limit warming
// up is short.
constexpr double kPlateauLow = 1.1;
constexpr double kPlateauHigh = 2.1;
// The range in which some cache sets are full and others are not.
constexpr double kBowLow = 0.4;
constexpr double kBowHigh = 1.1;
// Minimum share of the ways that is available to the working set.
constexpr double kMinKept = 0.75;
constexpr unsigned kResamples = 100;
constexpr unsigned kMaxWays = 64;

std::vector<double> Resampled(std::span<const double> values, stats::Generator& generator) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < values.size(); ++i)
    drawn.push_back(values[generator.Below(values.size())]);
  return drawn;
}

// Ways for which the number of sets is a power of two, up to kMaxWays and with at least two groups
// of sets.
std::vector<unsigned> PossibleWays(double built, double page) {
  std::vector<unsigned> ways;
  for (unsigned one = 1; one <= kMaxWays; ++one) {
    const double groups = built / (one * page);
    if (groups >= 2 && std::exp2(std::round(std::log2(groups))) == groups) ways.push_back(one);
  }
  return ways;
}

// The resident share of a working set whose pages fall into `groups` of cache sets at random.
// `ways` may be fractional: some sets then have one way more than others.
double ResidentPart(double bytes, double groups, double ways, double page) {
  const auto whole = static_cast<unsigned>(ways);
  const double more = ways - whole;
  const double fewer_ways =
      whole == 0 ? 1 : OverflowShare(bytes, groups * whole * page, whole, page);
  const double more_ways = OverflowShare(bytes, groups * (whole + 1) * page, whole + 1, page);
  return 1 - (1 - more) * fewer_ways - more * more_ways;
}

unsigned BestWays(std::span<const Residency> sets, std::span<const unsigned> ways, double built,
                  double page) {
  unsigned best = 0;
  double min = std::numeric_limits<double>::infinity();
  for (const unsigned one : ways) {
    for (double kept = kMinKept; kept <= 1; kept += 0.01) {
      double squares = 0;
      for (const Residency& set : sets) {
        const double expected = ResidentPart(set.bytes, built / (one * page), one * kept, page);
        const double left = MiddleMean(set.resident) / set.bytes - expected;
        squares += left * left;
      }
      if (squares >= min) continue;
      min = squares;
      best = one;
    }
  }
  return best;
}

}  // namespace

double SampleQuantile(std::span<const double> samples, double q) {
  const auto quantile = stats::Quantile(samples, q);
  CHECK(quantile.has_value());
  return *quantile;
}

std::optional<Measured> CapacityOf(std::span<const Residency> sets, stats::Generator& generator) {
  const auto first = std::ranges::find_if(
      sets, [](const Residency& set) { return MiddleMean(set.resident) < kOverflown * set.bytes; });
  if (first == sets.end()) return std::nullopt;
  std::vector<double> plateau;
  for (const Residency& set : sets) {
    if (set.bytes < kPlateauLow * first->bytes || set.bytes > kPlateauHigh * first->bytes) continue;
    plateau.insert(plateau.end(), set.resident.begin(), set.resident.end());
  }
  // On a disturbed machine so few loads hit that no capacity follows.
  if (plateau.empty() || !(MiddleMean(plateau) > 0)) return std::nullopt;
  std::vector<double> means;
  for (unsigned i = 0; i < kResamples; ++i)
    means.push_back(MiddleMean(Resampled(plateau, generator)));
  return Between(MiddleMean(plateau), SampleQuantile(means, 0.025), SampleQuantile(means, 0.975),
                 machine_profile::kConfidence);
}

std::optional<WaysEstimate> WaysOf(std::span<const Residency> sets, double built, double page,
                                   stats::Generator& generator) {
  const std::vector<unsigned> ways = PossibleWays(built, page);
  std::vector<Residency> near;
  for (const Residency& set : sets) {
    if (set.bytes >= kBowLow * built && set.bytes <= kBowHigh * built) near.push_back(set);
  }
  if (ways.empty() || near.empty()) return std::nullopt;
  WaysEstimate estimate{BestWays(near, ways, built, page), kMaxWays, 0};
  std::vector<double> drawn;
  for (unsigned i = 0; i < kResamples; ++i) {
    std::vector<Residency> again = near;
    for (Residency& set : again) set.resident = Resampled(set.resident, generator);
    drawn.push_back(BestWays(again, ways, built, page));
  }
  estimate.low = static_cast<unsigned>(SampleQuantile(drawn, 0.025));
  estimate.high = static_cast<unsigned>(SampleQuantile(drawn, 0.975));
  return estimate;
}

}  // namespace tare::survey
