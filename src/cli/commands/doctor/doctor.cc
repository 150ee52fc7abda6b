// doctor.cc: `tare doctor`: what this machine can measure, what disturbs it, and what to do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <thread>
#include <tuple>

#include "base/stop.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/doctor/doctor_self_test.h"
#include "cli/failed_events.h"
#include "machine/host/findings.h"
#include "machine/pmu/counter_findings.h"
#include "measure/engine/engine.h"

namespace tare::cli {
namespace {

struct DoctorOptions {
  bool brief = false;
  bool events = false;
  bool self_test = false;
  std::string machine;
};

const auto kDoctorFlags = std::to_array<Flag<DoctorOptions>>({
    {{"--brief", "", "list everything that has advice, by group"}, &DoctorOptions::brief},
    {{"--events", "",
      "also list every counter event: whether it opens and counts, and the reason if not"},
     &DoctorOptions::events},
    {{"--self-test", "", "run workloads of known effect under every source of counts and compare"},
     &DoctorOptions::self_test},
    {{"--machine", "M",
      "with --self-test: the processor of the virtual PMU, by name or path (default: this "
      "machine)"},
     &DoctorOptions::machine},
});

constexpr std::array kDoctorExamples = {
    Example{"tare doctor", "what needs attention before measuring, with advice"},
    Example{"tare doctor -v", "everything that was examined"},
    Example{"tare doctor --events",
            "also which counter events open here, and why the others do not"},
    Example{"tare doctor --self-test", "which of the counts here are right"},
    Example{"tare doctor --json", "the same as JSON"},
};

// The id of each group's table in the JSON.
std::string_view TableId(host::Group group) {
  switch (group) {
    case host::Group::kMachine:
      return "machine";
    case host::Group::kPermission:
      return "permissions";
    case host::Group::kDisturbance:
      return "disturbances";
    case host::Group::kSpace:
      return "space";
    case host::Group::kCounters:
      return "counters";
    case host::Group::kEngines:
      return "engines";
  }
  return "machine";
}

report::Table FindingTable(host::Group group) {
  return {std::string(TableId(group)),
          std::string(Title(group)),
          {{"what", ""}, {"value", ""}, {"level", ""}, {"meaning", ""}, {"advice", "", true}},
          {}};
}

// One table per group, in the order of the findings.
void AddFindings(report::Document& document, std::vector<host::Finding> findings, bool brief) {
  std::vector<report::Table> tables;
  // Where not everything is shown, warnings must be.
  if (brief) {
    std::set<host::Group> warned;
    for (const host::Finding& finding : findings) {
      if (finding.level == host::Level::kWarning) warned.insert(finding.group);
    }
    std::ranges::stable_sort(findings, {}, [&](const host::Finding& finding) {
      return std::tuple(!warned.contains(finding.group), finding.group,
                        finding.level != host::Level::kWarning);
    });
  }
  for (const host::Finding& finding : findings) {
    if (brief && finding.advice.empty()) continue;
    if (tables.empty() || tables.back().id != TableId(finding.group)) {
      tables.push_back(FindingTable(finding.group));
    }
    tables.back().rows.push_back({finding.what, finding.value, std::string(Name(finding.level)),
                                  finding.meaning, finding.advice});
  }
  for (report::Table& table : tables) document.blocks.emplace_back(std::move(table));
}

report::Table EventTable(const pmu::CounterState& state) {
  report::Table table{
      "events",
      "Counter events, each opened once",
      {{"event", ""}, {"class", ""}, {"opens", ""}, {"user", ""}, {"with_kernel", ""}},
      {}};
  for (const pmu::ProbedEvent& event : state.events) {
    table.rows.push_back({std::string(event.row.name), std::string(Name(event.row.event_class)),
                          std::string(event.OpensAtAll() ? "yes" : "no"), Describe(event.user),
                          Describe(event.with_kernel)});
  }
  return table;
}

report::Table ErrataTable(std::span<const pmu::CounterErratum> errata) {
  report::Table table{"errata",
                      "Errata of the counters, as the vendor lists them",
                      {{"id"}, {"events"}, {"metrics"}, {"document", "", true}},
                      {}};
  for (const pmu::CounterErratum& erratum : errata) {
    table.rows.push_back({std::string(erratum.id), std::string(erratum.events),
                          std::string(erratum.metrics), std::string(erratum.document)});
  }
  return table;
}

// One row per advice, because several findings often have the same cause.
report::Table ProblemTable(std::span<const host::Finding> findings) {
  report::Table table{"problems",
                      "What needs attention",
                      {{"what"}, {"value"}, {"meaning"}, {"advice", "", true}},
                      {}};
  for (const host::Finding& finding : findings) {
    if (finding.level != host::Level::kWarning) continue;
    const auto same = std::ranges::find_if(table.rows, [&](const std::vector<report::Cell>& row) {
      return row[3] == report::Cell(finding.advice);
    });
    if (same == table.rows.end()) {
      table.rows.push_back({finding.what, finding.value, finding.meaning, finding.advice});
    } else {
      (*same)[0] = std::get<std::string>((*same)[0]) + ", " + finding.what;
    }
  }
  return table;
}

std::string DoctorAnswer(std::span<const host::Finding> findings) {
  std::size_t warnings = 0;
  std::vector<std::string> ready;
  std::vector<std::string> absent;
  for (const host::Finding& finding : findings) {
    warnings += finding.level == host::Level::kWarning ? 1u : 0u;
    if (finding.group != host::Group::kEngines) continue;
    (finding.level == host::Level::kOk ? ready : absent).push_back(finding.what);
  }
  std::string text = warnings == 0 ? std::string("Nothing needs attention before measuring.")
                                   : fmt::format("{} of {} points need attention before measuring.",
                                                 warnings, findings.size());
  if (!ready.empty()) text += fmt::format(" Engines ready: {}", fmt::join(ready, ", "));
  if (!absent.empty()) {
    text += fmt::format("{} {}", ready.empty() ? " Engines not available:" : "; not available:",
                        fmt::join(absent, ", "));
  }
  if (!ready.empty() || !absent.empty()) text += ".";
  return text;
}

Result<Outcome> RunDoctor(const DoctorOptions& options, Session& session) {
  if (options.self_test) return DoctorSelfTest(options.machine, session);
  if (!options.machine.empty()) return Fail(ErrorKind::kUsage, "--machine needs --self-test");
  const auto stop = [] { return Stopped("nothing was measured"); };
  if (!session.progress(0.0, "reading the machine's settings")) return stop();
  const host::SystemFiles files;
  host::ConditionOptions conditions;
  conditions.wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(500)); };
  const host::Machine machine = host::ReadMachine(files, conditions);
  if (!session.progress(0.4, "trying counter events")) return stop();
  const pmu::CounterState counters = pmu::ReadCounters(files, machine.conditions);
  if (!session.progress(0.7, "looking for engines")) return stop();
  std::vector<host::Engine> engines = pmu::CounterEngines(counters);
  std::ranges::move(engine::ExamineEngines({}), std::back_inserter(engines));

