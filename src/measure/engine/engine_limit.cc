// engine_limit.cc: default limits, and a run that ends when it exceeds its limit.
#include "measure/engine/engine_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace tare::engine {
std::optional<EngineLimit> LimitOf(Engine engine, std::optional<double> requested,
                                   std::optional<double> native_seconds) {
  if (requested) {
    if (std::isinf(*requested)) return std::nullopt;
    return EngineLimit{*requested, native_seconds};
  }
  if (!native_seconds) return std::nullopt;
  const LimitRule& rule = Row(engine).limit;
  return EngineLimit{std::max(rule.min_seconds, rule.times * *native_seconds), native_seconds};
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
    native = fmt::format(" (native run: {} s)", Rounded(*plan.limit->native_seconds, 2));
  }
  return Fail(ErrorKind::kTimedOut,
              fmt::format("{}: exceeded its limit of {} s{}; raise it with --engine-timeout",
                          Name(engine), Rounded(plan.limit->seconds, 4), native));
}

}  // namespace tare::engine
