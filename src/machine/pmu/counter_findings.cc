// counter_findings.cc: the rows about counters.
#include "machine/pmu/counter_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "machine/host/finding_rows.h"

namespace tare::pmu {
namespace {

using host::Assessment;
using host::NotAvailable;
using enum host::Level;

constexpr std::string_view kCountElsewhere =
    "use a machine that exposes them, such as bare metal, or count with --engine valgrind";

bool Counts(const ProbedEvent& event) {
  return event.user.test.works == Works::kCounts || event.with_kernel.test.works == Works::kCounts;
}

bool CountsNothing(const ProbedEvent& event) {
  return event.OpensAtAll() && !Counts(event) &&
         (event.user.test.works == Works::kCountsNothing ||
          event.with_kernel.test.works == Works::kCountsNothing);
}

// The most frequent reason among the events that do not open.
std::string CommonReason(const std::vector<ProbedEvent>& events, EventClass event_class) {
  std::map<std::string, int> reasons;
  for (const ProbedEvent& event : events) {
    if (event.row.event_class == event_class && !event.OpensAtAll()) ++reasons[event.user.reason];
  }
  const auto max =
      std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; });
  return max == reasons.end() ? "" : max->first;
}

Assessment AssessEvents(const CounterState& state, EventClass event_class) {
  int all = 0;
  int open = 0;
  int broken = 0;
  int kernel_only = 0;
  for (const ProbedEvent& event : state.events) {
    if (event.row.event_class != event_class) continue;
    ++all;
    if (event.OpensAtAll()) ++open;
    if (CountsNothing(event)) ++broken;
    if (event.user.test.works == Works::kCountsNothing && Counts(event)) ++kernel_only;
  }
  const bool hardware = event_class != EventClass::kSoftware;
  const std::string value = fmt::format("{} of {} open", open, all);
  if (open == 0) {
    Assessment assessment{
        .level = kWarning,
        .value = value,
        .meaning = CommonReason(state.events, event_class),
        .advice = hardware ? std::string(kCountElsewhere)
                           : "check perf_event_paranoid and the container's seccomp profile"};
    if (hardware) assessment.caveat = CaveatId::kNoCounters;
    return assessment;
  }
  if (broken > 0) {
    return {.level = kWarning,
            .value = fmt::format("{}, {} do not count", value, broken),
            .meaning =
                "some events open but do not count: kernel mode is excluded, or the event is not "
                "emulated",
            .advice = hardware ? "do not trust the counters of this machine"
                               : "for kernel mode: sysctl kernel.perf_event_paranoid=1"};
  }
  if (open < all) {
    return {
        .level = kNote,
        .value = value,
        .meaning =
            fmt::format("events that do not open: {}", CommonReason(state.events, event_class)),
        .advice = hardware ? "look for a native event of the processor with the same meaning" : ""};
  }
  if (kernel_only > 0) {
    return {.level = kOk,
            .value = value,
            .meaning = "all can be counted; context switches and migrations in kernel mode only"};
  }
  return {.level = kOk, .value = value, .meaning = "all can be counted"};
}

Assessment AssessPmus(const CounterState& state) {
  std::string cores;
  std::size_t others = 0;
  for (const Pmu& pmu : state.pmus) {
    if (pmu.kind == PmuKind::kCore) cores += (cores.empty() ? "" : " ") + pmu.name;
    if (pmu.kind == PmuKind::kOther) ++others;
  }
  if (state.pmus.empty()) {
    Assessment assessment = NotAvailable("the kernel lists no performance monitoring units",
                                         std::string(kCountElsewhere));
    assessment.caveat = CaveatId::kNoCounters;
    return assessment;
  }
  if (cores.empty()) {
    return {.level = kWarning,
            .value = "no core PMU",
            .meaning = "the hardware cannot count cycles, instructions or cache misses",
            .advice = std::string(kCountElsewhere),
            .caveat = CaveatId::kNoCounters};
  }
  if (others > 0) cores += fmt::format(" and {} others", others);
  return {.level = kOk, .value = cores, .meaning = "the processor's counters are exposed"};
}

Assessment AssessUserRead(const CounterState& state) {
  if (!state.user_read.available) {
    return NotAvailable(state.user_read.reason + ": each reading is a system call");
  }
  return {.level = kOk,
          .value = "yes",
          .meaning = "reading a counter takes tens of cycles: short code sections can be measured"};
}