  std::vector<host::Finding> findings = host::Examine(machine);
  std::ranges::move(pmu::ExamineCounters(counters), std::back_inserter(findings));
  findings.push_back(SelfTestFinding(ReadSelfTest()));
  std::ranges::move(host::ExamineEngines(engines), std::back_inserter(findings));
  Outcome outcome;
  outcome.document.title = "What this machine can measure";
  AddFindings(outcome.document, findings, options.brief);
  if (options.events) outcome.document.blocks.emplace_back(EventTable(counters));
  outcome.document.blocks.emplace_back(ErrataTable(counters.errata));
  if (counters.errata.empty() || !session.verbose) outcome.not_in_text.emplace_back("errata");
  outcome.document.blocks.emplace_back(report::Text{"answer", DoctorAnswer(findings)});
  report::Table problems = ProblemTable(findings);
  const bool any = !problems.rows.empty();
  outcome.document.blocks.emplace_back(std::move(problems));
  if (!any || session.verbose || options.brief) outcome.not_in_text.emplace_back("problems");
  if (!options.brief) {
    for (const auto group :
         {host::Group::kMachine, host::Group::kPermission, host::Group::kDisturbance,
          host::Group::kSpace, host::Group::kCounters, host::Group::kEngines}) {
      outcome.details.emplace_back(TableId(group));
    }
  }
  AddCaveats(outcome.document, host::CaveatsOf(findings));
  return outcome;
}

}  // namespace

Command DoctorCommand() {
  return MakeCommand<DoctorOptions>(
      {"doctor", "show what this machine can measure, what disturbs it, and what to do about it",
       "Examines the processor, its caches and topology, the hypervisor, hardware counters and "
       "their events, permissions, address randomization, frequency scaling, simultaneous "
       "multithreading, huge pages, clock source, load, stolen time, disk space and the installed "
       "engines. Each row says what a finding means for measuring and what to do about it. It "
       "needs no root and changes nothing.\n\n"
       "With --self-test, it runs programs that cause known numbers of instructions, branches, "
       "system calls, page faults, misses and mispredictions, and says which source of counts "
       "gets them right. The exit status is then 1 if one is wrong.",
       kDoctorExamples},
      kDoctorFlags, RunDoctor);
}

}  // namespace tare::cli
