// permutation.h: a distribution-free test of whether groups of samples differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

struct GroupsTest {
  double statistic;  // combines location and spread; larger for larger differences
  double p;          // p-value: probability of a statistic at least as large under random labels
};

struct PermutationOptions {
  std::uint64_t seed = 1;
  std::size_t shuffles = 4999;
};

// Tests whether the groups differ in location or in spread. The statistic generalises that of
// Lepage (1971) to any number of groups: the Kruskal-Wallis statistic of the ranks plus the same
// statistic of the Ansari-Bradley scores. Its distribution comes from permuting the labels, so
// ties, such as repeated counts, are handled correctly. The p-value is at least 1 / (shuffles + 1)
// and never too small. Needs at least two groups, one sample in each and three in all, all finite.
// If all samples are equal, p is 1.
Result<GroupsTest> CompareGroups(std::span<const std::vector<double>> groups,
                                 const PermutationOptions& options = {});

}  // namespace tare::stats
