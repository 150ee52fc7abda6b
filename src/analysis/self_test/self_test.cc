// self_test.cc: the runs of the workloads, and the differences of their counts.
#include "analysis/self_test/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "machine/host/conditions.h"
#include "machine/pmu/named_events.h"
#include "machine/pmu/program_metrics.h"
#include "measure/count/tally.h"
#include "measure/engine/engine_run.h"
#include "model/core/modelled_events.h"

namespace tare::self_test {
namespace {

using engine::Engine;

// Why an event has no count.
using Absences = std::map<std::string, std::string, std::less<>>;

struct Source {
  Engine engine;
  Kind kind;
};

constexpr std::array kSources = {
    Source{Engine::kHardware, Kind::kHardware},     Source{Engine::kKernel, Kind::kKernel},
    Source{Engine::kValgrind, Kind::kInstructions}, Source{Engine::kQemu, Kind::kInstructions},
    Source{Engine::kStep, Kind::kInstructions},     Source{Engine::kVirtual, Kind::kModel},
};

class Runner {
 public:
  Runner(const SelfTestRequest& request, const Progress& progress)
      : request_(request), progress_(progress) {}

  Result<SelfTestReport> Run() {
    for (std::size_t i = 0; i < kSources.size(); ++i) {
      first_part_ = static_cast<double>(i) / kSources.size();
      TRY_VOID(TestSource(kSources[i]));
    }
    AddUntestedEvents();
    return std::move(report_);
  }

 private:
  Result<void> TestSource(const Source& source) {
    const auto& wanted = request_.engines;
    if (!wanted.empty() && std::ranges::find(wanted, source.engine) == wanted.end()) return {};
    if (const auto can = engine::CanRun(source.engine, request_.files); !can) {
      report_.untested.push_back({Named(source), "", can.error().message});
      return {};
    }
    ChooseEvents(source);
    std::size_t done = 0;
    for (const Effect& effect : request_.effects) {
      const double part =
          static_cast<double>(done++) / static_cast<double>(request_.effects.size());
      std::vector<Known> known;
      std::ranges::copy_if(effect.known, std::back_inserter(known),
                           [&](const Known& one) { return one.kind == source.kind; });
      if (known.empty()) continue;
      const auto what = fmt::format("{}: {}", Named(source), effect.workload);
      if (!progress_(first_part_ + part / kSources.size(), what)) return Stopped();
      TRY_VOID(TestEffect(source, effect, known));
    }
    AddUntestedOf(source);
    return {};
  }

  static std::string Named(const Source& source) { return std::string(Name(source.engine)); }

  Result<void> TestEffect(const Source& source, const Effect& effect,
                          std::span<const Known> known) {
    ChooseEventsOf(known);
    TRY(auto tests, MeasureEffect(source, effect, known));
    if (std::ranges::any_of(tests, Failed)) {
      // The machine may have disturbed the counts: the majority of three measurements decides.
      std::array<std::vector<Tested>, 2> again;
      for (auto& repeated : again) {
        TRY(repeated, MeasureEffect(source, effect, known));
      }
      for (std::size_t i = 0; i < tests.size(); ++i) {
        if (Failed(tests[i]) && again[0][i].Passed() && again[1][i].Passed())
          tests[i] = again[0][i];
      }
    }
    std::ranges::move(tests, std::back_inserter(report_.tests));
    return {};
  }

  static bool Failed(const Tested& test) { return test.counted && !test.Passed(); }

  // One test for each of `known`.
  Result<std::vector<Tested>> MeasureEffect(const Source& source, const Effect& effect,
                                            std::span<const Known> known) {
    absences_.clear();
    if (CountsNothing(source)) return Absent(source, effect, known);
    auto once = CountsOf(source, effect, effect.count);
    auto twice = once ? CountsOf(source, effect, 2 * effect.count) : once;
    if (!twice && twice.error().kind == ErrorKind::kInterrupted) {
      return std::unexpected(twice.error());
    }
    std::vector<Tested> tests;
    for (const Known& one : known) {
      Tested tested{Named(source), one.event, effect.does, effect.count, one.low, one.high, {}, {}};
      tested.code = CodeOf(source, one.event);
      if (!twice) {
        tested.absence = twice.error().message;
      } else if (const auto absent = absences_.find(one.event); absent != absences_.end()) {
        tested.absence = absent->second;
      } else {
        const std::uint64_t before = (*once)[one.event];
        const std::uint64_t after = (*twice)[one.event];
        tested.counted = after > before ? after - before : 0;
      }
      tests.push_back(std::move(tested));
    }
    return tests;
  }

