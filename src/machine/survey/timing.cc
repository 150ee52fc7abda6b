// timing.cc: timing slices of a run, and their median.
#include "machine/survey/timing.h"

#include <time.h>

#include <algorithm>
#include <vector>

#include "stats/sample.h"

namespace tare::survey {
namespace {

// Shorter times are within the resolution of the clock.
constexpr double kShortest = 1e-7;

double TimedRate(const Loop& loop, std::uint64_t amount, double* seconds) {
  const double start = Now();
  const std::uint64_t done = loop(amount);
  *seconds = std::max(Now() - start, kShortest);
  return static_cast<double>(done) / *seconds;
}

double GuessedRate(const Loop& loop, double slice_seconds) {
  for (std::uint64_t amount = 256;; amount *= 4) {
    double seconds = 0;
    const double rate = TimedRate(loop, amount, &seconds);
    if (seconds >= slice_seconds / 8) return rate;
  }
}

}  // namespace

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double SampleRate(const Loop& loop, const SliceConfig& config, double guess) {
  if (guess <= 0) guess = GuessedRate(loop, config.slice_seconds);
  const auto amount = static_cast<std::uint64_t>(std::max(1.0, guess * config.slice_seconds));
  std::vector<double> rates;
  for (unsigned i = 0; i < config.slices; ++i) {
    double seconds = 0;
    rates.push_back(TimedRate(loop, amount, &seconds));
  }
  return stats::MedianOf(rates);
}

}  // namespace tare::survey
