// discover.cc: the experiments of a discovery; each builds on the previous results.
#include "machine/survey/discover.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/file.h"
#include "machine/host/affinity.h"
#include "machine/microbenchmark/buffer.h"
#include "machine/survey/discover_findings.h"

namespace tare::survey {
namespace {

constexpr std::uint64_t kMinMemory = 32 << 20;
constexpr std::uint64_t kMaxMemory = 512 << 20;
constexpr std::uint64_t kMaxQuickMemory = 128 << 20;
constexpr std::uint64_t kSmallPagesMemory = 32 << 20;
constexpr std::uint64_t kHugeBytes = 2 << 20;
constexpr std::uint64_t kMinPages = 16;
constexpr double kCostsShare = 0.1;
constexpr double kSeconds = 36;
constexpr double kQuickSeconds = 7;

ReportedPages ReadReportedPages() {
  ReportedPages pages;
  pages.page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto text = ReadFile("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", 64);
  if (!text) return pages;
  std::uint64_t bytes = 0;
  if (std::from_chars(text->data(), text->data() + text->size(), bytes).ec == std::errc())
    pages.huge_bytes = static_cast<double>(bytes);
  return pages;
}

Result<microbenchmark::Buffer> Zeros(std::uint64_t bytes, microbenchmark::Pages pages) {
  TRY(auto buffer, microbenchmark::Buffer::Make(bytes, pages));
  std::ranges::fill(buffer.bytes(), std::byte{0});
  return buffer;
}

// The steps in the cost of loads that TLB misses cause.
std::vector<CapacityStep> TlbSteps(const Measurements& measured) {
  std::vector<CapacityStep> steps;
  const auto& tlbs = measured.huge ? measured.huge : measured.small;
  if (!tlbs) return steps;
  const auto unit =
      static_cast<double>(measured.huge ? measured.huge_bytes.value_or(0) : kBlockBytes);
  for (const TlbLevel& level : tlbs->levels) steps.push_back({level.pages * unit});
  return steps;
}

class Discovery {
 public:
  Discovery(Bench& bench, const DiscoverConfig& config) : bench_(bench), config_(config) {}

  Result<Measurements> Measure() {
    const std::uint64_t max = config_.quick ? kMaxQuickMemory : kMaxMemory;
    TRY(auto large, Zeros(std::min(config_.max_bytes, max), microbenchmark::Pages::kHuge));
    TRY(const auto first, FindFirstCache(bench_, large.bytes(), config_.quick));
    if (!first) return std::move(measured_);
    measured_.first = first;
    TRY_VOID(MeasureFirst(large.bytes(), *first));
    TRY_VOID(MeasureTlbs(large.bytes(), *first));
    TRY_VOID(MeasureOuter(large.bytes(), *first));
    return std::move(measured_);
  }

 private:
  Result<void> MeasureFirst(std::span<std::byte> memory, const FirstCache& first) {
    TRY(measured_.line_bytes, FindLineSize(bench_, memory, first, config_.quick));
    TRY(measured_.first_set, FindFirstSet(bench_, memory, first, config_.quick));
    std::vector<double> cycles;
    for (std::uint64_t i = 0; i < 9; ++i)
      cycles.push_back(CycleTime(memory.first(static_cast<std::size_t>(first.bytes / 4)),
                                 config_.seed + i, 20'000));
    measured_.first_latency = Between(SampleQuantile(cycles, 0.5), SampleQuantile(cycles, 0),
                                      SampleQuantile(cycles, 1), machine_profile::kConfidence);
    measured_.walk_overhead = std::max(0.0, first.near - measured_.first_latency.Value());
    return {};
  }

  Result<void> MeasureTlbs(std::span<std::byte> memory, const FirstCache& first) {
    TRY(auto buffer, Zeros(kSmallPagesMemory, microbenchmark::Pages::kSmall));
    TRY(const Tlbs small, FindTlbs(bench_, buffer.bytes(), kBlockBytes, first, config_.quick));
    measured_.small = small;
    if (small.levels.empty()) return {};
    TRY(measured_.page_bytes, FindPageSize(bench_, buffer.bytes(), small, config_.quick));
    TRY(measured_.huge_bytes, FindPageSize(bench_, memory, small, config_.quick));
    const std::uint64_t huge_bytes = measured_.huge_bytes.value_or(0);
    // Fewer pages do not make a curve.
    if (huge_bytes < kHugeBytes || memory.size() / huge_bytes < kMinPages) return {};
    TRY(measured_.huge, FindTlbs(bench_, memory, huge_bytes, first, config_.quick));
    return {};
  }

  Result<void> MeasureOuter(std::span<std::byte> memory, const FirstCache& first) {
    TRY(measured_.costs,
        Sweep(bench_, Ladder(4096, memory.size(), config_.quick ? 2 : 3, kSlotBytes),
              config_.quick ? 2 : 5, kCostsShare, "random loads", [&](std::uint64_t bytes) {
                return GridCost(bench_, memory.data(), {bytes / kSlotBytes, kSlotBytes});
              }));
    const double cycle = measured_.first_latency.Value();
    TRY(const auto counted, CountOuterLevels(bench_, memory, first, cycle, config_.quick));
    measured_.outer =
        counted ? *counted : OuterLevelsOfCosts(measured_.costs, TlbSteps(measured_), first, cycle);
    return {};
  }

  Bench& bench_;
  const DiscoverConfig& config_;
  Measurements measured_;
};

}  // namespace

Result<Found> Discover(const DiscoverConfig& config, const host::Topology& reported,
                       const Progress& progress) {
  if (config.max_bytes < kMinMemory)
    return Fail(ErrorKind::kUsage, "finding the caches needs at least 32 MiB of memory");
  TRY(const auto pinned, host::PinnedThread::To(config.core));
  RandomWalk walk(config.seed);
  stats::Generator generator(config.seed);
  Bench bench{walk, generator, progress, config.quick ? kQuickSeconds : kSeconds};
  TRY(const Measurements measured, Discovery(bench, config).Measure());
  return FindingsOf(measured, reported, ReadReportedPages(), config.quick);
}

}  // namespace tare::survey
