// load_measurement.cc: counting, estimating, and detecting what would invalidate the estimate.
#include "machine/load/load_measurement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "base/printable.h"
#include "base/stop.h"
#include "machine/load/neighbours.h"
#include "machine/load/proc_text.h"
#include "stats/interval.h"

namespace tare::load {
namespace {

constexpr double kMinEvery = 0.05;
constexpr double kMaxWindow = 3600;
constexpr auto kPausePoll = std::chrono::milliseconds(20);
constexpr double kSlicesPerWindow = 10;
constexpr double kMaxStealShare = 0.01;
// A neighbour below this share of the time changes the load by less than its interval.
constexpr double kNeighbourShare = 0.02;
constexpr double kSuspendedSeconds = 0.1;

double ReadSeconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Time that the machine has been suspended since boot.
double SuspendedSeconds() { return ReadSeconds(CLOCK_BOOTTIME) - ReadSeconds(CLOCK_MONOTONIC); }

Result<const CoreRate*> FindRate(const Calibration& calibration, unsigned core) {
  const auto rate = std::ranges::find(calibration.cores, core, &CoreRate::core);
  if (rate != calibration.cores.end()) return &*rate;
  std::vector<unsigned> known;
  for (const auto& one : calibration.cores) known.push_back(one.core);
  return Fail(ErrorKind::kUsage,
              fmt::format("core {} is not calibrated (calibrated: {}); run tare load --calibrate",
                          core, fmt::join(known, ", ")));
}

Result<void> CheckConfig(const LoadConfig& config, const Calibration& calibration) {
  const double window = config.window.value_or(config.every);
  const bool sane = window >= kMinEvery && window <= kMaxWindow && window <= config.every &&
                    config.duration >= config.every && std::isfinite(config.duration) &&
                    config.confidence > 0 && config.confidence < 1;
  if (!sane) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("cannot measure the load for {} s every {} s{}; a window must take 50 ms to "
                    "1 h, and the measurement at least one window",
                    config.duration, config.every,
                    config.window ? fmt::format(" in windows of {} s", window) : ""));
  }
  if (calibration.loop != kLoopId) {
    return Fail(ErrorKind::kFormat,
                fmt::format("the calibration is for the loop {}, and this tare uses {}; run tare "
                            "load --calibrate",
                            Printable(calibration.loop), kLoopId));
  }
  return {};
}

// State whose change between before and after matters.
struct SystemState {
  std::string stat = StatNow();
  Processes processes = ListProcesses();
  double suspended = SuspendedSeconds();
};

void AddNeighbours(const SystemState& before, const SystemState& after, double duration,
                   CoreLoad& core) {
  const auto neighbours =
      UnequalNeighbours(before.processes, after.processes, static_cast<std::uint64_t>(::getpid()),
                        core.whole.core, kNeighbourShare * duration);
  if (neighbours.empty()) return;
  const Neighbour& busiest = neighbours.front();
  core.caveats.push_back(
      {CaveatId::kGroupScheduling,
       fmt::format(
           "core {}: process {} ({}) used {:.1f} s {}{}", core.whole.core, busiest.process.pid,
           Printable(busiest.process.name), busiest.cpu_seconds,
           busiest.other_group ? "in another cgroup"
                               : fmt::format("with nice value {}", busiest.process.nice),
           neighbours.size() > 1 ? fmt::format(", and {} more", neighbours.size() - 1) : "")});
}

void AddSteal(const SystemState& before, const SystemState& after, CoreLoad& core) {
  core.steal_share = StealShare(before.stat, after.stat, core.whole.core);
  if (core.steal_share <= kMaxStealShare) return;
  core.caveats.push_back({CaveatId::kSteal, fmt::format("core {}: {:.1f} % of its time",
                                                        core.whole.core, 100 * core.steal_share)});
}

// What the counters of all cores found.
struct Windows {
  double seconds = 0;               // until the end of the last slice
  std::vector<LoadWindow> windows;  // of all cores
  std::vector<LoadWindow> wholes;   // by core
};

Result<Windows> CountWithoutPauses(const LoadConfig& config, std::span<const CoreRate* const> rates,
                                   const Progress& progress) {
  const CountConfig counting{config.cores, config.every / kSlicesPerWindow, config.duration,
                             config.ended};
  TRY(const auto counts, CountOnCores(counting, "measuring the load", progress));
  Windows found;
  for (const CoreCounts& core : counts) {
    if (!core.slices.empty()) found.seconds = std::max(found.seconds, core.slices.back().end);
  }
  if (config.ended && found.seconds < config.every) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the run ended after {:.0f} ms; its load needs at least {:.0f} ms",
                            1e3 * found.seconds, 1e3 * config.every));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    TRY(auto windows, EstimateWindows(counts[i], *rates[i], config.every, config.confidence));
    TRY(auto whole, EstimateLoad(counts[i].slices, *rates[i], config.confidence));
    found.windows.insert(found.windows.end(), windows.begin(), windows.end());
    found.wholes.push_back(std::move(whole));
  }
  return found;
}

