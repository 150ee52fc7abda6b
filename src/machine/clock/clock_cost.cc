// clock_cost.cc: measuring batches of readings, pairs of readings, and steps.
#include "machine/clock/clock_cost.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/stop.h"
#include "base/units.h"
#include "machine/clock/clock_reads.h"
#include "machine/host/affinity.h"
#include "stats/summary.h"

namespace tare::clock {
namespace {

constexpr std::size_t kMaxSteps = 200'000;

// Forces the compiler to store the value in memory, as a program that times something would.
[[gnu::always_inline]] inline void Store(std::uint64_t& value) {
  asm volatile("" : "+m"(value)::"memory");
}

template <typename Read>
double SecondsOfReadings(std::uint64_t count) {
  const std::uint64_t start = ReadMonotonic::Now();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t value = Read::Now();
    Store(value);
  }
  return static_cast<double>(ReadMonotonic::Now() - start) * 1e-9;
}

// Mean of x_end - x_start in ticks, over `count` pairs with nothing between the readings.
template <typename Read>
double MeanOfEmptyPairs(std::uint64_t count) {
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t start = Read::Now();
    Store(start);
    std::uint64_t end = Read::Now();
    Store(end);
    sum += static_cast<double>(static_cast<std::int64_t>(end - start));
  }
  return sum / static_cast<double>(count);
}

template <typename Read>
Result<Steps> WatchSteps(double seconds) {
  std::vector<std::uint64_t> forward;
  forward.reserve(kMaxSteps);
  std::uint64_t zero = 0;
  std::uint64_t backward = 0;
  std::uint64_t worst_backward = 0;
  const std::uint64_t deadline = ReadMonotonic::Now() + static_cast<std::uint64_t>(seconds * 1e9);
  while (forward.size() + 64 <= kMaxSteps && ReadMonotonic::Now() < deadline) {
    std::uint64_t before = Read::Now();
    for (int i = 0; i < 64; ++i) {
      const std::uint64_t now = Read::Now();
      if (now > before) {
        forward.push_back(now - before);
      } else if (now == before) {
        ++zero;
      } else {
        ++backward;
        worst_backward = std::max(worst_backward, before - now);
      }
      before = now;
    }
  }
  TRY(Steps steps, DescribeSteps(forward, zero));
  steps.readings += backward;
  steps.backward = backward;
  steps.worst_backward = worst_backward;
  return steps;
}

struct Batches {
  std::vector<double> read_seconds;
  std::vector<double> pair_ticks;
};

template <typename Read>
Result<Batches> RunBatches(const Clock& clock, const CostConfig& config, const Progress& progress) {
  constexpr std::uint64_t kTrial = 200;
  SecondsOfReadings<Read>(kTrial);
  const double trial = SecondsOfReadings<Read>(kTrial) / static_cast<double>(kTrial);
  const auto count = static_cast<std::uint64_t>(
      std::clamp(config.batch_seconds / std::max(trial, 1e-10), 1.0, 1e6));
  Batches batches;
  for (unsigned i = 0; i < config.batches; ++i) {
    // The batch's time includes the two readings of CLOCK_MONOTONIC around it.
    const double around = SecondsOfReadings<ReadMonotonic>(0);
    const double seconds = SecondsOfReadings<Read>(count) - around;
    batches.read_seconds.push_back(std::max(seconds, 0.0) / static_cast<double>(count));
    batches.pair_ticks.push_back(MeanOfEmptyPairs<Read>(std::max<std::uint64_t>(count / 2, 1)));
    if (!progress(0.8 * (i + 1) / config.batches, clock.name)) {
      return Stopped();
    }
  }
  return batches;
}

void AddCaveats(const Clock& clock, ClockCost& cost) {
  if (cost.steps.backward > 0) {
    cost.caveats.push_back(
        {CaveatId::kClockWentBack,
         fmt::format(
             "{}: {} of {} readings on one core, by up to {}", clock.name, cost.steps.backward,
             cost.steps.readings,
             LongDuration(static_cast<double>(cost.steps.worst_backward) * cost.tick.Value()))});
  }
  if (cost.steps.seen < 10) {
    cost.caveats.push_back(
        {CaveatId::kFewSamples, fmt::format("{}: {} steps observed", clock.name, cost.steps.seen)});
  }
  // Even a hundred times the overhead is shorter than one step.
  if (cost.resolution && *cost.resolution > 100 * cost.overhead.Value()) {
    cost.caveats.push_back(
        {CaveatId::kCoarseClock,
         fmt::format("{} advances in steps of {}", clock.name, LongDuration(*cost.resolution))});
  }
}

