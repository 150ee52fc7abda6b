// program_check.cc: spends a budget on times, counts and a second engine.
#include "analysis/check/program_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/check/check_advice.h"
#include "base/stop.h"
#include "machine/host/other_programs.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/usable_engines.h"
#include "measure/run/reference.h"
#include "measure/run/repeat.h"
#include "measure/run/standing_supervisor.h"

namespace tare::check {
namespace {

constexpr double kBudgetTimes = 20;
constexpr double kMinBudget = 3;
constexpr std::size_t kMinRuns = 6;
constexpr std::size_t kMaxRuns = 200;
// Maximum cost of a counted run: a multiple of the native time, plus start-up seconds.
constexpr double kEngineTimes = 7;
constexpr double kEngineStart = 0.4;
constexpr double kMinEngineLimit = 10;
constexpr double kNoisy = 0.05;
// For longer programs, Valgrind's start-up of a quarter of a second pays off.
constexpr double kWorthStarting = 0.1;

class Checker {
 public:
  Checker(const CheckRequest& request, const host::EngineFiles& files, count::Images& images,
          const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {}

  Result<CheckReport> Check() {
    TRY_VOID(FindReference());
    own_seconds_ = report_.first.wall_seconds;
    report_.budget_seconds =
        request_.budget_seconds.value_or(std::max(kMinBudget, kBudgetTimes * own_seconds_));
    TRY_VOID(Count());
    TRY_VOID(TimeRuns());
    MeasureClock();
    AddTimeCaveats();
    report_.spent_seconds = Elapsed();
    report_.advice = MakeAdvice(report_);
    return std::move(report_);
  }

 private:
  double Elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double Left() const { return report_.budget_seconds - Elapsed(); }

  Result<run::Finished> RunOnce(const run::Setting& setting) {
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    hooks.standing = &standing_;
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
    report_.first = std::move(reference.finished);
    report_.setting = std::move(reference.setting);
    report_.control_dropped = reference.control_dropped;
    report_.time_caveats = std::move(reference.caveats);
    return {};
  }

  // A requested budget also limits each engine's run, but not below the start-up time on a busy
  // machine.
  std::optional<double> EngineSeconds() const {
    if (request_.engine_seconds || !request_.budget_seconds) return request_.engine_seconds;
    const auto usual = engine::LimitOf(engine::Engine::kValgrind, std::nullopt, own_seconds_);
    return std::min(usual->seconds, std::max(kMinEngineLimit, *request_.budget_seconds));
  }

  // The cheaper engine comes first; the other one verifies it. QEMU starts faster, Valgrind runs
  // faster (bench/README.md).
  engine::UsableEngines Engines() const {
    engine::UsableEngines usable = engine::ExactEnginesHere(files_);
    if (own_seconds_ > kWorthStarting) std::ranges::reverse(usable.engines);
    return usable;
  }

  Result<void> Count() {
    const auto [engines, absence] = Engines();
    const double one = kEngineStart + kEngineTimes * own_seconds_;
    if (engines.empty()) {
      report_.no_counts = absence;
      report_.counts_need = "tare doctor says what the engines need";
      return {};
    }
    if (report_.first.ended.how == run::Ended::How::kTimedOut) {
      report_.no_counts = "the program did not exit within the timeout";
      report_.counts_need = "raise --timeout";
      return {};
    }
    if (Left() < one) {
      report_.no_counts = "the budget is too small for a counted run";
      report_.counts_need = "raise --budget";
      return {};
    }
    count::CountRequest request;
    request.program = request_.program;
    request.setting = run::WithDiscardedOutput(report_.setting);
    request.region = request_.region;
    request.engines = engines;
    if (Left() < 2 * one) request.engines.resize(1);
    request.runs = 1;
    request.first_engine_runs = Left() > 3 * one || request_.budget_seconds == std::nullopt ? 2 : 1;
    request.events = false;
    request.expected = report_.first.ended;
    request.native_seconds = own_seconds_;
    request.engine_seconds = EngineSeconds();
    request.interrupted = request_.interrupted;
    const Progress part = [this](double fraction, std::string_view what) {
      return progress_(0.1 + 0.6 * fraction, what);
    };
    TRY(report_.counts, count::CountProgram(request, files_, images_, part));
    return {};
  }

  // Uses the remaining time, and at least a fifth of the budget. A budget that the user sets is not
  // exceeded for the sake of a minimum of runs.
  Result<void> TimeRuns() {
    if (report_.first.ended.how == run::Ended::How::kTimedOut) {
      report_.noise = Fail(ErrorKind::kTimedOut, "the program did not exit within the timeout");
      return {};
    }
    const double seconds = std::max(Left(), 0.2 * report_.budget_seconds);
    const double least = request_.budget_seconds ? 0.0 : double{kMinRuns};
    const double possible = std::floor(seconds / std::max(own_seconds_, 1e-3));
    run::Plan plan;
    plan.runs = static_cast<std::size_t>(std::clamp(possible, least, double{kMaxRuns}));
    if (plan.runs == 0) {
      report_.noise = Fail(ErrorKind::kUnsupported,
                           "the budget is too small to run the program again; raise --budget");
      return {};
    }
    plan.warm_up_runs = plan.runs > kMinRuns ? 1 : 0;
    plan.max_seconds = std::max(seconds, least * own_seconds_);
    const run::Setting silent = run::WithDiscardedOutput(report_.setting);
    const Progress part = [this](double fraction, std::string_view) {
      return progress_(0.7 + 0.25 * fraction, "timing the program against itself");
    };
    standing_.End();  // otherwise the time of its earlier runs would count as that of these
    const host::OtherPrograms others;
    TRY(auto repeated, run::Repeat(plan, 1, [&](std::size_t) { return RunOnce(silent); }, part));
    standing_.End();
    for (Caveat& caveat : others.Disturbances()) report_.time_caveats.push_back(std::move(caveat));
    report_.timed = std::move(repeated.runs.front());
    std::vector<double> times;
    for (const run::Finished& run : report_.timed) times.push_back(run.wall_seconds);
    report_.noise = run::NoiseOf(times, request_.confidence);
    return {};
  }

  void MeasureClock() {
    const auto clock = clock::FindClock("monotonic");
    if (!clock) {
      report_.clock = std::unexpected(clock.error());
      return;
    }
    clock::CostConfig config;
    config.step_seconds = 0.02;
    report_.clock = clock::MeasureClockCost(**clock, config, NoProgress);
  }

  void AddTimeCaveats() {
    std::vector<Caveat>& caveats = report_.time_caveats;
    CheckExitStatus();
    if (!report_.noise) {
      caveats.push_back({CaveatId::kFewSamples, fmt::format("{} runs", report_.timed.size())});
      return;
    }
    if (report_.noise->floor > kNoisy) {
      caveats.push_back(
          {CaveatId::kNoisyTime,
           fmt::format("two sets of runs of the same program differ by up to {:.1f} %",
                       100 * report_.noise->floor)});
    }
    if (report_.clock) {
      const auto enough =
          clock::IntervalLongEnough(report_.clock->overhead.Value(), report_.clock->resolution);
      if (report_.noise->median.Value() < enough.hundredfold) {
        caveats.push_back({CaveatId::kShortInterval, "the whole program takes no longer"});
      }
    }
  }

  void CheckExitStatus() {
    const int status = report_.first.ended.ShellStatus();
    for (const run::Finished& run : report_.timed) {
      if (run.ended.ShellStatus() == status) continue;
      report_.time_caveats.push_back(
          {CaveatId::kExitStatusVaries,
           fmt::format("status {} instead of {}", run.ended.ShellStatus(), status)});
      return;
    }
  }

  const CheckRequest& request_;
  const host::EngineFiles& files_;
  count::Images& images_;
  const Progress& progress_;
  CheckReport report_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double own_seconds_ = 0;
  run::StandingSupervisor standing_;
};

}  // namespace

Result<CheckReport> CheckProgram(const CheckRequest& request, const host::EngineFiles& files,
                                 count::Images& images, const Progress& progress) {
  return Checker(request, files, images, progress).Check();
}

}  // namespace tare::check
