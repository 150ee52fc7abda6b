// short_measure.cc: the two measurements and their comparison.
#include "machine/clock/short_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>

#include "base/grouped.h"
#include "base/stop.h"
#include "base/units.h"
#include "machine/clock/chain.h"
#include "machine/clock/clock_reads.h"
#include "machine/host/affinity.h"
#include "stats/summary.h"

namespace tare::clock {
namespace {

constexpr double kDifferenceSeconds = 150e-6;  // target for N repetitions
constexpr std::size_t kGroups = 50;
// Up to this share, measurements of several ticks are attributed to disturbances.
constexpr double kMaxDisturbed = 0.05;
constexpr double kMaxTicks = 1000;
constexpr double kMaxLength = 0.1;       // of an event and of a tick, in seconds
constexpr double kSecondsPerMethod = 5;  // unless the fewest measurements take longer
constexpr double kSecondsPerReport = 20e-3;

// In ticks of the fine clock.
struct Samples {
  std::vector<std::uint32_t> advances;
  std::vector<double> events;     // end - start
  std::vector<double> empty;      // the same with nothing between
  std::vector<double> per_event;  // of the difference method
  std::uint64_t repetitions = 1;
};

template <typename Read>
class Measuring {
 public:
  Measuring(const ShortConfig& config, double tick_seconds)
      : config_(config),
        tick_(std::max<std::uint64_t>(
            static_cast<std::uint64_t>(std::llround(config.tick_seconds / tick_seconds)), 1)),
        report_every_(static_cast<std::uint64_t>(kSecondsPerReport / tick_seconds)),
        random_(config.seed) {
    steps_ = StepsFor(config.event_seconds / tick_seconds);
  }

  std::uint64_t EventSteps() const { return steps_; }
  // The coarse tick after rounding to whole fine ticks.
  std::uint64_t CoarseTicks() const { return tick_; }

  Result<Samples> Run(const Progress& progress) {
    Samples samples;
    TRY_VOID(CountTicks(samples, progress));
    TRY_VOID(TimeBlocks(samples, progress));
    return samples;
  }

 private:
  Result<void> CountTicks(Samples& samples, const Progress& progress) {
    std::uint64_t next_report = 0;
    for (std::uint64_t i = 0; i < config_.measurements; ++i) {
      WaitForRandomPhase();
      const std::uint64_t start = Read::Now();
      chain_ = DependentChain(chain_, steps_);
      const std::uint64_t end = Read::Now();
      samples.advances.push_back(static_cast<std::uint32_t>(end / tick_ - start / tick_));
      samples.events.push_back(static_cast<double>(end - start));
      WaitForRandomPhase();
      const std::uint64_t empty_start = Read::Now();
      chain_ = DependentChain(chain_, 0);
      samples.empty.push_back(static_cast<double>(Read::Now() - empty_start));
      if (empty_start < next_report) continue;
      next_report = empty_start + report_every_;
      const double done = 0.8 * static_cast<double>(i) / static_cast<double>(config_.measurements);
      if (!progress(done, "short intervals by ticks")) return Stopped();
    }
    return {};
  }

  Result<void> TimeBlocks(Samples& samples, const Progress& progress) {
    const double event = *std::ranges::min_element(samples.events);
    samples.repetitions = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(kDifferenceSeconds / config_.tick_seconds *
                                      static_cast<double>(tick_) / std::max(event, 1.0)));
    for (unsigned block = 0; block < config_.blocks; ++block) {
      const double once = TicksFor(samples.repetitions);
      const double twice = TicksFor(2 * samples.repetitions);
      samples.per_event.push_back((twice - once) / static_cast<double>(samples.repetitions));
      if (!progress(0.8 + 0.2 * block / config_.blocks, "short intervals by difference")) {
        return Stopped();
      }
    }
    return {};
  }

  void WaitForRandomPhase() {
    const std::uint64_t until =
        Read::Now() + std::uniform_int_distribution<std::uint64_t>(0, tick_ - 1)(random_);
    while (Read::Now() < until) {
    }
  }

  [[gnu::noinline]] double TicksFor(std::uint64_t repetitions) {
    const std::uint64_t start = Read::Now();
    for (std::uint64_t i = 0; i < repetitions; ++i) chain_ = DependentChain(chain_, steps_);
    return static_cast<double>(Read::Now() - start);
  }

