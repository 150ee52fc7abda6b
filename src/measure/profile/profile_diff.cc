// profile_diff.cc: score tests of two proportions, Holm's correction and Newcombe's intervals.
#include "measure/profile/profile_diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "measure/profile/profile_shares.h"
#include "stats/correction.h"
#include "stats/distribution.h"
#include "stats/interval.h"

namespace tare::profile {
namespace {

// Newcombe (1998), method 10: from the Wilson intervals of both shares.
Measured DifferenceOf(const Measured& first, const Measured& second) {
  const double difference = second.Value() - first.Value();
  const double below = std::hypot(second.Value() - second.Low(), first.High() - first.Value());
  const double above = std::hypot(second.High() - second.Value(), first.Value() - first.Low());
  return Between(difference, difference - below, difference + above,
                 first.confidence.value_or(0.95));
}

double ScoreTest(double a, double all_a, double b, double all_b) {
  const double pooled = (a + b) / (all_a + all_b);
  const double variance = pooled * (1 - pooled) * (1 / all_a + 1 / all_b);
  if (variance <= 0) return 1;
  return stats::NormalTwoSided((a / all_a - b / all_b) / std::sqrt(variance));
}

}  // namespace

Result<ProfileDiff> CompareProfiles(const format::SampledProfile& first,
                                    const format::SampledProfile& second, double confidence) {
  const std::array profiles = {&first, &second};
  std::map<std::pair<std::string, std::string>, FunctionChange> changes;
  ProfileDiff diff;
  double all[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    TRY(const Shares shares, SharesOf(*profiles[i], Part::kFunction, confidence));
    all[i] = static_cast<double>(shares.samples);
    diff.seconds[i] = shares.cpu_seconds;
    for (const PartShare& row : shares.rows) {
      if (row.samples == 0) continue;
      const std::string object(FileNameOf(row.object));
      FunctionChange& change = changes[{object, row.function}];
      change.object = object;
      change.function = row.function;
      change.samples[i] += row.samples;
    }
  }
  std::vector<double> p_values;
  for (auto& [key, change] : changes) {
    for (std::size_t i = 0; i < 2; ++i) {
      TRY(const Measured share,
          stats::ProportionInterval(change.samples[i], static_cast<std::uint64_t>(all[i]),
                                    confidence));
      change.share[i] = share;
    }
    p_values.push_back(ScoreTest(static_cast<double>(change.samples[0]), all[0],
                                 static_cast<double>(change.samples[1]), all[1]));
  }
  TRY(const auto adjusted, stats::Holm(p_values));
  std::size_t next = 0;
  for (auto& [key, change] : changes) {
    change.p = adjusted[next++];
    change.significant = change.p <= 1 - confidence;
    change.time_change = DifferenceOf(Scaled(change.share[0], diff.seconds[0]),
                                      Scaled(change.share[1], diff.seconds[1]));
    for (Measured& share : change.share) share = Scaled(std::move(share), 100);
    change.share_change = DifferenceOf(change.share[0], change.share[1]);
    diff.significant += change.significant ? 1 : 0;
    diff.functions.push_back(std::move(change));
  }
  std::ranges::sort(diff.functions, {}, [](const FunctionChange& change) {
    return std::tuple(!change.significant, -std::fabs(change.share_change.Value()),
                      std::string_view(change.object), std::string_view(change.function));
  });
  return diff;
}

}  // namespace tare::profile
