// sample_cost.cc: a loop of fixed work, timed alternately with and without a fast sampling timer.
#include "measure/profile/sample_cost.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/interval.h"

namespace tare::profile {
namespace {

// Other work interrupts some trials. The fastest of a group was not interrupted.
constexpr int kGroups = 8;
constexpr int kTrials = 10;  // per group, with and without sampling
constexpr double kTurnSeconds = 0.001;
constexpr double kCalibrationHz = 10'000;

double WallSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Dependent operations, so that the time does not depend on what else the core does.
double TimedWork(std::uint64_t turns) {
  const double start = WallSeconds();
  std::uint64_t state = turns | 1;
  for (std::uint64_t i = 0; i < turns; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    __asm__ volatile("" : "+r"(state));
  }
  return WallSeconds() - start;
}

std::size_t CountSamples(SamplingEvents& events) {
  std::size_t samples = 0;
  events.Drain([&](std::span<const std::byte> bytes) {
    const auto record = ParseRecord(bytes, events.Facts().layout);
    if (record && record->kind == RecordKind::kSample) ++samples;
  });
  return samples;
}

}  // namespace

Result<Measured> MeasureSampleCost(const SamplingPlan& plan) {
  SamplingPlan fast = plan;
  fast.frequency = kCalibrationHz;
  const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
  TRY(auto events, SamplingEvents::Open({self}, fast, Start::kAtOnce));
  events.Stop();
  constexpr std::uint64_t kTrial = 100'000;
  double trial = TimedWork(kTrial);
  for (int i = 0; i < 10; ++i) trial = std::min(trial, TimedWork(kTrial));
  const auto turns = static_cast<std::uint64_t>(kTurnSeconds / trial * double{kTrial});
  std::vector<double> costs;
  for (int group = 0; group < kGroups; ++group) {
    double plain = HUGE_VAL;
    double sampled = HUGE_VAL;
    std::size_t samples = 0;
    for (int i = 0; i < kTrials; ++i) {
      plain = std::min(plain, TimedWork(turns));
      events.Resume();
      const double seconds = TimedWork(turns);
      events.Stop();
      const std::size_t taken = CountSamples(events);
      if (taken == 0 || seconds >= sampled) continue;
      sampled = seconds;
      samples = taken;
    }
    if (samples > 0) costs.push_back((sampled - plain) / static_cast<double>(samples));
  }
  TRY(Measured cost, stats::MedianInterval(costs, 0.95));
  return WithUnit("s", std::move(cost));
}

}  // namespace tare::profile
