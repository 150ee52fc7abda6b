// sample_cost.cc: a loop of fixed work, timed alternately with and without a fast sampling timer.
#include "measure/profile/sample_cost.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stats/interval.h"

namespace tare::profile {
namespace {

// Short pairs, so that few of them are interrupted by other work; the median ignores those.
constexpr int kPairs = 64;
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
  std::vector<double> differences;
  std::size_t samples = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const double plain = TimedWork(turns);
    events.Resume();
    const double sampled = TimedWork(turns);
    events.Stop();
    events.Drain([&](std::span<const std::byte> bytes) {
      const auto record = ParseRecord(bytes, events.Facts().layout);
      if (record && record->kind == RecordKind::kSample) ++samples;
    });
    differences.push_back(sampled - plain);
  }
  if (samples == 0) return Fail(ErrorKind::kUnsupported, "no sample was taken");
  TRY(Measured cost, stats::MedianInterval(differences, 0.95));
  return WithUnit("s", Scaled(std::move(cost), kPairs / static_cast<double>(samples)));
}

}  // namespace tare::profile
