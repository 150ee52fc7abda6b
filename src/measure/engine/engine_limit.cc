// engine_limit.cc: default limits, and a run that ends when it exceeds its limit.
#include "count/engine_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tare::engine {
namespace {

// Translating engines take about 10 times the native time, 40 times with models, and run threads
// one after another (bench/README.md). A factor of 1000 leaves room for many cores. The minimum
// covers start-up on a busy machine.
constexpr double kTranslatedTimes = 1000;
constexpr double kTranslatedLeastSeconds = 60;
// Single-stepping runs 25,000 to 112,000 instructions per second; a processor runs up to 10
// billion.
constexpr double kSteppedTimes = 400'000;
constexpr double kSteppedLeastSeconds = 600;

}  // namespace

std::optional<EngineLimit> LimitOf(Engine engine, std::optional<double> asked,
                                   std::optional<double> native_seconds) {
  if (asked) {
    if (std::isinf(*asked)) return std::nullopt;
    return EngineLimit{*asked, native_seconds};
  }
  if (!native_seconds) return std::nullopt;
  const bool steps = engine == Engine::kStep;
  const double least = steps ? kSteppedLeastSeconds : kTranslatedLeastSeconds;
  const double times = steps ? kSteppedTimes : kTranslatedTimes;
  return EngineLimit{std::max(least, times * *native_seconds), native_seconds};
}

Result<run::Finished> RunWithinLimit(Engine engine, const EnginePlan& plan,
                                     const run::ResolvedProgram& program, run::Setting setting,
                                     const run::Hooks& hooks) {
  const bool has_limit =
      plan.limit && plan.limit->seconds < setting.timeout_seconds.value_or(HUGE_VAL);
  if (!has_limit) return run::RunProgram(program, setting, hooks);
  setting.timeout_seconds = plan.limit->seconds;
  setting.timeout_ends_descendants = true;
  TRY(auto finished, run::RunProgram(program, setting, hooks));
  if (finished.ended.how != run::Ended::How::kTimedOut || finished.ended.interrupted) {
    return finished;
  }
  std::string native;
  if (plan.limit->native_seconds) {
    native = fmt::format(" (native run: {:.2g} s)", *plan.limit->native_seconds);
  }
  return Fail(ErrorKind::kTimedOut,
              fmt::format("{}: exceeded its limit of {:.4g} s{}; raise it with --engine-timeout",
                          Name(engine), plan.limit->seconds, native));
}

}  // namespace tare::engine
