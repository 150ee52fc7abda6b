// permutation.h: whether groups of samples differ, with nothing assumed about their distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

struct GroupsTest {
  double statistic;  // location and spread together; grows with the difference
  double p;          // chance of as large a one when the labels mean nothing
};

struct PermutationOptions {
  std::uint64_t seed = 1;
  std::size_t shuffles = 4999;
};

// Whether the groups differ in location or in spread. The statistic is that of Lepage (1971), for
// any number of groups: Kruskal and Wallis' of the ranks, and the same of Ansari and Bradley's
// scores. Its distribution comes from shuffling the labels, so ties, such as repeated counts, are
// no matter; p is at least 1 / (shuffles + 1) and never too small. Needs two groups or more, one
// sample or more in each, three in all, finite. Samples that are all equal give p = 1.
Result<GroupsTest> CompareGroups(std::span<const std::vector<double>> groups,
                                 const PermutationOptions& options = {});

}  // namespace tare::stats