  // The number of chain steps that takes about `ticks`, from the fastest of several trials.
  std::uint64_t StepsFor(double ticks) {
    constexpr std::uint64_t kTrial = 20'000;
    double quickest = std::numeric_limits<double>::infinity();
    steps_ = kTrial;
    for (int trial = 0; trial < 9; ++trial) quickest = std::min(quickest, TicksFor(1));
    const double per_step = std::max(quickest, 1.0) / static_cast<double>(kTrial);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ticks / per_step));
  }

  ShortConfig config_;
  std::uint64_t tick_;
  std::uint64_t report_every_;
  std::uint64_t steps_ = 0;
  std::uint64_t chain_ = 1;
  std::mt19937_64 random_;
};

// Means resolve less than the fine clock's tick; the median over groups excludes interrupts.
std::vector<double> GroupMeans(std::span<const double> values, std::size_t groups) {
  std::vector<double> means;
  const std::size_t size = values.size() / groups;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto part = values.subspan(group * size, size);
    means.push_back(std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(size));
  }
  return means;
}

// The results of both methods at one confidence level.
struct Answers {
  ShortEstimate with_overhead;
  Measured overhead;
  Measured by_ticks;
  Measured by_difference;
};

Result<Answers> Answer(const Samples& samples, double tick_seconds, double fine_seconds,
                       double confidence, stats::ProportionMethod method) {
  Answers answers;
  TRY(answers.with_overhead,
      ShortIntervalFromAdvances(samples.advances, tick_seconds, confidence, method));
  TRY(const auto empty, stats::MedianInterval(GroupMeans(samples.empty, kGroups), confidence));
  answers.overhead = Scaled(empty, fine_seconds);
  answers.by_ticks = Difference(answers.with_overhead.duration, answers.overhead);
  TRY(const auto per_event, stats::MedianInterval(samples.per_event, confidence));
  answers.by_difference = Scaled(per_event, fine_seconds);
  return answers;
}

// The n for which most measurements advanced by n or n + 1 ticks, the least of several.
std::uint32_t WholeTicks(const std::map<std::uint32_t, std::uint64_t>& by_advance) {
  const auto at = [&](std::uint32_t ticks) {
    const auto found = by_advance.find(ticks);
    return found == by_advance.end() ? 0 : found->second;
  };
  std::uint32_t best = 0;
  for (const auto& [ticks, count] : by_advance) {
    for (const std::uint32_t n : {ticks == 0 ? 0 : ticks - 1, ticks}) {
      if (at(n) + at(n + 1) > at(best) + at(best + 1)) best = n;
    }
  }
  return best;
}

// Returns how many measurements advanced by other than n or n + 1 ticks, and removes them while
// they are few.
std::uint64_t LeaveOutDisturbed(std::uint32_t n, std::vector<std::uint32_t>& advances) {
  const auto other = [&](std::uint32_t ticks) { return ticks < n || ticks > n + 1; };
  const auto several = std::ranges::count_if(advances, other);
  if (static_cast<double>(several) <= kMaxDisturbed * static_cast<double>(advances.size())) {
    std::erase_if(advances, other);
  }
  return static_cast<std::uint64_t>(several);
}

// A measurement takes the event and, in the mean, a tick of random delays.
double MeasurementSeconds(const ShortConfig& config) {
  return config.event_seconds + config.tick_seconds;
}

Result<void> CheckConfig(const ShortConfig& config) {
  const bool sane = config.event_seconds > 0 && config.tick_seconds > 0 &&
                    config.event_seconds <= kMaxTicks * config.tick_seconds &&
                    config.measurements >= kGroups && config.blocks >= 10;
  if (!sane) {
    return Fail(ErrorKind::kUsage,
                fmt::format("cannot measure an event of {} s with ticks of {} s: the event must be "
                            "at most {} ticks, with at least {} measurements and 10 blocks",
                            config.event_seconds, config.tick_seconds, kMaxTicks, kGroups));
  }
  if (config.event_seconds <= kMaxLength && config.tick_seconds <= kMaxLength) return {};
  return Fail(
      ErrorKind::kUsage,
      fmt::format(
          "cannot measure an event of {} s with ticks of {} s: the {} measurements that "
          "are needed would take {} s; choose an event and a tick of at most {:.0f} ms each",
          Rounded(config.event_seconds, 4), Rounded(config.tick_seconds, 4), kGroups,
          Rounded(static_cast<double>(kGroups) * MeasurementSeconds(config), 4), 1e3 * kMaxLength));
}

