// block_use.cc: scales what was sampled, and adds the references at depth and distance 0.
#include "predict/signature/block_use.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "base/check.h"

namespace tare::signature {
namespace {

// One group at random of each of `count` equal parts; the same for the same seed. Neighbouring
// groups are used alike, since structures are aligned to pages.
std::uint32_t ChooseGroups(unsigned count, std::uint64_t seed) {
  if (count >= reuse::kMaxGroups) return ~std::uint32_t{0};
  std::mt19937_64 random(seed);
  std::uint32_t chosen = 0;
  for (unsigned part = 0; part < count; ++part) {
    const unsigned first = part * reuse::kMaxGroups / count;
    const unsigned end = (part + 1) * reuse::kMaxGroups / count;
    chosen |= std::uint32_t{1} << (first + random() % (end - first));
  }
  return chosen;
}

// Multiplies the sum of each depth and those beyond it, up to the number of references. Depth 0 is
// what is left.
void ScaleDepths(std::span<std::uint64_t> at_depth, std::uint64_t references,
                 std::span<const double> scales) {
  std::uint64_t raw = 0;
  std::uint64_t beyond = 0;
  for (std::size_t depth = at_depth.size(); depth-- > 1;) {
    raw += at_depth[depth];
    const double scaled = std::round(static_cast<double>(raw) * scales[depth]);
    const std::uint64_t now =
        std::max(beyond, std::min(references, static_cast<std::uint64_t>(scaled)));
    at_depth[depth] = now - beyond;
    beyond = now;
  }
  at_depth[0] = references - beyond;
}

void AddTo(std::vector<double>& sums, const std::vector<double>& more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

}  // namespace

Sampling Sampling::Exact() {
  Sampling exact;
  exact.near_groups = reuse::kMaxGroups;
  exact.page_entries = 1;
  exact.branch_chunks = exact.branch_period;
  exact.page_chunks = exact.page_period / 4;
  exact.window_period = 4 * exact.window_parts;
  return exact;
}

reuse::MemoryUsePlan MemoryPlanOf(const Grid& grid, const Sampling& sampling,
                                  unsigned stride_depth) {
  reuse::MemoryUsePlan plan;
  plan.shapes = {grid.line_bytes, grid.min_way_bytes, grid.max_way_bytes, grid.max_ways};
  plan.groups = ChooseGroups(sampling.near_groups, sampling.seed);
  plan.far = {.rate_bits = sampling.far_bits,
              .max_lines = sampling.max_far_lines,
              .seed = sampling.seed,
              .bin = DistanceBin};
  // Far lines are chosen among the near ones if these are enough, so that no others matter.
  const std::uint64_t near = reuse::NearLines(plan.shapes, plan.groups);
  const auto lines = static_cast<unsigned>(std::popcount(near));
  const unsigned sampled = 64U >> std::min(sampling.far_bits, reuse::kRegionShift);
  if (std::has_single_bit(lines) && sampled <= lines) plan.far.eligible = near;
  plan.page_bytes = grid.page_bytes;
  plan.page_entries = sampling.page_entries;
  plan.stride_depth = stride_depth;
  return plan;
}

UseReader::UseReader(const reuse::MemoryUse& memory, const Grid& grid)
    : memory_(memory), grid_(grid) {
  const int covered = std::popcount(memory.groups());
  CHECK(covered > 0);
  scale_ = static_cast<double>(memory.AllGroups()) / covered;
  depth_scales_ = memory.GroupScales();
  for (auto& [owner, estimate] : memory.far().Estimates()) far_.emplace(owner, std::move(estimate));
}

bool UseReader::near_exact() const {
  return static_cast<unsigned>(std::popcount(memory_.groups())) == memory_.AllGroups();
}

void UseReader::Add(std::uint32_t owner, BlockUse& use) const {
  AddNear(owner, use.near);
  AddFar(owner, use.far);
  AddPages(owner, use.pages);
  AddStrides(owner, use.strides);
}

// Until Complete, counts are unscaled, depth 0 has the further lines of accesses that span several,
// and errors are variances.
void UseReader::AddNear(std::uint32_t owner, NearReuse& near) const {
  const reuse::StackGrid& grid = memory_.grid();
  if (grid.HasDepths(owner)) {
    near.at_depth.resize(grid_.Shapes() * grid_.Depths());
    grid.AddDepths(owner, near.at_depth);
    for (std::size_t shape = 0; shape < grid_.Shapes(); ++shape) {
      near.at_depth[shape * grid_.Depths()] +=
          memory_.FurtherLines(owner, shape / grid_.SetCounts());
    }
  }
  if (grid.HasWriteBacks(owner)) {
    near.write_backs.resize(grid_.Shapes() * grid_.max_ways);
    grid.AddWriteBacks(owner, near.write_backs);
  }
  if (near_exact()) return;
  const auto groups = memory_.GroupsOf(owner);
  const double sum = static_cast<double>(std::accumulate(groups.begin(), groups.end(), 0ULL));
  const double covered = std::popcount(memory_.groups());
  double squares = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double deviation = static_cast<double>(groups[i]) - sum / covered;
    if ((memory_.groups() >> i & 1) != 0) squares += deviation * deviation;
  }
  // A sample of `covered` of all groups without replacement (Cochran 1977, theorem 2.2).
  const double variance = covered > 1 ? squares / (covered - 1) : sum * sum;
  near.moved += sum * scale_;
  near.moved_error += scale_ * scale_ * covered * variance * (1 - 1 / scale_);
}

void UseReader::AddFar(std::uint32_t owner, FarReuse& far) const {
  const auto found = far_.find(owner);
  if (found == far_.end()) return;
  const auto& estimate = found->second;
  AddTo(far.at_distance, estimate.at_distance);
  far.cold += estimate.cold;
  std::vector<double> variances(std::max(far.beyond_error.size(), estimate.beyond_error.size()));
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const auto at = [i](const std::vector<double>& errors) {
      return errors.empty() ? 0 : errors[std::min(i, errors.size() - 1)];
    };
    const double error = at(estimate.beyond_error);
    variances[i] = at(far.beyond_error) + error * error;
  }
  far.beyond_error = std::move(variances);
}

