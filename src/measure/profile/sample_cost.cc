// sample_cost.cc: a loop of fixed work, timed alternately with and without a fast sampling timer.
#include "measure/profile/sample_cost.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "stats/interval.h"

namespace tare::profile {
namespace {

constexpr int kPairs = 8;
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
  // About 5 ms of work.
  constexpr std::uint64_t kTrial = 1'000'000;
  TimedWork(kTrial);
  const double trial = TimedWork(kTrial);
  const auto turns = static_cast<std::uint64_t>(0.005 / trial * static_cast<double>(kTrial));
  std::vector<double> costs;
  for (int pair = 0; pair < kPairs; ++pair) {
    const double plain = TimedWork(turns);
    TRY(auto events, SamplingEvents::Open({self}, fast, Start::kAtOnce));
    const double sampled = TimedWork(turns);
    events.Stop();
    std::size_t samples = 0;
    events.Drain([&](std::span<const std::byte> bytes) {
      const auto record = ParseRecord(bytes, events.Facts().layout);
      if (record && record->kind == RecordKind::kSample) ++samples;
    });
    if (samples > 0) costs.push_back((sampled - plain) / static_cast<double>(samples));
  }
  TRY(Measured cost, stats::MedianInterval(costs, 0.9));
  cost.unit = "s";
  return cost;
}

}  // namespace tare::profile
