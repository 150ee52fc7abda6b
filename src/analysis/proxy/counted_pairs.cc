// counted_pairs.cc: chooses an engine, runs it, and pairs the counts.
#include "analysis/proxy/counted_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/stop.h"
#include "measure/engine/engine_limit.h"
#include "measure/run/varied_layouts.h"
#include "model/core/model_event.h"
#include "model/core/modelled_events.h"

namespace tare::proxy {
namespace {

using count::Metric;
using engine::Engine;

constexpr std::array kCounted = {Metric::kInstructions,        Metric::kLoads, Metric::kStores,
                                 Metric::kConditionalBranches, Metric::kCalls, Metric::kReturns};
// Events of document tables beside the main ones.
constexpr std::string_view kConditionalMispredictions = "conditional-mispredictions";
constexpr std::string_view kL2InstructionAccesses = "l2-instruction-accesses";
constexpr std::string_view kStalledCycles = "stalled-cycles";
constexpr std::string_view kCycles = "cycles-estimate";

std::string MetricName(Metric metric) {
  std::string name(count::MetricTable()[static_cast<std::size_t>(metric)].id);
  std::ranges::replace(name, '_', '-');
  return name;
}

struct Totals {
  count::MetricCounts metrics;
  model::EventCounts events;

  bool operator==(const Totals&) const = default;
};

struct Subject {
  std::string_view name;  // in messages
  const run::ResolvedProgram* program;
  const run::Finished* native;  // native run
  std::optional<engine::Region> region = {};
  std::vector<Totals> totals = {};
  count::Tally first = {};
};

class PairCounter {
 public:
  PairCounter(const ProxyRequest& request, const host::EngineFiles& files, count::Images& images,
              const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {}

  Result<CountedPairs> Count(Subject vanilla, Subject instrumented) {
    if (!request_.region.empty()) {
      TRY(vanilla.region, engine::FindRegion(*vanilla.program, request_.region));
      TRY(instrumented.region, engine::FindRegion(*instrumented.program, request_.region));
    }
    ChooseEngine();
    if (engine_) {
      TRY(const auto settings, SettingsOf());
      TRY_VOID(RunAll(settings, vanilla, instrumented));
    }
    Finish(vanilla, instrumented);
    return std::move(pairs_);
  }

 private:
  // If another engine has to be used, the reason why there are no events is known.
  void ChooseEngine() {
    if (!request_.processor) no_events_ = "no processor description was given";
    for (const engine::Engine engine :
         {engine::Engine::kVirtual, engine::Engine::kValgrind, engine::Engine::kQemu}) {
      if (engine::Row(engine).needs_processor && !request_.processor) continue;
      const auto can = engine::CanRun(engine, files_);
      if (can) {
        engine_ = engine;
        return;
      }
      if (engine::Row(engine).needs_processor) no_events_ = can.error().message;
      pairs_.runs.absence = can.error().message;
    }
  }

  Result<std::vector<run::Setting>> SettingsOf() const {
    const run::Setting silent = run::WithDiscardedOutput(request_.setting);
    if (engine::Row(*engine_).layout == engine::LayoutControl::kNone)
      return VaryEnvironment(silent, request_.layouts);
    return VaryLayout(silent, request_.layouts);
  }

  Result<void> RunAll(const std::vector<run::Setting>& settings, Subject& vanilla,
                      Subject& instrumented) {
    steps_ = 2 * (static_cast<double>(settings.size()) + 1);
    for (std::size_t i = 0; i <= settings.size(); ++i) {
      // Runs the first layout twice.
      const run::Setting& setting = settings[i == 0 ? 0 : i - 1];
      for (Subject* subject : {&vanilla, &instrumented}) {
        const auto ran = RunOne(setting, *subject);
        if (ran) continue;
        const bool absent =
            ran.error().kind == ErrorKind::kUnsupported || ran.error().kind == ErrorKind::kTimedOut;
        if (!absent) return ran;
        pairs_.runs.absence = fmt::format("{}: {}", subject->name, ran.error().message);
        engine_.reset();
        return {};
      }
    }
    pairs_.layouts = settings.size();
    return {};
  }

  Result<void> RunOne(const run::Setting& setting, Subject& subject) {
    if (!progress_(done_ / steps_, fmt::format("counting {}", subject.name))) {
      return Stopped();
    }
    done_ += 1;
    engine::EnginePlan plan;
    plan.program = *subject.program;
    plan.setting = setting;
    plan.region = subject.region;
    plan.children = request_.children;
    plan.pin_view = request_.pin_view;
    plan.limit = engine::LimitOf(*engine_, request_.engine_seconds, subject.native->wall_seconds);
    plan.interrupted = request_.interrupted;
    if (engine::Row(*engine_).needs_processor) {
      plan.virtual_pmu.emplace();
      plan.virtual_pmu->processor = *request_.processor;
    }
    TRY(const auto run, engine::RunUnder(*engine_, files_, plan));
    if (run.finished.ended.interrupted) {
      return Stopped();
    }
    if (run.finished.ended.how == run::Ended::How::kTimedOut) {
      return Fail(ErrorKind::kUnsupported, "a counted run did not exit within the timeout");
    }
    auto tally =
        count::SumRecordings(run.recordings, count::RepConvention::kOnce, images_, run.events);
    if (!tally) return Fail(ErrorKind::kUnsupported, tally.error().message);
    if (subject.region && tally->region_entries == 0) {
      return Fail(ErrorKind::kUnsupported, fmt::format("{} was not called", request_.region));
    }
    if (subject.totals.empty()) Examine(run, *tally, subject);
    subject.totals.push_back({tally->total, tally->events});
    if (subject.totals.size() == 1) subject.first = std::move(*tally);
    return {};
  }

  void Examine(const engine::EngineRun& run, const count::Tally& tally, const Subject& subject) {
    const int status = run.finished.ended.ShellStatus();
    for (const Caveat& caveat : run.caveats) pairs_.caveats.push_back(caveat);
    const int expected = subject.native->ended.ShellStatus();
    if (status != expected) {
      Warn(CaveatId::kExitStatusDiffers,
           fmt::format("{} under {}: status {} instead of {}", subject.name, Name(*engine_), status,
                       expected));
    }
    if (tally.undecoded > 0) {
      Warn(CaveatId::kUndecoded, fmt::format("{}: {} executions", subject.name, tally.undecoded));
    }
    if (engine::WasReplaced(run)) Warn(CaveatId::kExecNotFollowed, std::string(subject.name));
  }

  void Warn(CaveatId id, std::string detail) {
    pairs_.doubts.push_back(fmt::format("{}: {}", Row(id).message, detail));
    pairs_.caveats.push_back({id, std::move(detail)});
  }

  // If both runs of the first layout agree, one is enough.
  void DropRepeat(Subject& vanilla, Subject& instrumented) {
    const auto repeats = [](const Subject& subject) {
      return subject.totals[0] == subject.totals[1];
    };
    for (const Subject* subject : {&vanilla, &instrumented}) {
      if (!repeats(*subject)) Warn(CaveatId::kNotRepeatable, std::string(subject->name));
    }
    if (!repeats(vanilla) || !repeats(instrumented)) return;
    for (Subject* subject : {&vanilla, &instrumented}) {
      subject->totals.erase(subject->totals.begin());
    }
  }

  void Finish(Subject& vanilla, Subject& instrumented) {
    if (engine_) {
      DropRepeat(vanilla, instrumented);
      pairs_.runs.engine = Name(*engine_);
      pairs_.runs.absence.clear();
      pairs_.runs.vanilla = std::move(vanilla.first);
      pairs_.runs.instrumented = std::move(instrumented.first);
    } else {
      no_events_ = pairs_.runs.absence;
    }
    for (const Metric metric : kCounted) {
      Add({MetricName(metric), Source::kEngine}, pairs_.runs.absence, vanilla, instrumented,
          [metric](const Totals& totals) { return static_cast<double>(totals.metrics[metric]); });
    }
    AddEvents(vanilla, instrumented);
  }

  void AddEvents(const Subject& vanilla, const Subject& instrumented) {
    for (const model::EventText& text : model::EventTable()) {
      if (!text.main && text.id != kConditionalMispredictions) continue;
      std::string absence = no_events_;
      if (absence.empty()) absence = model::WhyAbsent(*request_.processor, text);
      AddEvent(text.id, text, absence, vanilla, instrumented);
      // Every fetch that misses the L1 cache goes to L2, and nothing else does.
      if (text.id != "l1i-misses") continue;
      if (absence.empty() && !request_.processor->l2) absence = "the description has no L2";
      AddEvent(kL2InstructionAccesses, text, absence, vanilla, instrumented);
    }
    Add({std::string(kStalledCycles), Source::kModel, "cycles"},
        "the virtual PMU models no pipeline; hardware counters may have it", vanilla, instrumented,
        [](const Totals&) { return 0.0; });
    Add({std::string(kCycles), Source::kModel, "cycles"}, no_events_, vanilla, instrumented,
        [this](const Totals& totals) {
          return model::EstimateCycles(*request_.processor, totals.metrics[Metric::kInstructions],
                                       totals.events);
        });
  }

  void AddEvent(std::string_view name, const model::EventText& text, const std::string& absence,
                const Subject& vanilla, const Subject& instrumented) {
    Add({std::string(name), Source::kModel}, absence, vanilla, instrumented,
        [&text](const Totals& totals) {
          return static_cast<double>(model::Sum(totals.events, text));
        });
  }

  template <typename Of>
  void Add(MetricRatio metric, const std::string& absence, const Subject& vanilla,
           const Subject& instrumented, const Of& of) {
    metric.ratio = Absent(absence);
    if (absence.empty()) {
      for (const Totals& totals : vanilla.totals) metric.vanilla.push_back(of(totals));
      for (const Totals& totals : instrumented.totals) metric.instrumented.push_back(of(totals));
      TakeLayouts(request_.confidence, metric);
    }
    pairs_.metrics.push_back(std::move(metric));
  }

  const ProxyRequest& request_;
  const host::EngineFiles& files_;
  count::Images& images_;
  const Progress& progress_;
  std::optional<engine::Engine> engine_;
  std::string no_events_;
  CountedPairs pairs_;
  double done_ = 0;
  double steps_ = 1;
};

}  // namespace

Result<CountedPairs> CountPairs(const ProxyRequest& request, const run::Finished& vanilla,
                                const run::Finished& instrumented, const host::EngineFiles& files,
                                count::Images& images, const Progress& progress) {
  return PairCounter(request, files, images, progress)
      .Count({"the vanilla program", &request.vanilla, &vanilla},
             {"the instrumented program", &request.instrumented, &instrumented});
}

}  // namespace tare::proxy