// The largest table of a core PMU: Intel's architectural events have a separate small one, and the
// tables "perf" and "perf_raw" match every machine.
Assessment AssessNames(const CounterState& state) {
  if (!state.tables) return NotAvailable(state.tables.error().message);
  const EventTable* best = nullptr;
  for (const EventTable& table : *state.tables) {
    if (!table.core || table.counters == 0) continue;
    if (best == nullptr || table.events > best->events) best = &table;
  }
  if (best == nullptr) {
    return {.level = kNote,
            .value = "generic names only",
            .meaning = "libpfm4 does not know this processor's native events",
            .advice = "use generic names such as instructions, or raw codes"};
  }
  return {.level = kOk,
          .value = fmt::format("{}, {} events", best->description, best->events),
          .meaning = fmt::format("names are known; the model has {} general and {} fixed counters",
                                 best->counters, best->fixed_counters)};
}

std::vector<CounterErratum> ErrataHere(const host::SystemFiles& files) {
  const auto signature = ReadX86Signature(files);
  return signature ? ErrataOf(*signature) : std::vector<CounterErratum>{};
}

Assessment AssessErrata(const CounterState& state) {
  if (state.errata.empty()) {
    return {.level = kOk,
            .value = "none in the list",
            .meaning = "tare lists errata of a few processors only; --self-test tests the events"};
  }
  std::string events;
  for (const CounterErratum& erratum : state.errata) {
    events += fmt::format("{}{} ({})", events.empty() ? "" : "; ", erratum.events, erratum.id);
  }
  return {.level = kNote,
          .value = fmt::format("{} in the vendor's list", state.errata.size()),
          .meaning = events,
          .advice = "table errata names the documents; run tare doctor --self-test"};
}

Assessment AssessEnergy(const CounterState& state) {
  if (state.energy.zones.empty()) return NotAvailable(state.energy.absence);
  std::string names;
  for (const host::EnergyZone& zone : state.energy.zones) {
    names += (names.empty() ? "" : " ") + zone.name;
  }
  return {.level = kOk,
          .value = names,
          .meaning = "tare count and tare trace read them; they cover all programs that run"};
}

host::Engine MakeEngine(const CounterState& state, std::string name, EventClass event_class) {
  host::Engine engine;
  engine.name = std::move(name);
  engine.basis = "perf_event_open";
  engine.found = std::ranges::any_of(state.events, [&](const ProbedEvent& event) {
    return event.row.event_class == event_class && Counts(event);
  });
  if (engine.found) {
    engine.state = fmt::format("ready: tare count --engine {}", engine.name);
    return engine;
  }
  engine.state = CommonReason(state.events, event_class);
  if (engine.state.empty()) engine.state = "events open but do not count";
  engine.advice = event_class == EventClass::kSoftware
                      ? "check perf_event_paranoid and the container's seccomp profile"
                      : std::string(kCountElsewhere);
  return engine;
}

}  // namespace

std::string Describe(const Attempt& attempt) {
  if (!attempt.opens) return attempt.reason;
  switch (attempt.test.works) {
    case Works::kCounts:
      return "counts";
    case Works::kCountsNothing:
      return "does not count: " + attempt.test.reason;
    case Works::kCountsWrong:
      return "wrong count: " + attempt.test.reason;
    case Works::kNotTested:
      return "opens, not tested: " + attempt.test.reason;
  }
  return "opens";
}

CounterState ReadCounters(const host::SystemFiles& files, const host::Conditions& conditions,
                          const OpenEvent& open) {
  return {.pmus = ReadPmus(files),
          .events = ProbeEvents(PermissionsOf(conditions), open),
          .user_read = TryUserRead(open),
          .tables = EventTablesHere(),
          .errata = ErrataHere(files),
          .energy = host::FindEnergyCounters(files)};
}

std::vector<host::Finding> ExamineCounters(const CounterState& state) {
  constexpr auto kGroup = host::Group::kCounters;
  return {
      host::Named(kGroup, "pmu", "performance monitoring units", AssessPmus(state)),
      host::Named(kGroup, "hardware-events", "hardware events",
                  AssessEvents(state, EventClass::kHardware)),
      host::Named(kGroup, "cache-events", "cache events", AssessEvents(state, EventClass::kCache)),
      host::Named(kGroup, "software-events", "software events",
                  AssessEvents(state, EventClass::kSoftware)),
      host::Named(kGroup, "user-read", "reading counters in user mode", AssessUserRead(state)),
      host::Named(kGroup, "event-names", "event names", AssessNames(state)),
      host::Named(kGroup, "counter-errata", "known errata of counters", AssessErrata(state)),
      host::Named(kGroup, "energy", "energy counters", AssessEnergy(state)),
  };
}

std::vector<host::Engine> CounterEngines(const CounterState& state) {
  return {MakeEngine(state, "hardware", EventClass::kHardware),
          MakeEngine(state, "kernel", EventClass::kSoftware)};
}

}  // namespace tare::pmu
