// count_program.cc: native run, engine runs, repetitions and the experiments that explain
// differences.
#include "measure/count/count_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/stop.h"
#include "machine/host/conditions.h"
#include "machine/host/energy.h"
#include "measure/engine/engine_limit.h"
#include "measure/run/reference.h"

namespace tare::count {
namespace {

// Share of the counts that may stay unexplained before the counts get a caveat.
constexpr double kTolerated = 1e-4;

class Counter {
 public:
  Counter(const CountRequest& request, const host::EngineFiles& files, Images& images,
          const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {
    steps_ = static_cast<double>(request.engines.size()) * request.runs + 1;
    if (request.events) steps_ += request.native_runs - 1;
    if (request.first_engine_runs) steps_ += *request.first_engine_runs - request.runs;
    if (request.expected) report_.ended = *request.expected;
    report_.setting = request.setting;
    native_seconds_ = request.native_seconds;
    has_ended_ = request.expected.has_value();
    report_.of_region = request.region.has_value();
  }

  Result<CountReport> Count() {
    if (request_.pass_output) {
      TRY_VOID(FindReference());
    } else if (request_.events) {
      TRY(const auto finished, RunWithEvents(run::WithDigestedOutput(request_.setting)));
      TakeEnd(finished);
      report_.caveats = finished.caveats;
    }
    if (report_.native) TRY_VOID(RepeatNative());
    for (const engine::Engine engine : request_.engines) {
      TRY(auto counts, RunEngine(engine));
      report_.engines.push_back(std::move(counts));
    }
    for (std::size_t i = 0; i < report_.engines.size() && !report_.reference; ++i) {
      if (report_.engines[i].Usable()) report_.reference = i;
    }
    if (!report_.reference && failure_) return std::unexpected(*failure_);
    if (report_.reference) TRY_VOID(WriteLedgers());
    return std::move(report_);
  }

 private:
  Result<void> Step(std::string_view what) {
    if (!progress_(std::min(1.0, done_ / steps_), what)) {
      return Stopped();
    }
    done_ += 1;
    return {};
  }

  void TakeEnd(const run::Finished& finished) {
    report_.ended = finished.ended;
    has_ended_ = true;
    native_seconds_ = finished.wall_seconds;
  }

  Result<void> FindReference() {
    run::ReferencePlan plan;
    plan.setting = request_.setting;
    plan.run_plain = [this](const run::Setting& setting) { return RunOnItsOwn(setting); };
    plan.run_controlled = [this](const run::Setting& setting) {
      return request_.events ? RunWithEvents(setting) : RunOnItsOwn(setting);
    };
    plan.always_controlled = request_.events;
    TRY(auto reference, run::FindReference(plan));
    TakeEnd(reference.finished);
    report_.caveats = std::move(reference.caveats);
    report_.setting = std::move(reference.setting);
    report_.control_dropped = reference.control_dropped;
    return {};
  }

  Result<run::Finished> RunOnItsOwn(const run::Setting& setting) {
    TRY_VOID(Step("running the program natively"));
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    TRY(auto finished, run::RunProgram(request_.program, setting, hooks));
    if (finished.ended.interrupted) return Stopped();
    if (finished.output_digest) native_outputs_.push_back(*finished.output_digest);
    return finished;
  }

  Result<run::Finished> RunWithEvents(const run::Setting& setting) {
    TRY_VOID(Step("running the program natively"));
    NativeCounts native;
    if (!chosen_) {
      const auto allowed = pmu::PermissionsOf(host::ReadConditions({}, {}));
      chosen_ = ChosenEvents{allowed, pmu::ChooseMetrics(pmu::HardwareMetrics(), allowed),
                             pmu::ChooseMetrics(pmu::KernelMetrics(), allowed)};
    }
    const auto& [permissions, hardware, kernel] = *chosen_;
    std::optional<pmu::ProgramEvents> hardware_events;
    std::optional<pmu::ProgramEvents> kernel_events;
    std::optional<pmu::ProgramEvents> more_events;
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    hooks.before_exec = [&](pid_t process) -> Result<void> {
      auto plan = pmu::MakePlan(hardware);
      plan.children = request_.children;
      plan.allow_multiplexing = request_.multiplexing;
      TRY(auto opened, pmu::ProgramEvents::Attach(process, plan, permissions));
      hardware_events.emplace(std::move(opened));
      plan = pmu::MakePlan(kernel);
      plan.children = request_.children;
      TRY(auto opened_too, pmu::ProgramEvents::Attach(process, plan, permissions));
      kernel_events.emplace(std::move(opened_too));
      plan.events = request_.more_events;
      plan.allow_multiplexing = request_.multiplexing;
      TRY(auto opened_more, pmu::ProgramEvents::Attach(process, plan, permissions));
      more_events.emplace(std::move(opened_more));
      return {};
    };
    const host::SystemFiles system;
    const auto counters = host::FindEnergyCounters(system);
    host::EnergyMeter meter(system, counters.zones);
    TRY(native.finished, run::RunProgram(request_.program, setting, hooks));
    const auto energies = meter.Read();
    for (std::size_t i = 0; i < energies.size(); ++i) {
      native.energy.push_back({meter.Zones()[i].name, energies[i]});
    }
    native.energy_absence = counters.absence;
    if (native.finished.ended.interrupted) return Stopped();
    CHECK(hardware_events && kernel_events && more_events);
    native.hardware = pmu::CountsOf(hardware, hardware_events->Read());
    native.kernel = pmu::CountsOf(kernel, kernel_events->Read());
    if (!request_.more_events.empty()) native.more = more_events->Read();
    run::Finished finished = native.finished;
    if (finished.output_digest) native_outputs_.push_back(*finished.output_digest);
    report_.native = std::move(native);
    return finished;
  }

  // Further native runs, silent and in the setting of all engines.
  Result<void> RepeatNative() {
    CHECK(report_.native.has_value());
    const NativeCounts first = *report_.native;
    report_.native_runs.push_back(first);
    if (report_.ended.how == run::Ended::How::kTimedOut) return {};
    for (int i = 1; i < request_.native_runs; ++i) {
      const auto setting = run::SilentRepetition(report_.setting, native_seconds_.value_or(0));
      TRY(const auto finished, RunWithEvents(setting));
      report_.native_runs.push_back(*std::exchange(report_.native, first));
      if (finished.ended.ShellStatus() == report_.ended.ShellStatus()) continue;
      report_.caveats.push_back({CaveatId::kExitStatusVaries,
                                 fmt::format("status {}, then {}", report_.ended.ShellStatus(),
                                             finished.ended.ShellStatus())});
      break;
    }
    return {};
  }

  engine::EnginePlan PlanOf(engine::Engine engine) {
    engine::EnginePlan plan;
    const bool models = engine::Row(engine).needs_processor ||
                        (engine::Row(engine).needs_instrumentation && request_.compiled_streams);
    if (models && request_.processor) {
      plan.virtual_pmu = engine::VirtualPlan{.processor = *request_.processor};
    }
    plan.program = request_.program;
    // A program may do different work for a terminal, a pipe and /dev/null (isatty(3)), so all
    // counted runs write to a pipe.
    plan.setting = run::WithDigestedOutput(report_.setting);
    plan.region = request_.region;
    plan.children = request_.children;
    plan.pin_view = request_.pin_view;
    plan.limit = engine::LimitOf(engine, request_.engine_seconds, native_seconds_);
    plan.interrupted = request_.interrupted;
    return plan;
  }

  bool IsOfThisEngine(ErrorKind kind) const {
    if (kind == ErrorKind::kTimedOut) return true;
    return request_.engines.size() > 1 && kind != ErrorKind::kInterrupted &&
           kind != ErrorKind::kUsage;
  }

  Result<EngineCounts> RunEngine(engine::Engine engine) {
    EngineCounts counts;
    counts.engine = engine;
    if (const auto can = engine::CanRun(engine, files_); !can) {
      counts.absence = can.error().message;
      return counts;
    }
    const bool first = report_.engines.empty();
    const int runs = first ? request_.first_engine_runs.value_or(request_.runs) : request_.runs;
    std::vector<run::OutputDigest> outputs;
    for (int i = 0; i < runs; ++i) {
      TRY_VOID(Step(fmt::format("counting with {}, run {} of {}", Name(engine), i + 1, runs)));
      auto done = engine::RunUnder(engine, files_, PlanOf(engine));
      // An engine that times out, or that cannot run the program, must not fail the others.
      if (!done && IsOfThisEngine(done.error().kind)) {
        counts.absence = done.error().message;
        if (!failure_ && done.error().kind != ErrorKind::kTimedOut) failure_ = done.error();
        return counts;
      }
      TRY(auto run, std::move(done));
      if (run.finished.ended.interrupted) return Stopped();
      auto tally = SumRecordings(run.recordings, request_.convention, images_, run.events);
      if (!tally) {
        counts.absence = AbsenceOf(run, tally.error().message);
        return counts;
      }
      counts.runs.push_back(tally->total);
      if (run.finished.output_digest) outputs.push_back(*run.finished.output_digest);
      if (!run.events.empty()) counts.events.push_back(tally->events);
      if (i > 0) {
        counts.unrepeatable.merge(Moved(counts.tally, *tally));
        continue;
      }
      counts.ended = run.finished.ended;
      counts.caveats = run.caveats;
      counts.coverage = std::move(run.coverage);
      counts.tally = std::move(*tally);
      CheckFirstRun(run, counts);
    }
    TRY_VOID(CheckOutput(outputs, counts));
    if (!counts.unrepeatable.empty()) {
      counts.caveats.push_back(
          {CaveatId::kNotRepeatable,
           fmt::format("{}: {} function{}", Name(engine), counts.unrepeatable.size(),
                       counts.unrepeatable.size() == 1 ? "" : "s")});
    } else if (!SameEvents(counts)) {
      counts.caveats.push_back(
          {CaveatId::kNotRepeatable,
           fmt::format("{}: equal instruction counts, but different events", Name(engine))});
    }
    return counts;
  }

  // A program whose output differs from run to run shows nothing about the engine.
  Result<void> CheckOutput(std::span<const run::OutputDigest> outputs, EngineCounts& counts) {
    const auto varies = [](std::span<const run::OutputDigest> all) {
      return std::ranges::adjacent_find(all, std::ranges::not_equal_to()) != all.end();
    };
    if (outputs.empty() || native_outputs_.empty() || varies(outputs)) return {};
    TRY(const auto difference, run::OutputDifference(outputs.front(), native_outputs_, [this] {
          return RunOnItsOwn(run::SilentRepetition(report_.setting, native_seconds_.value_or(0)));
        }));
    if (difference) {
      counts.caveats.push_back(
          {CaveatId::kOutputDiffers, fmt::format("{}: {}", Name(counts.engine), *difference)});
    }
    return {};
  }

  static bool SameEvents(const EngineCounts& counts) {
    return std::ranges::all_of(counts.events, [&](const model::EventCounts& events) {
      return events == counts.events.front();
    });
  }

  std::string AbsenceOf(const engine::EngineRun& run, const std::string& reason) const {
    if (run.finished.ended.how == run::Ended::How::kTimedOut) return "the run timed out";
    return fmt::format("{} (the engine ended with status {})", reason,
                       run.finished.ended.ShellStatus());
  }

  void CheckFirstRun(const engine::EngineRun& run, EngineCounts& counts) {
    const std::string name(Name(counts.engine));
    if (!has_ended_) report_.ended = counts.ended;
    has_ended_ = true;
    if (counts.ended.ShellStatus() != report_.ended.ShellStatus()) {
      counts.caveats.push_back(
          {CaveatId::kExitStatusDiffers,
           fmt::format("{}: status {} instead of {}", name, counts.ended.ShellStatus(),
                       report_.ended.ShellStatus())});
    }
    if (counts.ended.how == run::Ended::How::kTimedOut) {
      counts.caveats.push_back({CaveatId::kIncomplete, name + ": the run timed out"});
    }
    if (counts.tally.undecoded > 0) {
      counts.caveats.push_back(
          {CaveatId::kUndecoded, fmt::format("{}: {} executions", name, counts.tally.undecoded)});
    }
    const bool replaced = engine::WasReplaced(run);
    if (replaced && request_.children) {
      counts.absence = "it does not follow execve, which the program or one of its children called";
    } else if (replaced) {
      counts.caveats.push_back({CaveatId::kExecNotFollowed, name});
    }
    if (request_.region && counts.tally.region_entries == 0) {
      counts.absence = fmt::format("{} was never called", request_.region->function);
    }
  }

  // True if part of the difference is still unexplained.
  static bool IsOpen(const Ledger& ledger) { return ledger.unexplained_moves > 0; }

  // Valgrind computes x87 values in 64 bits.
  static bool DifferInX87(engine::Engine a, engine::Engine b) {
    return engine::UsesValgrind(a) != engine::UsesValgrind(b);
  }

  static bool DifferInTransfers(const Tally& a, const Tally& b) {
    return a.partial_transfers && b.partial_transfers &&
           *a.partial_transfers != *b.partial_transfers;
  }

  static bool IsTolerable(const Ledger& ledger, const Tally& reference) {
    const double all = static_cast<double>(reference.total[Metric::kInstructions]);
    return static_cast<double>(ledger.unexplained_moves) <= kTolerated * all;
  }

  // Repeats the reference engine's run with memory at other addresses until everything is
  // explained.
  Result<void> TryAddresses(const EngineCounts& reference, const Tally& other, Evidence& evidence) {
    evidence.addresses_tried = true;
    for (const int place : {1, 2, 3, 4}) {
      TRY_VOID(Step("looking for the cause of a difference"));
      engine::EnginePlan plan = PlanOf(engine::Engine::kValgrind);
      plan.memory_place = place;
      const auto run = engine::RunUnder(engine::Engine::kValgrind, files_, plan);
      if (!run) return {};
      if (run->finished.ended.interrupted) return Stopped();
      const auto tally = SumRecordings(run->recordings, request_.convention, images_);
      if (tally) evidence.addresses.merge(Moved(reference.tally, *tally));
      if (!IsOpen(Explain(reference.tally, other, evidence))) break;
    }
    return {};
  }

  Result<void> WriteLedgers() {
    CHECK(report_.reference);
    const std::size_t referred = *report_.reference;
    const EngineCounts& reference = report_.engines[referred];
    Evidence evidence;
    for (const EngineCounts& counts : report_.engines) {
      evidence.unrepeatable.insert(counts.unrepeatable.begin(), counts.unrepeatable.end());
    }
    for (std::size_t i = 0; i < report_.engines.size(); ++i) {
      EngineCounts& counts = report_.engines[i];
      Ledger ledger;
      if (i != referred && counts.Usable()) {
        const auto& coverage = reference.coverage ? reference.coverage : counts.coverage;
        evidence.coverage = coverage ? &*coverage : nullptr;
        ledger = Explain(reference.tally, counts.tally, evidence);
        if (IsOpen(ledger) && !evidence.addresses_tried && engine::UsesValgrind(reference.engine)) {
          TRY_VOID(TryAddresses(reference, counts.tally, evidence));
        }
        // Evidence from runs is stronger than the presence of instructions.
        evidence.x87_precision = DifferInX87(reference.engine, counts.engine);
        evidence.partial_transfers = DifferInTransfers(reference.tally, counts.tally);
        ledger = Explain(reference.tally, counts.tally, evidence);
        evidence.x87_precision = evidence.partial_transfers = false;
        if (!IsTolerable(ledger, reference.tally)) {
          counts.caveats.push_back(
              {CaveatId::kUnexplained,
               fmt::format("{} against {}: {:+} instructions", Name(counts.engine),
                           Name(reference.engine), ledger.unexplained)});
        }
      }
      report_.ledgers.push_back(std::move(ledger));
    }
    return {};
  }

  struct ChosenEvents {
    pmu::Permissions permissions;
    std::vector<pmu::ChosenMetric> hardware;
    std::vector<pmu::ChosenMetric> kernel;
  };

  const CountRequest& request_;
  const host::EngineFiles& files_;
  Images& images_;
  const Progress& progress_;
  CountReport report_;
  std::optional<ChosenEvents> chosen_;
  bool has_ended_ = false;  // report_.ended is set
  std::optional<double> native_seconds_;
  std::optional<Error> failure_;  // of the first engine that could not run the program
  std::vector<run::OutputDigest> native_outputs_;  // of native runs in the setting of all engines
  double done_ = 0;
  double steps_ = 1;
};

}  // namespace

Result<CountReport> CountProgram(const CountRequest& request, const host::EngineFiles& files,
                                 Images& images, const Progress& progress) {
  return Counter(request, files, images, progress).Count();
}

}  // namespace tare::count
