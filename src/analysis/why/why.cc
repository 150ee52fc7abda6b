// why.cc: fixes the setup, measures, runs the design and reports what remains.
#include "analysis/why/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "analysis/why/measures.h"
#include "analysis/why/run_budget.h"
#include "analysis/why/suspects.h"
#include "base/stop.h"
#include "machine/host/other_programs.h"
#include "measure/engine/engine_limit.h"
#include "measure/run/reference.h"

namespace tare::why {
namespace {

constexpr double kBudgetTimes = 100;
constexpr double kMinBudget = 60;
constexpr std::size_t kStackStep = 16;
constexpr std::size_t kSweepPoints = 33;

Capabilities CapabilitiesOf(const std::optional<engine::Engine>& engine) {
  Capabilities capabilities;
  capabilities.counts = true;
  capabilities.layout = engine::LayoutControl::kKernel;
  if (!engine) return capabilities;
  capabilities.layout = engine::Row(*engine).layout;
  capabilities.features = engine::Row(*engine).shows_processor;
  return capabilities;
}

class Finder {
 public:
  Finder(const WhyRequest& request, const host::EngineFiles& files, count::Images& images,
         const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {}

  Result<WhyReport> Find() {
    TRY_VOID(RunOnce());
    report_.budget_seconds = request_.budget_seconds.value_or(
        std::max(kMinBudget, kBudgetTimes * report_.first.wall_seconds));
    for (std::size_t i = 0; i < request_.responses.size(); ++i) {
      // The next response may use the time that this one leaves.
      const double share =
          static_cast<double>(i + 1) / static_cast<double>(request_.responses.size());
      budget_ = RunBudget(share * report_.budget_seconds, report_.first.wall_seconds);
      const auto answered = Answer(request_.responses[i]);
      if (answered) continue;
      if (answered.error().kind == ErrorKind::kTimedOut && !Fits(1)) {
        report_.unanswered.push_back(
            {request_.responses[i],
             "the budget is too short for its runs; raise it with --budget"});
        continue;
      }
      // A response that is not available does not prevent the other one.
      const bool last = i + 1 == request_.responses.size() && report_.answers.empty();
      const bool absent = answered.error().kind == ErrorKind::kUnsupported ||
                          answered.error().kind == ErrorKind::kTimedOut;
      if (!absent || last) return std::unexpected(answered.error());
      report_.unanswered.push_back({request_.responses[i], answered.error().message});
    }
    report_.spent_seconds = Elapsed();
    return std::move(report_);
  }

 private:
  double Elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Whether so many further runs fit into the time of the present response.
  bool Fits(std::size_t runs) const { return budget_.Allows(runs, Elapsed()); }

  SecondsLeft Left() const {
    return [this] { return budget_.Left(Elapsed()); };
  }

  // One run within the budget, which then knows its duration.
  auto Run(const auto& make) -> decltype(make()) {
    if (!Fits(1)) return Fail(ErrorKind::kTimedOut, "the budget is spent");
    const double begin = Elapsed();
    auto value = make();
    budget_.Took(Elapsed() - begin);
    return value;
  }

  Result<void> RunOnce() {
    run::ReferencePlan plan;
    plan.setting = request_.setting;
    plan.run_plain = [this](const run::Setting& setting) -> Result<run::Finished> {
      run::Hooks hooks;
      hooks.interrupted = request_.interrupted;
      TRY(auto finished, run::RunProgram(request_.program, setting, hooks));
      if (finished.ended.interrupted) return Stopped();
      return finished;
    };
    plan.run_controlled = plan.run_plain;
    TRY(auto reference, run::FindReference(plan));
    report_.first = std::move(reference.finished);
    report_.setting = std::move(reference.setting);
    report_.control_dropped = reference.control_dropped;
    report_.caveats = std::move(reference.caveats);
    if (report_.first.ended.how == run::Ended::How::kTimedOut) {
      return Fail(ErrorKind::kTimedOut, "the program did not exit within the timeout");
    }
    return {};
  }

  VariantRequest VariantsWanted(bool region) const {
    VariantRequest wanted;
    wanted.program = request_.program;
    wanted.other_linking = request_.other_linking;
    wanted.objects = request_.objects;
    wanted.linker = request_.linker;
    if (region) wanted.region = request_.region;
    return wanted;
  }

  DesignOptions Options() const {
    DesignOptions options;
    options.alpha = request_.alpha;
    options.min_effect = request_.min_effect;
    options.seed = request_.seed;
    options.fits = [this](std::size_t runs) { return Fits(runs); };
    return options;
  }

  Result<void> Answer(Response response) {
    if (response == Response::kTime) return AnswerTime();
    if (request_.engine) {
      if (const auto can = engine::CanRun(*request_.engine, files_); !can) return can;
    }
    return AnswerCounts();
  }

  Result<FixedSetup> MakeFixedSetup(const Variants& variants, const Capabilities& capabilities,
                                    run::Setting setting) {
    setting.argv0_length = std::max(setting.argv0_length.value_or(0), variants.Argv0Length());
    TRY(auto setup, FixedSetup::Make(request_.program, setting, capabilities));
    report_.fixed = {setup.EnvironmentBytes(), setup.Argv0Length(), setup.CwdLength(),
                     setup.ProcessId(), setup.OtherCore()};
    return setup;
  }

  Result<void> AnswerCounts() {
    // The hardware counter and the compiled engine do not support regions.
    const bool region = request_.engine && engine::Row(*request_.engine).counts_regions;
    TRY(const auto variants, Variants::Make(VariantsWanted(region)));
    TRY(const auto setup,
        MakeFixedSetup(variants, CapabilitiesOf(request_.engine), report_.setting));
    const bool replays = request_.engine && engine::Row(*request_.engine).replays_system_logs;
    TRY(auto inputs, SystemInputs::Open());
    CountMeasure measure(MeasurePlan(request_.engine, request_.children), files_, images_, variants,
                         setup, replays ? &inputs : nullptr);
    if (replays) TRY_VOID(Run([&] { return measure.Record(); }));
    if (!replays) RecordInputs(variants, setup, inputs);

    why::Answer answer;
    answer.response = Response::kCounts;
    answer.source = request_.engine ? std::string(engine::Name(*request_.engine)) : "hardware";
    answer.absences = setup.Absences();
    std::vector<FactorLevels> factors = setup.Factors();
    const auto add = [&](const std::vector<FactorLevels>& more) {
      factors.insert(factors.end(), more.begin(), more.end());
    };
    if (replays) add(inputs.Factors());
    add(variants.Factors());
    const Measure at = [&](const Levels& levels) {
      return Run([&] { return measure.At(levels); });
    };
    TRY(answer.findings, FindCauses(factors, at, Options(), progress_));
    answer.wanted_seconds = budget_.Expected(answer.findings.unaffordable_runs);
    if (!answer.findings.repeats) answer.suspects = SuspectsOf(inputs.RecordedLog(), factors);
    TRY_VOID(AddSweep(setup, measure, answer));
    report_.caveats.insert(report_.caveats.end(), measure.Caveats().begin(),
                           measure.Caveats().end());
    report_.answers.push_back(std::move(answer));
    return {};
  }

  CountMeasure::Plan MeasurePlan(std::optional<engine::Engine> engine, bool children) const {
    CountMeasure::Plan plan{
        engine, children, std::nullopt, report_.first.ended, Left(), request_.interrupted};
    if (engine) {
      plan.limit = engine::LimitOf(*engine, request_.engine_seconds, report_.first.wall_seconds);
    }
    return plan;
  }

  // Only Valgrind records system inputs. For other engines, one Valgrind run records them, so that
  // suspects can be named.
  void RecordInputs(const Variants& variants, const FixedSetup& setup, SystemInputs& inputs) {
    if (!engine::CanRun(engine::Engine::kValgrind, files_)) return;
    CountMeasure recorder(MeasurePlan(engine::Engine::kValgrind, false), files_, images_, variants,
                          setup, &inputs);
    (void)Run([&] { return recorder.Record(); });
  }

  struct FixedInputs {
    NativeInputs inputs;
    std::vector<FactorLevels> factors;
  };

  // Nothing for a program that reads neither the date nor random numbers through libc, so that it
  // runs without the library.
  Result<std::optional<FixedInputs>> InputsToFix(const Variants& variants,
                                                 const Capabilities& capabilities) {
    if (!files_.inputs_library) return std::nullopt;
    TRY(auto inputs, NativeInputs::Open(*files_.inputs_library));
    run::Setting setting = report_.setting;
    TRY_VOID(inputs.Fix(setting));
    TRY(const auto setup, MakeFixedSetup(variants, capabilities, std::move(setting)));
    TimeMeasure measure(request_.interrupted, Left(), variants, setup, &inputs);
    TRY_VOID(Run([&] { return measure.At({}); }));
    TRY(auto factors, inputs.Requested());
    if (factors.empty()) return std::nullopt;
    return FixedInputs{std::move(inputs), std::move(factors)};
  }

  Result<void> AnswerTime() {
    TRY(const auto variants, Variants::Make(VariantsWanted(false)));
    Capabilities capabilities;
    capabilities.layout = engine::LayoutControl::kKernel;
    capabilities.machine = true;
    TRY(const auto inputs, InputsToFix(variants, capabilities));
    run::Setting setting = report_.setting;
    if (inputs) TRY_VOID(inputs->inputs.Fix(setting));
    TRY(const auto setup, MakeFixedSetup(variants, capabilities, std::move(setting)));
    TimeMeasure measure(request_.interrupted, Left(), variants, setup,
                        inputs ? &inputs->inputs : nullptr);
    why::Answer answer;
    answer.response = Response::kTime;
    answer.source = "clock";
    answer.absences = setup.Absences();
    // What the program was seen to read comes first, in case the budget is too small for all.
    std::vector<FactorLevels> factors = inputs ? inputs->factors : std::vector<FactorLevels>();
    const auto add = [&factors](const std::vector<FactorLevels>& more) {
      factors.insert(factors.end(), more.begin(), more.end());
    };
    add(setup.Factors());
    add(variants.Factors());
    const Measure at = [&](const Levels& levels) {
      return Run([&] { return measure.At(levels); });
    };
    // The first run has cold caches.
    TRY_VOID(at({}));
    const host::OtherPrograms others;
    TRY(answer.findings, FindCauses(factors, at, Options(), progress_));
    answer.wanted_seconds = budget_.Expected(answer.findings.unaffordable_runs);
    for (Caveat& caveat : others.Disturbances()) report_.caveats.push_back(std::move(caveat));
    report_.answers.push_back(std::move(answer));
    return {};
  }

  static std::optional<Factor> FactorToSweep(const Findings& findings) {
    if (!findings.repeats) return std::nullopt;
    for (const Cause& cause : findings.causes) {
      for (const Factor factor : cause.factors) {
        const bool memory =
            factor == Factor::kStack || factor == Factor::kEnvironment || factor == Factor::kHeap;
        if (cause.significant && memory) return factor;
      }
    }
    return std::nullopt;
  }

  Result<void> AddSweep(const FixedSetup& setup, CountMeasure& measure, why::Answer& answer) {
    const auto factor = FactorToSweep(answer.findings);
    if (!factor || !Fits(kSweepPoints)) return {};
    Sweep sweep;
    sweep.factor = *factor;
    const std::size_t step = *factor == Factor::kHeap ? HeapStep() : kStackStep;
    for (std::size_t i = 0; i < kSweepPoints && Fits(1); ++i) {
      if (!progress_(static_cast<double>(i) / kSweepPoints, "a sweep of addresses")) {
        return Stopped();
      }
      const std::size_t bytes = i * step;
      const auto value = Run([&] { return measure.Under(setup.Swept(*factor, bytes)); });
      if (!value && value.error().kind == ErrorKind::kTimedOut && !Fits(1)) return {};
      if (!value) return std::unexpected(value.error());
      const std::size_t start = *factor == Factor::kHeap ? 0 : setup.EnvironmentBytes();
      sweep.bytes.push_back(static_cast<double>(start + bytes));
      sweep.response.push_back(*value);
    }
    // Discard a sweep that the budget cut short.
    if (sweep.bytes.size() < kSweepPoints) return {};
    sweep.period = PeriodOf(sweep.response, step);
    answer.sweep = std::move(sweep);
    return {};
  }

  const WhyRequest& request_;
  const host::EngineFiles& files_;
  count::Images& images_;
  const Progress& progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  RunBudget budget_{0};  // of the present response
  WhyReport report_;
};

}  // namespace

Result<WhyReport> FindWhy(const WhyRequest& request, const host::EngineFiles& files,
                          count::Images& images, const Progress& progress) {
  return Finder(request, files, images, progress).Find();
}

std::optional<std::size_t> PeriodOf(const std::vector<double>& response, std::size_t step) {
  const bool constant =
      std::ranges::all_of(response, [&](double value) { return value == response[0]; });
  if (constant) return std::nullopt;
  for (std::size_t steps = 2; 2 * steps < response.size(); steps *= 2) {
    bool fits = true;
    for (std::size_t i = steps; i < response.size(); ++i) {
      fits = fits && response[i] == response[i - steps];
    }
    if (fits) return steps * step;
  }
  return std::nullopt;
}

}  // namespace tare::why
