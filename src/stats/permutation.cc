// permutation.cc: Lepage's statistic for several groups, and its distribution by permutation.
#include "stats/permutation.h"

#include <algorithm>
#include <utility>

#include "stats/random.h"
#include "stats/rank.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// Scores scaled to mean 0 and variance 1, so that the two statistics are comparable; empty if all
// scores are equal.
std::vector<double> Standardized(std::vector<double> scores) {
  const Moments moments = MomentsOf(scores);
  if (moments.standard_deviation == 0) return {};
  for (double& score : scores) score = (score - moments.mean) / moments.standard_deviation;
  return scores;
}

// Ansari and Bradley's scores: the distance of each rank from the nearer end of the order.
std::vector<double> EndScores(std::span<const double> ranks) {
  std::vector<double> scores;
  const double ends = static_cast<double>(ranks.size()) + 1;
  for (const double rank : ranks) scores.push_back(std::min(rank, ends - rank));
  return scores;
}

// The sum over all groups of size times squared mean.
double BetweenGroups(std::span<const double> scores, std::span<const std::size_t> order,
                     std::span<const std::size_t> sizes) {
  if (scores.empty()) return 0;
  double statistic = 0;
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += scores[order[next++]];
    statistic += sum * sum / static_cast<double>(size);
  }
  return statistic;
}

}  // namespace

Result<GroupsTest> CompareGroups(std::span<const std::vector<double>> groups,
                                 const PermutationOptions& options) {
  constexpr const char* kMethod = "comparing groups";
  if (groups.size() < 2)
    return Fail(ErrorKind::kUsage, "comparing groups needs at least two groups");
  std::vector<double> samples;
  std::vector<std::size_t> sizes;
  for (const std::vector<double>& group : groups) {
    TRY_VOID(RequireSamples(kMethod, group, 1));
    samples.insert(samples.end(), group.begin(), group.end());
    sizes.push_back(group.size());
  }
  TRY_VOID(RequireSamples(kMethod, samples, 3));

  const std::vector<double> ranks = AverageRanks(samples);
  const std::vector<double> location = Standardized(ranks);
  const std::vector<double> spread = Standardized(EndScores(ranks));
  std::vector<std::size_t> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto statistic = [&] {
    return BetweenGroups(location, order, sizes) + BetweenGroups(spread, order, sizes);
  };
  const double observed = statistic();
  if (location.empty()) return GroupsTest{0, 1};

  // The summation order changes the last bits; an equal arrangement must count as equal.
  const double at_least = observed * (1 - 1e-9);
  Generator generator(options.seed);
  std::size_t reached = 0;
  for (std::size_t shuffle = 0; shuffle < options.shuffles; ++shuffle) {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(generator.Below(i))]);
    }
    if (statistic() >= at_least) ++reached;
  }
  return GroupsTest{observed,
                    static_cast<double>(reached + 1) / static_cast<double>(options.shuffles + 1)};
}

}  // namespace tare::stats
