// validation.cc: native runs around a run under the engine, so that drift affects both halves.
#include "predict/convolve/validation.h"

#include <algorithm>
#include <cmath>

#include "base/stop.h"
#include "measure/count/images.h"
#include "measure/engine/engine_limit.h"
#include "measure/run/reference.h"
#include "measure/run/repeat.h"
#include "stats/interval.h"

namespace tare::convolve {
namespace {

class Validator {
 public:
  Validator(const ValidationRequest& request, const host::EngineFiles& files,
            const Progress& progress)
      : request_(request), files_(files), progress_(progress) {}

  Result<Validation> Run() {
    // First, so that an unusable profile is reported at once.
    TRY(result_.rates, RatesOf(request_.profile));
    TRY_VOID(FindReference());
    if (!progress_(0, "native runs")) return Stopped();
    TRY_VOID(RunNatively((request_.runs + 1) / 2));
    if (!progress_(0.2, "run under the engine")) return Stopped();
    TRY_VOID(Sign());
    if (!progress_(0.8, "native runs")) return Stopped();
    TRY_VOID(RunNatively(request_.runs / 2));
    result_.work = WorkOf(result_.signature);
    result_.prediction = Predict(result_.work, result_.rates);
    result_.measured = MedianOf(user_);
    result_.elapsed = MedianOf(wall_);
    result_.caveats.insert(result_.caveats.end(), result_.prediction.caveats.begin(),
                           result_.prediction.caveats.end());
    return std::move(result_);
  }

 private:
  Result<run::Finished> RunOnce(const run::Setting& setting) {
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    TRY(auto finished, run::RunProgram(request_.program, setting, hooks));
    if (finished.ended.interrupted) return Stopped();
    return finished;
  }

  Result<void> FindReference() {
    run::ReferencePlan plan;
    plan.setting = request_.setting;
    plan.run_plain = [this](const run::Setting& setting) { return RunOnce(setting); };
    plan.run_controlled = plan.run_plain;
    TRY(auto reference, run::FindReference(plan));
    result_.first = std::move(reference.finished);
    result_.setting = run::WithDiscardedOutput(std::move(reference.setting));
    result_.caveats = std::move(reference.caveats);
    return {};
  }

  Result<void> RunNatively(std::size_t runs) {
    if (runs == 0) return {};
    run::Plan plan;
    plan.runs = runs;
    TRY(const auto repeated,
        run::Repeat(plan, 1, [this](std::size_t) { return RunOnce(result_.setting); }));
    for (const run::Finished& finished : repeated.runs.front()) {
      wall_.push_back(finished.wall_seconds);
      user_.push_back(finished.use.user_seconds);
    }
    return {};
  }

  Result<void> Sign() {
    signature::CollectPlan plan;
    plan.files = files_;
    plan.sampling = request_.sampling;
    plan.engine.program = request_.program;
    plan.engine.setting = result_.setting;
    plan.engine.limit = engine::LimitOf(engine::Engine::kValgrind, request_.engine_seconds,
                                        result_.first.wall_seconds);
    plan.engine.interrupted = request_.interrupted;
    TRY(const auto collected, signature::Collect(plan));
    if (collected.finished.ended.interrupted) return Stopped();
    result_.engine_seconds = collected.finished.wall_seconds;
    if (collected.finished.ended.ShellStatus() != result_.first.ended.ShellStatus()) {
      result_.caveats.push_back({CaveatId::kExitStatusDiffers, "valgrind"});
    }
    count::Images images;
    TRY(result_.signature, signature::Describe(collected, request_.signed_run, images));
    result_.signature.native_seconds = result_.first.wall_seconds;
    return {};
  }

  // Without an interval when there are too few runs for one.
  static Measured MedianOf(std::vector<double> seconds) {
    if (const auto interval = stats::MedianInterval(seconds, 0.95)) {
      Measured measured = *interval;
      measured.unit = "s";
      return measured;
    }
    std::ranges::sort(seconds);
    return WithUnit("s", Unbounded(seconds[seconds.size() / 2]));
  }

  const ValidationRequest& request_;
  const host::EngineFiles& files_;
  const Progress& progress_;
  Validation result_;
  std::vector<double> wall_;
  std::vector<double> user_;
};

}  // namespace

double Validation::Error() const {
  return (prediction.time.Value() - measured.Value()) / measured.Value();
}

bool Validation::IsWithin() const { return prediction.time.Contains(measured.Value()); }

Result<Validation> Validate(const ValidationRequest& request, const host::EngineFiles& files,
                            const Progress& progress) {
  return Validator(request, files, progress).Run();
}

}  // namespace tare::convolve
