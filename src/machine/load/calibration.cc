// calibration.cc: blocks of counting, and whether the core was idle meanwhile.
#include "machine/load/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/load/proc_text.h"

namespace tare::load {
namespace {

constexpr double kQuietShare = 0.99;
constexpr double kMaxSteal = 0.01;

bool IsQuiet(const CountSlice& slice) { return slice.cpu_seconds >= kQuietShare * slice.Wall(); }

}  // namespace

Result<Measured> MeanRate(const CoreRate& rate, double confidence) {
  return stats::MeanInterval(rate.blocks, confidence);
}

Result<Measured> NextBlockRate(const CoreRate& rate, double confidence) {
  TRY(const auto mean, stats::MeanInterval(rate.blocks, confidence));
  // A mean's half-width t s / sqrt(n) becomes t s sqrt(1 + 1/n).
  const double half = mean.HalfWidth() * std::sqrt(static_cast<double>(rate.blocks.size()) + 1);
  return Between(mean.Value(), std::max(mean.Value() - half, 0.0), mean.Value() + half, confidence);
}

Result<CoreCalibration> CalibrateFrom(const CoreCounts& counts, unsigned blocks_wanted) {
  CoreCalibration core{};
  core.rate.core = counts.core;
  double wall = 0;
  double cpu = 0;
  std::vector<double> quiet;
  std::vector<double> per_cpu_second;
  for (const CountSlice& slice : counts.slices) {
    if (!(slice.Wall() > 0) || !(slice.cpu_seconds > 0) || !(slice.count > 0)) continue;
    wall += slice.Wall();
    cpu += slice.cpu_seconds;
    per_cpu_second.push_back(slice.count / slice.cpu_seconds);
    if (IsQuiet(slice)) quiet.push_back(slice.count / slice.Wall());
  }
  if (per_cpu_second.size() < 2) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("the counter got almost no time on core {}; calibrate again on an idle machine",
                    counts.core));
  }
  core.blocks = static_cast<unsigned>(per_cpu_second.size());
  core.quiet_blocks = static_cast<unsigned>(quiet.size());
  core.own_share = cpu / wall;
  const bool enough = quiet.size() >= std::max(blocks_wanted, 2u);
  core.rate.blocks = enough ? quiet : per_cpu_second;
  const auto mean = [](const std::vector<double>& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  };
  core.disagreement = enough ? mean(quiet) / mean(per_cpu_second) - 1 : core.own_share - 1;
  if (!enough) {
    core.caveats.push_back(
        {CaveatId::kCalibratedUnderLoad,
         fmt::format("core {}: the counter got {:.0f} % of the core, and 100 % in {} of {} "
                     "blocks",
                     counts.core, 100 * core.own_share, core.quiet_blocks, core.blocks)});
  }
  return core;
}

Result<std::vector<CoreCalibration>> Calibrate(const CalibrationConfig& config,
                                               const Progress& progress) {
  if (config.blocks < 2 || config.blocks > 10'000 || config.max_rounds < 1) {
    return Fail(ErrorKind::kUsage, "a calibration needs 2 to 10000 blocks and at least one round");
  }
  const CountConfig counting{config.cores, config.block_seconds,
                             config.block_seconds * config.blocks};
  std::vector<CoreCounts> all;
  std::vector<CoreCalibration> cores;
  const std::string before = StatNow();
  for (unsigned round = 0; round < config.max_rounds; ++round) {
    const Progress part = [&](double fraction, std::string_view what) {
      return progress((round + fraction) / config.max_rounds, what);
    };
    TRY(const auto counts, CountOnCores(counting, "calibrating", part));
    all.resize(counts.size());
    cores.clear();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      all[i].core = counts[i].core;
      all[i].slices.insert(all[i].slices.end(), counts[i].slices.begin(), counts[i].slices.end());
      TRY(auto core, CalibrateFrom(all[i], config.blocks));
      cores.push_back(std::move(core));
    }
    if (std::ranges::all_of(cores, [](const auto& core) { return core.caveats.empty(); })) break;
  }
  const std::string after = StatNow();
  for (auto& core : cores) {
    core.steal_share = StealShare(before, after, core.rate.core);
    if (core.steal_share > kMaxSteal) {
      core.caveats.push_back(
          {CaveatId::kSteal,
           fmt::format("core {}: {:.1f} % of its time", core.rate.core, 100 * core.steal_share)});
    }
  }
  return cores;
}

}  // namespace tare::load
