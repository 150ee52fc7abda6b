// copy_check.cc: loads and sums of counters that share cores.
#include "machine/load/copy_check.h"

#include <algorithm>

#include "base/check.h"
#include "stats/interval.h"

namespace tare::load {
namespace {

constexpr double kBlocks = 20;
constexpr unsigned kMaxCopies = 16;

// Where all copies ran in every block, the spread of the blocks' sums gives the interval.
Result<Measured> RateTogether(std::span<const CoreCounts> copies,
                              std::span<const LoadWindow> windows, double confidence) {
  double sum = 0;
  for (const LoadWindow& window : windows) sum += window.rate;
  const std::size_t blocks = copies.front().slices.size();
  const bool aligned = std::ranges::all_of(
      copies, [&](const CoreCounts& copy) { return copy.slices.size() == blocks; });
  if (!aligned) return Unbounded(sum);
  std::vector<double> sums(blocks, 0.0);
  for (const CoreCounts& copy : copies) {
    for (std::size_t i = 0; i < blocks; ++i) {
      sums[i] += copy.slices[i].count / copy.slices[i].Wall();
    }
  }
  return stats::MeanInterval(sums, confidence);
}

}  // namespace

Result<std::vector<CopyCheck>> CheckCopies(std::span<const CoreCounts> counts, unsigned copies,
                                           std::span<const CoreRate> calibrated,
                                           double confidence) {
  CHECK(counts.size() == copies * calibrated.size());
  std::vector<CopyCheck> checks;
  for (std::size_t i = 0; i < calibrated.size(); ++i) {
    CopyCheck check{calibrated[i].core, {}, {}};
    const auto own = counts.subspan(i * copies, copies);
    for (const CoreCounts& copy : own) {
      TRY(auto window, EstimateLoad(copy.slices, calibrated[i], confidence));
      check.copies.push_back(std::move(window));
    }
    TRY(check.together, RateTogether(own, check.copies, confidence));
    checks.push_back(std::move(check));
  }
  return checks;
}

Result<std::vector<CopyCheck>> CountCopies(const CalibrationConfig& config, unsigned copies,
                                           std::span<const CoreRate> calibrated, double confidence,
                                           const Progress& progress) {
  if (copies < 2 || copies > kMaxCopies) {
    return Fail(ErrorKind::kUsage, "a check needs 2 to 16 copies");
  }
  CountConfig counting{config.cores, config.block_seconds, kBlocks * config.block_seconds};
  counting.copies = copies;
  TRY(const auto counts, CountOnCores(counting, "counting with copies", progress));
  return CheckCopies(counts, copies, calibrated, confidence);
}

}  // namespace tare::load
