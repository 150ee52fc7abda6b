// discover_first.cc: a coarse and a fine curve; pairs of loads; lines that share a set.
#include "machine/survey/discover_first.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "machine/profile/origin.h"
#include "machine/survey/associativity.h"
#include "machine/survey/line_size.h"

namespace tare::survey {
namespace {

constexpr std::uint64_t kMinBytes = 2 << 10;
constexpr std::uint64_t kMaxBytes = 512 << 10;
constexpr unsigned kRefits = 60;
constexpr double kMinRise = 0.15;

// Shares of the whole discovery.
constexpr double kWideShare = 0.03;
constexpr double kCloseShare = 0.03;
constexpr double kLineShare = 0.02;
constexpr double kWaysShare = 0.05;

std::uint64_t Bytes(double size) { return static_cast<std::uint64_t>(size); }

// Sizes around a guess: dense near it, and a few beyond for the slope.
std::vector<std::uint64_t> CloseSizes(double guess) {
  std::vector<std::uint64_t> sizes;
  for (const double part : {0.5, 0.7, 0.8, 0.86, 0.9, 0.94, 0.97, 1.0, 1.03, 1.06, 1.1, 1.14, 1.18,
                            1.24, 1.3, 1.4, 1.5})
    sizes.push_back(Bytes(guess * part) / kSlotBytes * kSlotBytes);
  return sizes;
}

Measured EstimateOf(std::span<const CostSamples> points, const CapacityStepSearch& search,
                    const CapacityStepFit& fit, stats::Generator& generator) {
  std::vector<double> sizes;
  for (const CapacityStepFit& one : RefitCapacitySteps(points, search, fit, kRefits, generator)) {
    if (!one.steps.empty()) sizes.push_back(one.steps.front().size);
  }
  return Between(fit.steps.front().size, SampleQuantile(sizes, 0.025), SampleQuantile(sizes, 0.975),
                 machine_profile::kConfidence);
}

}  // namespace

Result<std::optional<FirstCache>> FindFirstCache(Bench& bench, std::span<const std::byte> memory,
                                                 bool quick) {
  constexpr std::string_view kWhat = "first cache";
  const auto cost = [&](std::uint64_t bytes) {
    return GridCost(bench, memory.data(), {bytes / kSlotBytes, kSlotBytes});
  };
  const auto wide_sizes = Ladder(kMinBytes, kMaxBytes, quick ? 6 : 8, kSlotBytes);
  TRY(const auto wide, Sweep(bench, wide_sizes, quick ? 5 : 9, kWideShare, kWhat, cost));
  CapacityStepSearch search;
  search.max_found = 2;
  search.low = 2 * kMinBytes;
  search.high = 0.8 * kMaxBytes;
  search.min_rise = kMinRise;
  const CapacityStepFit rough = FitCapacitySteps(wide, search);
  if (rough.steps.empty()) return std::nullopt;
  const double guess = rough.steps.front().size;
  TRY(const auto close, Sweep(bench, CloseSizes(guess), quick ? 9 : 21, kCloseShare, kWhat, cost));
  search.max_found = 1;
  search.low = 0.8 * guess;
  search.high = 1.25 * guess;
  const CapacityStepFit fit = FitCapacitySteps(close, search);
  if (fit.steps.empty()) return std::nullopt;
  FirstCache first;
  first.found = EstimateOf(close, search, fit, bench.generator);
  first.bytes = BuiltSize(first.found.Value());
  first.near = fit.first;
  first.rise = fit.steps.front().rise;
  return first;
}

Result<std::optional<std::uint64_t>> FindLineSize(Bench& bench, std::span<const std::byte> memory,
                                                  const FirstCache& first, bool quick) {
  constexpr std::uint64_t kSpacing = 2048;
  constexpr std::uint64_t kPairs = 5000;
  // Pairs on four times the cache: three of four first loads miss it.
  const Grid grid{Bytes(4 * first.bytes) / kSpacing, kSpacing};
  const std::vector<std::uint64_t> distances = {8, 16, 32, 64, 128, 256, 512, 1024};
  TRY(const auto samples,
      Sweep(bench, distances, quick ? 5 : 11, kLineShare, "line size", [&](std::uint64_t distance) {
        bench.walk.Pairs(memory.data(), grid, distance, grid.places * 10);
        return bench.walk.Pairs(memory.data(), grid, distance, kPairs);
      }));
  std::vector<PairCost> costs;
  for (const CostSamples& one : samples) costs.push_back({Bytes(one.size), one.seconds});
  return LineSizeOf(costs);
}

Result<std::optional<SharedSet>> FindFirstSet(Bench& bench, std::span<const std::byte> memory,
                                              const FirstCache& first, bool quick) {
  constexpr std::uint64_t kMaxLines = 34;
  constexpr std::uint64_t kStrides = 6;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t count = 1; count <= kMaxLines; ++count) counts.push_back(count);
  std::vector<StrideFit> fits;
  std::uint64_t stride = std::bit_ceil(Bytes(first.bytes) / 32);
  for (std::uint64_t i = 0; i < kStrides && kMaxLines * stride <= memory.size(); ++i) {
    TRY(const auto points, Sweep(bench, counts, quick ? 3 : 7, kWaysShare / kStrides, "first ways",
                                 [&](std::uint64_t count) {
                                   return GridCost(bench, memory.data(), {count, stride});
                                 }));
    CapacityStepSearch search;
    search.max_found = 1;
    search.page = 1;
    search.low = 0.9;
    search.high = kMaxLines - 2.0;
    search.min_rise = kMinRise;
    const CapacityStepFit fit = FitCapacitySteps(points, search);
    fits.push_back(
        {stride, fit.steps.empty() ? std::nullopt : std::optional<double>(fit.steps.front().size)});
    stride *= 2;
  }
  return SharedSetOf(fits);
}

}  // namespace tare::survey