Result<void> CheckConfig(const CostConfig& config) {
  const bool sane = config.batches >= 10 && config.batch_seconds > 0 &&
                    config.batch_seconds <= 10 && config.step_seconds > 0 &&
                    config.step_seconds <= 60;
  if (sane) return {};
  return Fail(ErrorKind::kUsage,
              "a clock measurement needs at least 10 batches of at most 10 s each, and at most 60 "
              "s of steps");
}

}  // namespace

std::string_view Name(OverheadSource source) {
  return source == OverheadSource::kPairs ? "pairs of readings" : "cost of a reading";
}

Result<Steps> DescribeSteps(std::span<const std::uint64_t> forward, std::uint64_t zero) {
  Steps steps;
  steps.zero = zero;
  steps.seen = forward.size();
  steps.readings = zero + forward.size();
  if (forward.empty()) return steps;
  std::vector<double> sizes;
  sizes.reserve(forward.size());
  steps.histogram.resize(64);
  for (const std::uint64_t step : forward) {
    if (step == 0) return Fail(ErrorKind::kUsage, "a step must be at least one tick");
    sizes.push_back(static_cast<double>(step));
    steps.divisor = std::gcd(steps.divisor, step);
    ++steps.histogram[static_cast<std::size_t>(std::bit_width(step) - 1)];
  }
  while (steps.histogram.back() == 0) steps.histogram.pop_back();
  steps.min = std::ranges::min(forward);
  steps.max = std::ranges::max(forward);
  TRY(steps.median, stats::Quantile(sizes, 0.5));
  TRY(steps.p99, stats::Quantile(sizes, 0.99));
  return steps;
}

std::optional<std::uint64_t> ResolutionTicks(const Steps& steps) {
  if (steps.seen == 0) return std::nullopt;
  return steps.zero > 0 ? steps.min : steps.divisor;
}

Result<ClockCost> MeasureClockCost(const Clock& clock, const CostConfig& config,
                                   const Progress& progress) {
  TRY_VOID(CheckConfig(config));
  ClockCost cost{};
  TRY(cost.tick, MeasureTickPeriod(clock, config.confidence));
  TRY(const auto pinned, host::PinnedThread::To(config.processor));
  TRY(const Batches batches, WithClock(clock.id, [&](auto read) {
        return RunBatches<decltype(read)>(clock, config, progress);
      }));
  // A migration to another processor must not look like a step of the clock.
  const int here = ::sched_getcpu();
  TRY(const auto pinned_here,
      host::PinnedThread::To(here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here))));
  TRY(cost.steps, WithClock(clock.id, [&](auto read) {
        return WatchSteps<decltype(read)>(config.step_seconds);
      }));
  TRY(cost.read, stats::MedianInterval(batches.read_seconds, config.confidence));
  TRY(const auto pairs, stats::MedianInterval(batches.pair_ticks, config.confidence));
  // With steps as long as a batch or longer, most batches observe no step and their median is
  // meaningless.
  const bool seen = pairs.Value() > 0 && pairs.Low() > 0;
  cost.overhead_source = seen ? OverheadSource::kPairs : OverheadSource::kReadCost;
  cost.overhead = seen ? Scaled(pairs, cost.tick.Value()) : cost.read;
  if (const auto ticks = ResolutionTicks(cost.steps)) {
    cost.resolution = static_cast<double>(*ticks) * cost.tick.Value();
  }
  AddCaveats(clock, cost);
  if (!progress(1, clock.name)) {
    return Stopped();
  }
  return cost;
}

LongEnough IntervalLongEnough(double overhead_seconds, std::optional<double> resolution_seconds) {
  const bool by_resolution = resolution_seconds && *resolution_seconds > overhead_seconds;
  const double unit = by_resolution ? *resolution_seconds : overhead_seconds;
  return {100 * unit, 1000 * unit, by_resolution};
}

}  // namespace tare::clock