  // Without any of its events, a workload need not run.
  bool CountsNothing(const Source& source) const {
    return !request_.count && !engine::Row(source.engine).sees_instructions &&
           std::ranges::none_of(
               chosen_, [](const pmu::ChosenMetric& metric) { return metric.event.has_value(); });
  }

  std::vector<Tested> Absent(const Source& source, const Effect& effect,
                             std::span<const Known> known) const {
    std::vector<Tested> tests;
    for (const Known& one : known) {
      const auto chosen = std::ranges::find_if(
          chosen_, [&](const pmu::ChosenMetric& metric) { return metric.row.metric == one.event; });
      tests.push_back({Named(source),
                       one.event,
                       effect.does,
                       effect.count,
                       one.low,
                       one.high,
                       {},
                       chosen == chosen_.end() ? "no such event" : chosen->absence});
    }
    return tests;
  }

  // Empty for events of engines that see instructions, and for events without one here.
  std::string CodeOf(const Source& source, const std::string& event) const {
    if (engine::Row(source.engine).sees_instructions) return "";
    const auto chosen = std::ranges::find_if(
        chosen_, [&](const pmu::ChosenMetric& metric) { return metric.row.metric == event; });
    return chosen == chosen_.end() || !chosen->event ? "" : pmu::CodeText(chosen->event->code);
  }

  Result<Counts> CountsOf(const Source& source, const Effect& effect, std::uint64_t count) {
    if (request_.count) return request_.count(source.engine, effect, count);
    run::Program program{{request_.program.string(), effect.workload, fmt::to_string(count)}};
    program.arguments.insert(program.arguments.end(), effect.places.begin(), effect.places.end());
    TRY(const auto resolved, run::Resolve(program));
    return engine::Row(source.engine).sees_instructions ? CountUnder(source, resolved)
                                                        : CountEvents(resolved);
  }

  Result<Counts> CountUnder(const Source& source, const run::ResolvedProgram& program) {
    engine::EnginePlan plan;
    plan.program = program;
    plan.setting = run::WithDiscardedOutput({});
    plan.interrupted = request_.interrupted;
    if (source.kind == Kind::kModel)
      plan.virtual_pmu = engine::VirtualPlan{.processor = request_.processor};
    TRY(const auto run, engine::RunUnder(source.engine, request_.files, plan));
    TRY_VOID(CheckEnd(run.finished));
    TRY(const auto tally,
        count::SumRecordings(run.recordings, count::RepConvention::kOnce, images_, run.events));
    Counts counts;
    if (source.kind == Kind::kModel) {
      for (const model::EventText& text : model::EventTable()) {
        counts[std::string(text.id)] = Sum(tally.events, text);
        const std::string absence = model::WhyAbsent(request_.processor, text);
        if (!absence.empty()) absences_[std::string(text.id)] = absence;
      }
    } else {
      for (const count::MetricText& text : count::MetricTable())
        counts[std::string(text.id)] = tally.total[text.metric];
    }
    return counts;
  }

  void ChooseEvents(const Source& source) {
    if (engine::Row(source.engine).sees_instructions) return;
    permissions_ = pmu::PermissionsOf(host::ReadConditions({}, {}));
    const auto rows =
        source.kind == Kind::kHardware ? pmu::HardwareMetrics() : pmu::KernelMetrics();
    available_ = pmu::ChooseMetrics(rows, permissions_);
    if (source.kind == Kind::kHardware) {
      for (const pmu::NamedEvent& named : pmu::NamedEvents())
        available_.push_back(pmu::ChooseNamedEvent(named, permissions_));
    }
  }

  // Only the events of one workload, because there are few counters.
  void ChooseEventsOf(std::span<const Known> known) {
    chosen_.clear();
    for (const pmu::ChosenMetric& metric : available_) {
      // A count of instructions is corrected by the interrupts.
      const bool wanted = std::ranges::any_of(known, [&](const Known& one) {
        return one.event == metric.row.metric ||
               (one.event == "instructions" && metric.row.metric == "interrupts");
      });
      if (wanted) chosen_.push_back(metric);
    }
  }