void AddCaveats(ShortMeasurement& measurement) {
  auto& caveats = measurement.caveats;
  caveats = measurement.with_overhead.caveats;
  if (measurement.several * 1000 > measurement.measurements && caveats.empty()) {
    caveats.push_back({CaveatId::kOutliers,
                       fmt::format("{} measurements of other than {} or {} ticks were excluded",
                                   measurement.several, measurement.n, measurement.n + 1)});
  }
  if (measurement.disturbed * 100 > measurement.measurements) {
    caveats.push_back(
        {CaveatId::kBusyMachine,
         fmt::format("{} of {} events took more than twice the median time",
                     Grouped(measurement.disturbed), Grouped(measurement.measurements))});
  }
  if (measurement.by_difference.Value() < measurement.overhead.Value()) {
    caveats.push_back(
        {CaveatId::kShortInterval, fmt::format("the event takes {}, reading the clock {}",
                                               LongDuration(measurement.by_difference.Value()),
                                               LongDuration(measurement.overhead.Value()))});
  }
  if (!measurement.agree) {
    caveats.push_back(
        {CaveatId::kMethodsDisagree,
         fmt::format("{} by ticks, {} by difference",
                     LongDuration(std::max(measurement.by_ticks.Value(), 0.0)),
                     LongDuration(std::max(measurement.by_difference.Value(), 0.0)))});
  }
}

}  // namespace

Result<ShortPlan> PlanShort(const ShortConfig& config) {
  TRY_VOID(CheckConfig(config));
  const double measurement = MeasurementSeconds(config);
  const double block = 3 * std::max(config.event_seconds, kDifferenceSeconds);
  // The extremes of n blocks enclose the median with probability 1 - 2^(1-n).
  const double needed =
      std::ceil(1 - std::log2(1 - std::max(config.confidence, kAgreementConfidence)));
  const double measurements =
      std::min(std::max(std::floor(kSecondsPerMethod / measurement), static_cast<double>(kGroups)),
               static_cast<double>(config.measurements));
  const double blocks = std::min(std::max(std::floor(kSecondsPerMethod / block), needed),
                                 static_cast<double>(config.blocks));
  return ShortPlan{static_cast<std::uint64_t>(measurements), static_cast<unsigned>(blocks),
                   measurements * measurement + blocks * block};
}

Result<ShortMeasurement> MeasureShort(const ShortConfig& asked, const Progress& progress) {
  TRY(const ShortPlan plan, PlanShort(asked));
  ShortConfig config = asked;
  config.measurements = plan.measurements;
  config.blocks = plan.blocks;
  ShortMeasurement measurement{};
  measurement.fine = &Row(config.fine.value_or(FinestClock()));
  TRY(measurement.fine_tick, MeasureTickPeriod(*measurement.fine, config.confidence));
  const double fine_seconds = measurement.fine_tick.Value();
  if (fine_seconds * 100 > config.tick_seconds) {
    return Fail(ErrorKind::kUsage, fmt::format("{} ticks every {}, which is too coarse for ticks "
                                               "of {}; choose another clock",
                                               measurement.fine->name, LongDuration(fine_seconds),
                                               LongDuration(config.tick_seconds)));
  }
  TRY(const auto pinned, host::PinnedThread::To(config.processor));
  double tick_seconds = 0;
  TRY(Samples samples, WithClock(measurement.fine->id, [&](auto read) {
        Measuring<decltype(read)> measuring(config, fine_seconds);
        measurement.event_steps = measuring.EventSteps();
        tick_seconds = static_cast<double>(measuring.CoarseTicks()) * fine_seconds;
        return measuring.Run(progress);
      }));
  measurement.repetitions = samples.repetitions;
  TRY(const double median, stats::Quantile(samples.events, 0.5));
  measurement.disturbed = static_cast<std::uint64_t>(
      std::ranges::count_if(samples.events, [&](double event) { return event > 2 * median; }));
  for (const std::uint32_t ticks : samples.advances) ++measurement.by_advance[ticks];
  measurement.n = WholeTicks(measurement.by_advance);
  measurement.several = LeaveOutDisturbed(measurement.n, samples.advances);
  measurement.measurements = samples.advances.size();
  measurement.advanced =
      std::accumulate(samples.advances.begin(), samples.advances.end(), std::uint64_t{0});
  TRY(const Answers shown,
      Answer(samples, tick_seconds, fine_seconds, config.confidence, config.method));
  TRY(const Answers compared, Answer(samples, tick_seconds, fine_seconds, kAgreementConfidence,
                                     stats::ProportionMethod::kWilson));
  measurement.with_overhead = shown.with_overhead;
  measurement.overhead = shown.overhead;
  measurement.by_ticks = shown.by_ticks;
  measurement.by_difference = shown.by_difference;
  measurement.apart = Difference(compared.by_ticks, compared.by_difference);
  measurement.agree = measurement.apart.Contains(0);
  AddCaveats(measurement);
  return measurement;
}

}  // namespace tare::clock