void UseReader::AddPages(std::uint32_t owner, std::vector<PageReuse>& pages) const {
  pages.resize(grid_.page_bytes.size());
  const auto counts = memory_.PagesOf(owner);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    std::vector<std::uint64_t>& at_distance = pages[i].at_distance;
    at_distance.resize(std::max(at_distance.size(), counts[i].at_distance.size()));
    for (std::size_t bin = 0; bin < counts[i].at_distance.size(); ++bin)
      at_distance[bin] += counts[i].at_distance[bin];
    pages[i].cold += counts[i].cold;
  }
}

// Until Complete, shares are counts.
void UseReader::AddStrides(std::uint32_t owner, Strides& strides) const {
  const auto counts = memory_.strides().CountsOf(owner);
  strides.sampled += counts.Sum();
  strides.same += static_cast<double>(counts.same);
  strides.one += static_cast<double>(counts.one);
  strides.two += static_cast<double>(counts.two);
  strides.three_to_eight += static_cast<double>(counts.three_to_eight);
  strides.larger += static_cast<double>(counts.larger);
  strides.random += static_cast<double>(counts.random);
  strides.stream_loads += static_cast<double>(counts.stream_loads);
  strides.stream_stores += static_cast<double>(counts.stream_stores);
  strides.strided_lines += static_cast<double>(counts.strided_lines);
}

void UseReader::Complete(BlockUse& use, double page_scale) const {
  const std::uint64_t accesses = use.loads + use.stores;
  std::vector<std::uint64_t>& at_depth = use.near.at_depth;
  for (std::size_t first = 0; first < at_depth.size(); first += grid_.Depths()) {
    ScaleDepths(std::span(at_depth).subspan(first, grid_.Depths()), accesses + at_depth[first],
                std::span(depth_scales_).subspan(first, grid_.Depths()));
  }
  for (std::uint64_t& count : use.near.write_backs)
    count = static_cast<std::uint64_t>(std::round(static_cast<double>(count) * scale_));
  use.near.moved_error = std::sqrt(use.near.moved_error);

  for (double& error : use.far.beyond_error) error = std::sqrt(error);
  use.far.beyond_error.resize(use.far.at_distance.size() + 1,
                              use.far.beyond_error.empty() ? 0 : use.far.beyond_error.back());
  // Most references are to few lines, which are sampled or not; their number is known (SHARDS-adj).
  const double known = std::accumulate(use.far.at_distance.begin(), use.far.at_distance.end(), 0.0);
  const double rest = static_cast<double>(accesses) - known - use.far.cold;
  if (rest > 0) {
    if (use.far.at_distance.empty()) {
      use.far.at_distance.resize(1);
      use.far.beyond_error.insert(use.far.beyond_error.begin(), use.far.beyond_error.front());
    }
    use.far.at_distance[0] += rest;
  }
  use.pages.resize(grid_.page_bytes.size());
  for (PageReuse& pages : use.pages) {
    const auto scaled = [&](std::uint64_t count) {
      return static_cast<std::uint64_t>(std::round(static_cast<double>(count) * page_scale));
    };
    // First uses are counted only from the start of the program on, where they are most.
    for (std::uint64_t& count : pages.at_distance) count = scaled(count);
    const std::uint64_t counted =
        std::accumulate(pages.at_distance.begin(), pages.at_distance.end(), pages.cold);
    if (counted >= accesses) continue;
    if (pages.at_distance.empty()) pages.at_distance.resize(1);
    pages.at_distance[0] += accesses - counted;
  }
  if (use.strides.sampled > 0) {
    const double sampled = static_cast<double>(use.strides.sampled);
    for (double* const share :
         {&use.strides.same, &use.strides.one, &use.strides.two, &use.strides.three_to_eight,
          &use.strides.larger, &use.strides.random, &use.strides.stream_loads,
          &use.strides.stream_stores, &use.strides.strided_lines})
      *share /= sampled;
  }
}

}  // namespace tare::signature
