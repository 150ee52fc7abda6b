// doctor_self_test.cc: the tables and the sentence of `tare doctor --self-test`.
#include "cli/commands/doctor/doctor_self_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/count/count_options.h"
#include "cli/provenance.h"
#include "machine/host/topology.h"

namespace tare::cli {
namespace {

using self_test::SelfTestReport;
using self_test::Tested;
using self_test::Untested;

std::string Bounds(const Tested& test) {
  return test.low == test.high ? fmt::to_string(test.low)
                               : fmt::format("{} to {}", test.low, test.high);
}

std::string_view ResultOf(const Tested& test) {
  if (!test.counted) return "not tested";
  return test.Passed() ? "passed" : "failed";
}

report::Table TestTable(const SelfTestReport& report) {
  report::Table table{"self_test",
                      "Counts of workloads with known effects",
                      {{"source"},
                       {"event"},
                       {"expected"},
                       {"counted"},
                       {"result"},
                       {"repetitions"},
                       {"workload", "", true}},
                      {}};
  for (const Tested& test : report.tests) {
    table.rows.push_back(
        {test.source, test.event, Bounds(test),
         test.counted ? report::Cell(Count(*test.counted)) : report::Cell(Absent(test.absence)),
         std::string(ResultOf(test)), static_cast<std::int64_t>(test.count), test.does});
  }
  return table;
}

struct Sum {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t not_tested = 0;
  std::string reason;  // of what was not tested
};

// By source, in the order of the tests.
std::vector<std::pair<std::string, Sum>> SumsOf(const SelfTestReport& report) {
  std::vector<std::pair<std::string, Sum>> sums;
  const auto of = [&](const std::string& source) -> Sum& {
    for (auto& [name, sum] : sums) {
      if (name == source) return sum;
    }
    return sums.emplace_back(source, Sum{}).second;
  };
  for (const Tested& test : report.tests) {
    Sum& sum = of(test.source);
    if (!test.counted) {
      ++sum.not_tested;
      if (sum.reason.empty()) sum.reason = test.absence;
    } else {
      ++(test.Passed() ? sum.passed : sum.failed);
    }
  }
  for (const Untested& untested : report.untested) {
    Sum& sum = of(untested.source);
    if (!untested.event.empty()) ++sum.not_tested;
    if (sum.reason.empty()) sum.reason = untested.reason;
  }
  return sums;
}

report::Table SourceTable(const SelfTestReport& report) {
  report::Table table{"sources",
                      "Tests of each source",
                      {{"source"}, {"passed"}, {"failed"}, {"not_tested"}, {"reason", "", true}},
                      {}};
  for (auto& [source, sum] : SumsOf(report))
    table.rows.push_back({source, sum.passed, sum.failed, sum.not_tested, std::move(sum.reason)});
  return table;
}

report::Table FailureTable(const SelfTestReport& report) {
  report::Table table{"failures",
                      "Counts that are wrong",
                      {{"source"}, {"event"}, {"expected"}, {"counted"}, {"workload", "", true}},
                      {}};
  table.whole = true;
  for (const Tested& test : report.tests) {
    if (!test.counted || test.Passed()) continue;
    table.rows.push_back({test.source, test.event, Bounds(test), Count(*test.counted),
                          fmt::format("{} times: {}", test.count, test.does)});
  }
  return table;
}

report::Table UntestedTable(const SelfTestReport& report) {
  report::Table table{
      "untested", "What no workload tested", {{"source"}, {"event"}, {"reason", "", true}}, {}};
  for (const Untested& untested : report.untested) {
    table.rows.push_back(
        {untested.source, untested.event.empty() ? "all" : untested.event, untested.reason});
  }
  return table;
}

std::string Answer(const SelfTestReport& report, const std::string& processor) {
  std::size_t failed = 0;
  std::vector<std::string> bad;
  std::size_t tests = 0;
  for (const Tested& test : report.tests) {
    if (!test.counted) continue;
    ++tests;
    if (test.Passed()) continue;
    ++failed;
    std::string name = fmt::format("{} of {}", test.event, test.source);
    if (std::ranges::find(bad, name) == bad.end()) bad.push_back(std::move(name));
  }
  if (tests == 0) return "No source of counts can be tested here.";
  std::string text =
      failed == 0 ? fmt::format("All {} counts of workloads with known effects are right.", tests)
                  : fmt::format("{} of {} counts of workloads with known effects are wrong: {}.",
                                failed, tests, fmt::join(bad, ", "));
  text += fmt::format(" The virtual PMU modelled {}.", Printable(processor));
  return text;
}

}  // namespace

report::Document SelfTestDocument(const SelfTestReport& report, const std::string& processor) {
  report::Document document;
  document.title = "Self-test of the sources of counts";
  document.blocks.emplace_back(report::Text{"answer", Answer(report, processor)});
  document.blocks.emplace_back(SourceTable(report));
  if (report::Table failures = FailureTable(report); !failures.rows.empty())
    document.blocks.emplace_back(std::move(failures));
  document.blocks.emplace_back(TestTable(report));
  document.blocks.emplace_back(UntestedTable(report));
  return document;
}

namespace {

// Other commands mark the numbers of failed events. A file that cannot be written is no failure of
// the test.
std::string StoreVerdicts(const SelfTestReport& report) {
  pmu::EventVerdicts verdicts = VerdictsOfThisBoot();
  verdicts.time = TimeNow();
  verdicts.events = self_test::VerdictsOf(report);
  const auto path = pmu::VerdictsPath(EnvironmentText("XDG_STATE_HOME"), EnvironmentText("HOME"),
                                      verdicts.machine);
  if (!path) return fmt::format("Not stored: {}.", path.error().message);
  if (const auto written = pmu::WriteVerdicts(*path, verdicts); !written) {
    return fmt::format("Not stored: {}.", written.error().message);
  }
  return fmt::format("Stored in {}, for other commands until the next boot.",
                     Printable(path->string()));
}

}  // namespace

host::Finding SelfTestFinding(const StoredSelfTest& stored) {
  host::Finding finding{.group = host::Group::kCounters,
                        .id = "self-test",
                        .what = "self-test of events",
                        .value = "not run since the boot",
                        .level = host::Level::kNote,
                        .meaning = "whether the events count what they should is not known",
                        .advice = "tare doctor --self-test",
                        .caveat = {}};
  if (stored.damage) {
    finding.value = "unreadable";
    finding.level = host::Level::kWarning;
    finding.meaning = fmt::format("failed events are not marked: {}", stored.damage->detail);
    return finding;
  }
  if (!stored.verdicts) return finding;
  const auto& events = stored.verdicts->events;
  const auto failed = std::ranges::count(events, false, &pmu::EventVerdict::passed);
  finding.value = fmt::format("{} of {} events failed", failed, events.size());
  finding.level = failed == 0 ? host::Level::kOk : host::Level::kWarning;
  finding.meaning = failed == 0 ? "the events count what they should"
                                : "numbers of the failed events are marked as doubtful";
  finding.advice = failed == 0 ? "" : "tare doctor --self-test shows them; use other events";
  return finding;
}

Result<Outcome> DoctorSelfTest(const std::string& machine, Session& session) {
  self_test::SelfTestRequest request;
  request.files = host::FindEngineFiles();
  request.interrupted = session.interrupted;
  TRY(request.processor, ChooseProcessor(machine));
  request.effects = self_test::EffectsOn(request.processor);
  if (const auto topology = host::ReadTopology()) {
    auto of_hardware = self_test::EffectsOnHardware(*topology);
    std::ranges::move(of_hardware, std::back_inserter(request.effects));
  }
  TRY(request.program, self_test::FindKnownProgram(request.files));
  TRY(const auto report, self_test::RunSelfTest(request, session.progress));
  Outcome outcome;
  outcome.document = SelfTestDocument(report, request.processor.name);
  outcome.document.blocks.emplace_back(report::Text{"stored", StoreVerdicts(report)});
  outcome.details = {"self_test", "untested"};
  const bool failed = std::ranges::any_of(
      report.tests, [](const Tested& test) { return test.counted && !test.Passed(); });
  outcome.exit_status = failed ? 1 : 0;
  return outcome;
}

}  // namespace tare::cli