  // Events of this source that no workload tested.
  void AddUntestedOf(const Source& source) {
    for (const pmu::ChosenMetric& metric : available_) {
      const auto is_it = [&](const Tested& one) {
        return one.source == Named(source) && one.event == metric.row.metric;
      };
      if (std::ranges::any_of(report_.tests, is_it)) continue;
      report_.untested.push_back(
          {Named(source), std::string(metric.row.metric),
           metric.event ? "no workload causes a known number of it" : metric.absence});
    }
    available_.clear();
  }

  Result<Counts> CountEvents(const run::ResolvedProgram& program) {
    std::optional<pmu::ProgramEvents> events;
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    hooks.before_exec = [&](pid_t process) -> Result<void> {
      TRY(auto opened, pmu::ProgramEvents::Attach(process, pmu::MakePlan(chosen_), permissions_));
      events.emplace(std::move(opened));
      return {};
    };
    TRY(const auto finished, run::RunProgram(program, run::WithDiscardedOutput({}), hooks));
    TRY_VOID(CheckEnd(finished));
    Counts counts;
    for (const pmu::MetricCount& count : pmu::CountsOf(chosen_, events->Read())) {
      const auto value = count.corrected ? count.corrected : count.count.value;
      if (value) {
        counts[count.metric] = *value;
      } else {
        absences_[count.metric] = count.count.absence;
      }
    }
    return counts;
  }

  static Result<void> CheckEnd(const run::Finished& finished) {
    if (finished.ended.interrupted) return Stopped();
    if (finished.ended.ShellStatus() == 0) return {};
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the workload ended with status {}", finished.ended.ShellStatus()));
  }

  void AddUntestedEvents() {
    const std::string source(Name(Engine::kVirtual));
    for (const model::EventText& text : model::EventTable()) {
      const auto is_it = [&](const Tested& one) {
        return one.source == source && one.event == text.id;
      };
      if (std::ranges::any_of(report_.tests, is_it)) continue;
      std::string reason = model::WhyAbsent(request_.processor, text);
      if (reason.empty()) reason = "no workload causes a known number of it";
      report_.untested.push_back({source, std::string(text.id), std::move(reason)});
    }
  }

  const SelfTestRequest& request_;
  const Progress& progress_;
  count::Images images_;
  pmu::Permissions permissions_;
  std::vector<pmu::ChosenMetric> available_;  // of the source that is being tested
  std::vector<pmu::ChosenMetric> chosen_;     // of the workload
  Absences absences_;
  double first_part_ = 0;
  SelfTestReport report_;
};

}  // namespace

Result<std::filesystem::path> FindKnownProgram(const host::EngineFiles& files) {
  // The engines are in one directory, and the Valgrind tool in one below it.
  std::vector<std::filesystem::path> directories;
  if (files.qemu_plugin) directories.push_back(files.qemu_plugin->parent_path());
  if (files.valgrind_directory) directories.push_back(files.valgrind_directory->parent_path());
  if (files.runtime) directories.push_back(files.runtime->parent_path());
  for (const auto& directory : directories) {
    std::error_code error;
    if (auto path = directory / "tare-known"; std::filesystem::exists(path, error)) return path;
  }
  return Fail(ErrorKind::kUnsupported,
              fmt::format("tare-known is not in {}: the installation is incomplete",
                          host::EngineDirectories()));
}

std::vector<pmu::EventVerdict> VerdictsOf(const SelfTestReport& report) {
  std::vector<pmu::EventVerdict> verdicts;
  for (const Tested& test : report.tests) {
    if (!test.counted) continue;
    auto found = std::ranges::find_if(verdicts, [&](const pmu::EventVerdict& verdict) {
      return verdict.source == test.source && verdict.event == test.event;
    });
    if (found == verdicts.end()) {
      verdicts.push_back({test.source, test.event, true, "", test.code});
      found = verdicts.end() - 1;
    }
    if (test.Passed() || !found->passed) continue;
    found->passed = false;
    found->detail = test.low == test.high
                        ? fmt::format("{} instead of {}", *test.counted, test.low)
                        : fmt::format("{} instead of {} to {}", *test.counted, test.low, test.high);
  }
  return verdicts;
}

Result<SelfTestReport> RunSelfTest(const SelfTestRequest& request, const Progress& progress) {
  return Runner(request, progress).Run();
}

}  // namespace tare::self_test