// Sleeps until `until` on the monotonic clock; false if that was interrupted.
bool Pause(double until, double done, const Progress& progress) {
  while (ReadSeconds(CLOCK_MONOTONIC) < until) {
    if (!progress(done, "waiting for the next window")) return false;
    std::this_thread::sleep_for(kPausePoll);
  }
  return true;
}

Result<Windows> CountWithPauses(const LoadConfig& config, std::span<const CoreRate* const> rates,
                                const Progress& progress) {
  const double window_seconds = *config.window;
  const CountConfig counting{config.cores, window_seconds / kSlicesPerWindow, window_seconds};
  const double started = ReadSeconds(CLOCK_MONOTONIC);
  const auto count = static_cast<std::size_t>(std::floor(config.duration / config.every + 1e-9));
  std::vector<std::vector<LoadWindow>> by_core(config.cores.size());
  for (std::size_t k = 0; k < count; ++k) {
    const double begin = static_cast<double>(k) * config.every;
    const double done = static_cast<double>(k) / static_cast<double>(count);
    if (!Pause(started + begin, done, progress)) return Stopped();
    const double offset = ReadSeconds(CLOCK_MONOTONIC) - started;
    const Progress part = [&](double fraction, std::string_view what) {
      return progress(done + fraction / static_cast<double>(count), what);
    };
    TRY(const auto counts, CountOnCores(counting, "measuring the load", part));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i].slices.size() < 2) continue;
      TRY(auto window, EstimateLoad(counts[i].slices, *rates[i], config.confidence));
      window.start += offset;
      window.end += offset;
      by_core[i].push_back(std::move(window));
    }
  }
  Windows found;
  for (std::size_t i = 0; i < by_core.size(); ++i) {
    if (by_core[i].empty()) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("the counter got almost no time on core {}", config.cores[i]));
    }
    found.seconds = std::max(found.seconds, by_core[i].back().end);
    TRY(auto whole, MeanWindow(by_core[i], config.confidence));
    found.wholes.push_back(std::move(whole));
    found.windows.insert(found.windows.end(), by_core[i].begin(), by_core[i].end());
  }
  return found;
}

}  // namespace

Result<LoadReport> MeasureLoad(const LoadConfig& config, const Calibration& calibration,
                               const Progress& progress) {
  TRY_VOID(CheckConfig(config, calibration));
  std::vector<const CoreRate*> rates;
  for (const unsigned core : config.cores) {
    TRY(const CoreRate* rate, FindRate(calibration, core));
    rates.push_back(rate);
  }
  LoadReport report{};
  const SystemState before;
  report.started = ReadSeconds(CLOCK_REALTIME);
  if (config.begin) config.begin();
  TRY(auto found, config.window ? CountWithPauses(config, rates, progress)
                                : CountWithoutPauses(config, rates, progress));
  const SystemState after;
  report.seconds = found.seconds;
  const double duration = config.ended ? report.seconds : config.duration;
  report.windows = std::move(found.windows);
  for (LoadWindow& whole : found.wholes) {
    CoreLoad core{};
    core.whole = std::move(whole);
    core.caveats = core.whole.caveats;
    AddSteal(before, after, core);
    AddNeighbours(before, after, duration, core);
    const auto expected = static_cast<std::size_t>(std::floor(duration / config.every + 1e-9));
    const auto windows = static_cast<std::size_t>(
        std::ranges::count(report.windows, core.whole.core, &LoadWindow::core));
    if (windows < expected) {
      core.caveats.push_back(
          {CaveatId::kIncomplete,
           fmt::format("core {}: in {} of {} windows the counter did not run often enough",
                       core.whole.core, expected - windows, expected)});
    }
    report.cores.push_back(std::move(core));
  }
  std::ranges::sort(report.windows, {}, [&](const LoadWindow& window) {
    return std::pair(std::floor(window.start / config.every), window.core);
  });
  const double suspended = after.suspended - before.suspended;
  if (suspended > kSuspendedSeconds) {
    report.caveats.push_back({CaveatId::kSuspended, fmt::format("for {:.1f} s", suspended)});
  }
  return report;
}

}  // namespace tare::load
