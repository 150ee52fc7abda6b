// discover_tlb.cc: places spread over pages and over the sets of the caches.
#include "machine/survey/discover_tlb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "machine/profile/origin.h"
#include "machine/survey/page_size.h"

namespace tare::survey {
namespace {

constexpr std::uint64_t kMaxPages = 8192;
constexpr std::uint64_t kMaxSlots = 1024;
constexpr std::size_t kMaxLevels = 2;
constexpr unsigned kTlbRefits = 40;
constexpr double kCurveShare = 0.1;
constexpr double kPageShare = 0.03;

std::uint64_t SlotsIn(std::uint64_t spacing) {
  return std::clamp<std::uint64_t>(spacing / kSlotBytes, 1, kMaxSlots);
}

std::vector<CapacityStep> StepsOf(const CapacityStepFit& fit, const CapacityStepSearch& search) {
  std::vector<CapacityStep> found;
  for (const CapacityStep& step : fit.steps) {
    if (step.size != search.known.front().size && step.rise > 0) found.push_back(step);
  }
  return found;
}

// Small TLBs have any number of entries; the measuring loop itself occupies one of them part of the
// time. Large ones are set-associative, and page walks may occupy some of their entries: only the
// entries left for pages are then known.
double BuiltEntries(double found) {
  constexpr double kLarge = 256;
  if (found < kLarge) return std::round(found + 0.25);
  const double built = BuiltSize(found);
  return found >= 0.97 * built ? built : std::round(found);
}

Measured EstimateOf(double value, std::span<const double> again) {
  const double low = again.empty() ? value : SampleQuantile(again, 0.025);
  const double high = again.empty() ? value : SampleQuantile(again, 0.975);
  return Between(value, low, high, machine_profile::kConfidence);
}

}  // namespace

Result<Tlbs> FindTlbs(Bench& bench, std::span<const std::byte> memory, std::uint64_t page_bytes,
                      const FirstCache& first, bool quick) {
  const std::uint64_t max = std::min(kMaxPages, memory.size() / page_bytes);
  CHECK(max >= 16);
  Tlbs tlbs;
  TRY(tlbs.curve, Sweep(bench, Ladder(4, max, 8, 1), quick ? 5 : 11, kCurveShare, "TLBs",
                        [&](std::uint64_t pages) {
                          return GridCost(bench, memory.data(),
                                          {pages, page_bytes, SlotsIn(page_bytes)});
                        }));
  CapacityStepSearch search;
  search.known.push_back({first.bytes / kSlotBytes});
  search.page = 1;
  search.low = 6;
  search.high = 0.8 * static_cast<double>(max);
  const CapacityStepFit fit = FitCapacitySteps(tlbs.curve, search);
  tlbs.near = fit.first;
  const std::vector<CapacityStep> steps = StepsOf(fit, search);
  std::vector<std::vector<CapacityStep>> again;
  for (const CapacityStepFit& one :
       RefitCapacitySteps(tlbs.curve, search, fit, kTlbRefits, bench.generator)) {
    if (auto found = StepsOf(one, search); found.size() == steps.size())
      again.push_back(std::move(found));
  }
  for (std::size_t i = 0; i < std::min(kMaxLevels, steps.size()); ++i) {
    std::vector<double> sizes;
    std::vector<double> rises;
    for (const auto& one : again) {
      sizes.push_back(one[i].size);
      rises.push_back(one[i].rise);
    }
    tlbs.levels.push_back({EstimateOf(steps[i].size, sizes), BuiltEntries(steps[i].size),
                           EstimateOf(steps[i].rise, rises)});
  }
  return tlbs;
}

Result<std::optional<std::uint64_t>> FindPageSize(Bench& bench, std::span<const std::byte> memory,
                                                  const Tlbs& small, bool quick) {
  constexpr std::uint64_t kMinSpacing = 256;
  constexpr std::uint64_t kMaxSpacing = 4 << 20;
  CHECK(!small.levels.empty());
  const TlbLevel& level = small.levels.front();
  const auto places = static_cast<std::uint64_t>(std::max(24.0, 3 * level.pages));
  std::vector<std::uint64_t> spacings;
  for (std::uint64_t one = kMinSpacing; one <= std::min(kMaxSpacing, memory.size() / places);
       one *= 2)
    spacings.push_back(one);
  if (spacings.size() < 2) return std::nullopt;
  TRY(const auto samples,
      Sweep(bench, spacings, quick ? 9 : 15, kPageShare, "page size", [&](std::uint64_t spacing) {
        return GridCost(bench, memory.data(), {places, spacing, SlotsIn(spacing)});
      }));
  std::vector<SpacingCost> costs;
  for (const CostSamples& one : samples)
    costs.push_back({static_cast<std::uint64_t>(one.size), one.seconds});
  return PageSizeOf(costs, small.near, level.miss.Value());
}

}  // namespace tare::survey
