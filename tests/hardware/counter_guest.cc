// counter_guest.cc: the only process of an emulated machine with a PMUv3; compares tare's counters
// with loops of known counts and prints the results.
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstdio>

#include "analysis/self_test/known_effect.h"
#include "guest_system.h"
#include "machine/pmu/loop_count.h"
#include "machine/pmu/program_metrics.h"

namespace tare::guest {
namespace {

using namespace pmu;

constexpr std::uint64_t kIterations = 1'000'000;
constexpr std::uint64_t kLoop = 4 * kIterations;
// Instructions of known_program.S outside of its loops, counted by hand.
constexpr std::uint64_t kAroundOne = 10;
constexpr std::uint64_t kAroundParent = 30;
constexpr std::uint64_t kAroundChild = 9;
constexpr std::uint64_t kAroundThreads = 24 + 8;
constexpr std::uint64_t kLongLoop = 40 * kLoop;
constexpr std::uint64_t kAroundLong = 16;
constexpr int kRepetitions = 5;

int g_checks = 0;
int g_wrong = 0;

void Expect(bool right, const std::string& what) {
  ++g_checks;
  if (!right) ++g_wrong;
  fmt::print("{} {}\n", right ? "right" : "WRONG", what);
}

void ExpectBetween(std::string_view what, std::optional<std::uint64_t> value, std::uint64_t low,
                   std::uint64_t high) {
  Expect(value && *value >= low && *value <= high,
         fmt::format("{}: {} (from {} to {})", what, value ? fmt::to_string(*value) : "absent", low,
                     high));
}

void ExpectExactly(std::string_view what, std::optional<std::uint64_t> value,
                   std::uint64_t expected) {
  ExpectBetween(what, value, expected, expected);
}

EventCode Generic(std::uint64_t config) {
  EventCode code;
  code.type = PERF_TYPE_HARDWARE;
  code.config = config;
  return code;
}

ProgramEvent Instructions(std::string name = "instructions") {
  return {.name = std::move(name), .code = Generic(PERF_COUNT_HW_INSTRUCTIONS)};
}

std::vector<ProgramCount> CountOf(const ProgramEventPlan& plan,
                                  const std::vector<std::string>& command) {
  std::vector<ProgramCount> counts;
  std::optional<ProgramEvents> events;
  const bool ran = RunWaiting(command, [&](int process) {
    auto attached = ProgramEvents::Attach(process, plan, {});
    if (!attached) {
      fmt::print("{}\n", attached.error().message);
      return false;
    }
    events.emplace(std::move(*attached));
    return true;
  });
  Expect(ran, fmt::format("{} ran with {} words", command[0], command.size()));
  return events ? events->Read() : counts;
}

std::vector<ProgramCount> Count(const ProgramEventPlan& plan, std::size_t arguments) {
  return CountOf(plan, std::vector<std::string>(arguments, "/known_program"));
}

void TestThisThread() {
  std::optional<std::uint64_t> first;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto reading =
        CountLoopHere(Generic(PERF_COUNT_HW_INSTRUCTIONS), LoopPart::kInstructions, kIterations);
    if (!reading) return Expect(false, fmt::format("thread: error number {}", reading.error()));
    ExpectBetween("thread: instructions by read()", reading->count.value, kLoop, kLoop + 200);
    ExpectBetween("thread: instructions by register, before", reading->user_before, kLoop,
                  reading->count.value);
    ExpectBetween("thread: instructions by register, after", reading->user_after,
                  reading->count.value, kLoop + 400);
    if (i == 1) first = reading->count.value;  // the first run maps pages and resolves functions
    if (i > 1) Expect(reading->count.value == first, "thread: the same as before");
  }
}

void TestSelection() {
  for (const ChosenMetric& chosen : ChooseMetrics(HardwareMetrics(), {})) {
    fmt::print("metric {}: event {}, {}, counted {}, by register: {} {}\n", chosen.row.metric,
               chosen.event_name, Name(chosen.test.works), chosen.test.counted.value_or(0),
               chosen.test.user_read_agrees ? (*chosen.test.user_read_agrees ? "agrees" : "differs")
                                            : "not read",
               chosen.absence);
    const bool counted_here = chosen.row.metric == "instructions" || chosen.row.metric == "cycles";
    if (counted_here) {
      Expect(chosen.test.works == Works::kCounts,
             fmt::format("selection: {} passes", chosen.row.metric));
      Expect(chosen.test.user_read_agrees == true,
             fmt::format("selection: {} agrees by register", chosen.row.metric));
    }
    if (chosen.row.metric == "instructions") {
      ExpectExactly("selection: 200,000 more iterations", chosen.test.counted, 800'000);
    }
    Expect(chosen.event.has_value() == chosen.absence.empty(),
           fmt::format("selection: {} has an event or a reason", chosen.row.metric));
  }
}

void TestProgram() {
  const auto choice = ChooseMetrics(HardwareMetrics(), {});
  for (int i = 0; i < kRepetitions; ++i) {
    for (const MetricCount& count : CountsOf(choice, Count(MakePlan(choice), 1))) {
      if (!count.count.value) continue;
      fmt::print("program: {} {} enabled {} ns running {} ns\n", count.metric, *count.count.value,
                 count.count.enabled_ns, count.count.running_ns);
      if (count.metric != "instructions") continue;
      ExpectExactly("program: instructions", count.count.value, kLoop + kAroundOne);
    }
  }
}

void TestScopes() {
  ProgramEventPlan plan;
  plan.events = {Instructions()};
  const auto one = [&](bool children, std::size_t arguments) {
    plan.children = children;
    const auto counts = Count(plan, arguments);
    return counts.empty() ? std::nullopt : counts[0].value;
  };
  ExpectExactly("scope: with the child", one(true, 2), 2 * kLoop + kAroundParent + kAroundChild);
  ExpectExactly("scope: without the child", one(false, 2), kLoop + kAroundParent);
  ExpectExactly("scope: tree, two threads", one(true, 3), 2 * kLoop + kAroundThreads);
  ExpectExactly("scope: process, two threads", one(false, 3), 2 * kLoop + kAroundThreads);
}

void TestTooMany() {
  constexpr std::size_t kMany = 10;
  ProgramEventPlan plan;
  for (std::size_t i = 0; i < kMany; ++i) {
    plan.events.push_back(Instructions(fmt::format("instructions {}", i)));
  }
  auto counts = Count(plan, 4);
  std::size_t whole = 0;
  for (const ProgramCount& count : counts) {
    if (count.value) {
      ++whole;
      ExpectExactly("group: " + count.name, count.value, kLongLoop + kAroundLong);
    } else {
      Expect(count.absence.starts_with("10 events do not fit"), "group: " + count.absence);
    }
  }
  Expect(whole > 0 && whole < kMany, fmt::format("group: {} of {} fit", whole, kMany));
  plan.allow_multiplexing = true;
  for (const ProgramCount& count : Count(plan, 4)) {
    Expect(count.multiplexed && count.value && count.scaled,
           "iterations: " + count.name + count.absence);
    if (!count.scaled) continue;
    ExpectBetween(
        fmt::format("iterations: running {:.3f} of the time, estimate",
                    static_cast<double>(count.running_ns) / static_cast<double>(count.enabled_ns)),
        static_cast<std::uint64_t>(*count.scaled), kLongLoop / 100 * 98, kLongLoop / 100 * 102);
  }
}

void TestKernelEvents() {
  const auto choice = ChooseMetrics(KernelMetrics(), {});
  for (const MetricCount& count : CountsOf(choice, Count(MakePlan(choice), 1))) {
    fmt::print("kernel: {} {} {}\n", count.metric,
               count.count.value ? fmt::to_string(*count.count.value) : "absent",
               count.count.absence);
    if (count.metric == "task-clock") {
      ExpectBetween("kernel: task-clock", count.count.value, 1, 1'000'000'000);
    }
    if (count.metric == "page-faults") {
      ExpectBetween("kernel: page-faults", count.count.value, 1, 100);
    }
  }
}

// What `tare doctor --self-test` expects of hardware and kernel: the difference of two runs is what
// so many further repetitions of a workload cause.
void TestKnownEffects() {
  model::Processor processor;  // only so that its table can be made
  for (model::CacheLevel* cache : {&processor.l1i, &processor.l1d}) *cache = {32 << 10, 8};
  for (const auto& [kind, rows] : {std::pair(self_test::Kind::kHardware, HardwareMetrics()),
                                   std::pair(self_test::Kind::kKernel, KernelMetrics())}) {
    const auto choice = ChooseMetrics(rows, {});
    for (const self_test::Effect& effect : self_test::EffectsOn(processor)) {
      if (std::ranges::find(effect.known, kind, &self_test::Known::kind) == effect.known.end())
        continue;
      const auto counts = [&](std::uint64_t repetitions) {
        std::vector<std::string> command = {"/known_effects", effect.workload,
                                            fmt::to_string(repetitions)};
        command.insert(command.end(), effect.places.begin(), effect.places.end());
        return CountsOf(choice, CountOf(MakePlan(choice), command));
      };
      const auto once = counts(effect.count);
      const auto twice = counts(2 * effect.count);
      for (const self_test::Known& known : effect.known) {
        const auto row = std::ranges::find(once, known.event, &MetricCount::metric);
        if (known.kind != kind || row == once.end()) continue;
        const auto& more = twice[static_cast<std::size_t>(row - once.begin())];
        const std::string what = fmt::format("effect: {} of {}", known.event, effect.does);
        if (row->count.value && more.count.value) {
          ExpectBetween(what, *more.count.value - *row->count.value, known.low, known.high);
        } else {
          Expect(!row->count.absence.empty(), what + ": absent, " + row->count.absence);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tare::guest

int main() {
  using namespace tare::guest;
  BecomeFirstProcess();
  Expect(WriteSetting("/proc/sys/kernel/perf_user_access", "1"), "registers may be read");
  TestThisThread();
  TestSelection();
  TestProgram();
  TestScopes();
  TestTooMany();
  TestKernelEvents();
  TestKnownEffects();
  fmt::print("hardware: {} checks, {} wrong\n", g_checks, g_wrong);
  PowerOff();
}
