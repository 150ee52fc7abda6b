// load_estimate.cc: shares of a core, their uncertainty, and the resulting load.
#include "machine/load/load_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace tare::load {
namespace {

// With less CPU time the speed of the core is too uncertain for a comparison.
constexpr double kMinCpuSeconds = 0.01;
constexpr double kDrift = 0.02;
// A window should contain this many scheduler time slices.
constexpr double kMinTimeSlices = 50;
// The smallest share of a core that is distinguished from zero.
constexpr double kMinShare = 1e-6;

struct Totals {
  double wall = 0;
  double cpu = 0;
  double count = 0;
  double longest_gap = 0;
  std::uint64_t gaps = 0;
};

Result<Totals> Sum(std::span<const CountSlice> slices) {
  Totals totals;
  for (const CountSlice& slice : slices) {
    if (!(slice.Wall() > 0) || !(slice.count > 0) || !std::isfinite(slice.count)) {
      return Fail(ErrorKind::kUsage, "a slice needs a positive time and count");
    }
    totals.wall += slice.Wall();
    totals.cpu += slice.cpu_seconds;
    totals.count += slice.count;
    totals.longest_gap = std::max(totals.longest_gap, slice.longest_gap);
    totals.gaps += slice.gaps;
  }
  return totals;
}

// The interval of the load when an idle core counts between `low` and `high` per second.
stats::Interval LoadBetween(double rate, double half_rate, double slice_share, double low,
                            double high) {
  const double min = (rate - half_rate) / high - slice_share;
  const double max = (rate + half_rate) / low + slice_share;
  return {1 / std::max(max, kMinShare) - 1, 1 / std::max(min, kMinShare) - 1};
}

}  // namespace

Result<LoadWindow> EstimateLoad(std::span<const CountSlice> slices, const CoreRate& calibrated,
                                double confidence) {
  TRY(const Totals totals, Sum(slices));
  std::vector<double> rates;
  for (const CountSlice& slice : slices) rates.push_back(slice.count / slice.Wall());
  TRY(const auto spread, stats::MeanInterval(rates, confidence));
  TRY(const auto unloaded, NextBlockRate(calibrated, confidence));
  if (!(unloaded.Low() > 0)) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("the calibration of core {} varies too much to be used; calibrate again "
                    "on an idle machine",
                    calibrated.core));
  }

  LoadWindow window{};
  window.start = slices.front().start;
  window.end = slices.back().end;
  window.core = calibrated.core;
  window.own_share = totals.cpu / totals.wall;
  window.rate = totals.count / totals.wall;
  window.longest_gap = totals.longest_gap;
  window.gaps = totals.gaps;

  // With time slices of r seconds separated by gaps of g, the time gained or lost in any window
  // against the mean share r/(r + g) is at most r g/(r + g): the gap times the share.
  const double share = std::min(window.rate / unloaded.Value(), 1.0);
  const double slice_share = totals.longest_gap * share / totals.wall;
  const double half_rate = spread.HalfWidth();
  const stats::Interval range =
      LoadBetween(window.rate, half_rate, slice_share, unloaded.Low(), unloaded.High());
  window.load = Between(unloaded.Value() / window.rate - 1, range.low, range.high, confidence);

  window.rate_per_cpu_second = totals.cpu > 0 ? totals.count / totals.cpu : 0;
  const double drift = window.rate_per_cpu_second / unloaded.Value() - 1;
  if (totals.cpu >= kMinCpuSeconds && std::abs(drift) > kDrift &&
      !unloaded.Contains(window.rate_per_cpu_second)) {
    const auto at_present = LoadBetween(window.rate, half_rate, slice_share,
                                        window.rate_per_cpu_second, window.rate_per_cpu_second);
    window.load.low = std::min(range.low, at_present.low);
    window.load.high = std::max(range.high, at_present.high);
    window.caveats.push_back({CaveatId::kCalibrationDrift,
                              fmt::format("core {} counts {:+.1f} % compared with its calibration",
                                          calibrated.core, 100 * drift)});
  }
  if (totals.longest_gap * kMinTimeSlices > totals.wall) {
    window.caveats.push_back(
        {CaveatId::kFewSamples,
         fmt::format("core {}: in a window of {:.0f} ms the counter waited for up to {:.0f} "
                     "ms",
                     calibrated.core, 1e3 * totals.wall, 1e3 * totals.longest_gap)});
  }
  return window;
}

Result<std::vector<LoadWindow>> EstimateWindows(const CoreCounts& counts,
                                                const CoreRate& calibrated, double every,
                                                double confidence) {
  if (!(every > 0) || !std::isfinite(every)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a window must last a positive number of seconds, not {}", every));
  }
  std::vector<LoadWindow> windows;
  const std::span<const CountSlice> all = counts.slices;
  // Slices start at their grid boundary or slightly after it, never before.
  constexpr double kRounding = 1e-9;
  const auto place = [&](const CountSlice& slice) {
    return std::floor((slice.start + kRounding) / every);
  };
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first + 1;
    while (last < all.size() && place(all[last]) == place(all[first])) ++last;
    if (last - first >= 2) {
      TRY(auto window, EstimateLoad(all.subspan(first, last - first), calibrated, confidence));
      windows.push_back(std::move(window));
    }
    first = last;
  }
  return windows;
}

Result<LoadWindow> MeanWindow(std::span<const LoadWindow> windows, double confidence) {
  CHECK(!windows.empty());
  LoadWindow mean = windows.front();
  if (windows.size() == 1) return mean;
  mean.end = windows.back().end;
  mean.own_share = 0;
  std::vector<double> loads;
  double low = 0;
  double high = 0;
  const double part = 1 / static_cast<double>(windows.size());
  for (const LoadWindow& window : windows) {
    loads.push_back(window.load.Value());
    low += part * window.load.Low();
    high += part * window.load.High();
    mean.own_share += part * window.own_share;
    mean.longest_gap = std::max(mean.longest_gap, window.longest_gap);
    for (const Caveat& caveat : window.caveats) {
      const auto same = [&](const Caveat& other) { return other.key == caveat.key; };
      if (std::ranges::none_of(mean.caveats, same)) mean.caveats.push_back(caveat);
    }
  }
  TRY(mean.load, stats::MeanInterval(loads, confidence));
  low = std::max(0.0, std::min(low, mean.load.Low()));
  mean.load.low = std::min(low, mean.load.Value());
  mean.load.high = std::max(high, mean.load.High());
  return mean;
}

}  // namespace tare::load
