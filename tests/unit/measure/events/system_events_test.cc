// system_events_test.cc: page faults, context switches and disk requests of programs that cause
// known ones.
#include "measure/events/system_events.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "measure/events/print_trace.h"
#include "measure/events/record_source.h"
#include "measure/events/trace_summary.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::events {
namespace {

constexpr std::string_view kFormat =
    "name: block_rq_issue\nID: 1862\nformat:\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n";

TEST(BlockRequests, FieldsAreWhereTheFormatSays) {
  const auto fields = ParseRequestFormat(kFormat);
  ASSERT_TRUE(fields) << fields.error().message;
  EXPECT_EQ(*fields, (RequestFields{8, 16, 24, 34}));
  EXPECT_FALSE(ParseRequestFormat(kFormat.substr(0, kFormat.find("rwbs"))));
  EXPECT_FALSE(ParseRequestFormat(""));
}

TEST(BlockRequests, AreParsedAndRefusedIfTooShort) {
  const RequestFields fields{8, 16, 24, 34};
  std::string data(40, '\0');
  data[8] = 5;
  data[16] = 7;
  data[24] = 16;
  data[34] = 'R';
  const auto request = ParseRequest(data, fields);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->device, 5u);
  EXPECT_EQ(request->sector, 7u);
  EXPECT_EQ(request->bytes, 8192u);
  EXPECT_EQ(request->kind, 'R');
  EXPECT_FALSE(ParseRequest(data.substr(0, 34), fields));
}

TEST(SystemKindLists, NameTheirKinds) {
  const auto parse = [](std::vector<std::string> lists) { return ParseSystemKinds(lists); };
  const auto some = parse({"faults,disk"});
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->faults && !some->switches && some->disk);
  EXPECT_TRUE(parse({"switches", "faults"})->switches);
  EXPECT_TRUE(parse({"all"})->disk);
  EXPECT_FALSE(parse({"fault"}));
  EXPECT_FALSE(parse({""}));
}

struct OfTrace {
  TraceSummary summary;
  std::string output;                                        // of the program
  std::map<std::string, std::vector<std::uint64_t>> values;  // by name
};

class RecordedSystemEvents : public testing::Test {
 protected:
  OfTrace Record(const std::string& line, const SystemKinds& kinds) {
    SourcePlan plan;
    plan.program = run::TestProgram(line);
    plan.setting = run::Captured();
    plan.system = kinds;
    plan.output = directory_.Path("x.events");
    OfTrace of;
    const auto recorded = RecordSource(plan);
    EXPECT_TRUE(recorded) << recorded.error().message;
    if (!recorded) return of;
    EXPECT_EQ(recorded->finished.ended.ShellStatus(), 0) << recorded->finished.errors;
    of.output = recorded->finished.output;
    auto reader = format::EventTraceReader::Open(plan.output);
    while (reader->Next()) {
      for (const format::TimedEvent& event : reader->Timed())
        of.values[reader->Tables().sites[event.site].name].push_back(event.value);
    }
    const auto checked = CheckTrace(plan.output);
    for (const CheckedRule& rule : checked->rules)
      EXPECT_EQ(rule.broken, 0u) << rule.rule << ": " << rule.first;
    of.summary = *Summarize(plan.output, 0.95);
    return of;
  }

  // Why the kernel does not grant these events; empty if it does.
  static std::string AbsentIn(const OfTrace& of, std::string_view name) {
    const auto found = std::ranges::find(of.summary.sites, name, &SiteTotals::name);
    EXPECT_NE(found, of.summary.sites.end()) << name;
    return found == of.summary.sites.end() ? "" : found->absent;
  }

  run::TemporaryDirectory directory_;
};

TEST_F(RecordedSystemEvents, HaveOneFaultForEachFreshPage) {
  constexpr std::uint64_t kPages = 1000;
  const OfTrace of = Record("kernel_events pages 1000", {.faults = true});
  if (const std::string why = AbsentIn(of, kPageFault); !why.empty()) GTEST_SKIP() << why;
  EXPECT_TRUE(of.summary.outcome.complete) << of.summary.outcome.reason;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  std::istringstream(of.output) >> first >> size;
  ASSERT_GT(size, 0u);
  std::vector<std::uint64_t> faults(kPages);
  for (const std::uint64_t address : of.values.at("page-fault")) {
    if (address >= first && address < first + kPages * size) ++faults[(address - first) / size];
  }
  EXPECT_EQ(faults, std::vector<std::uint64_t>(kPages, 1));
  EXPECT_GT(of.summary.of_system, kPages);  // the program's own code and data, too
}

TEST_F(RecordedSystemEvents, HaveASwitchForEachSleep) {
  const OfTrace of = Record("kernel_events sleeps 30", {.switches = true});
  if (const std::string why = AbsentIn(of, "switch-out"); !why.empty()) GTEST_SKIP() << why;
  EXPECT_TRUE(of.summary.outcome.complete) << of.summary.outcome.reason;
  EXPECT_GE(of.values.at("switch-out").size(), 30u);
  EXPECT_GE(of.values.at("switch-in").size(), 30u);
  EXPECT_EQ(of.summary.threads, 1u);
}

// tracefs is mounted in a mount namespace of this test's own, if that is allowed.
TEST_F(RecordedSystemEvents, HaveARequestForEachDirectRead) {
  // Beside the programs, because /tmp may be in memory.
  const std::string file = run::ProgramPath("kernel_events.blocks");
  std::ofstream(file) << std::string(3 * 4096, 'x');
  const int written = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(written);
  ::close(written);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, "") != 0)
      ::_exit(77);
    if (::access("/sys/kernel/tracing/events", R_OK) != 0 &&
        ::mount("nodev", "/sys/kernel/tracing", "tracefs", 0, "") != 0)
      ::_exit(77);
    // The first run reads the program itself, if it has just been built.
    Record("kernel_events reads 0 " + file, {.disk = true});
    const OfTrace of = Record("kernel_events reads 3 " + file, {.disk = true});
    if (!AbsentIn(of, "disk-read").empty()) ::_exit(77);
    if (!of.values.contains("disk-read") || !of.values.contains("disk-latency")) ::_exit(78);
    const auto& reads = of.values.at("disk-read");
    // Other programs may use a disk of this kernel meanwhile.
    if (std::ranges::count(reads, 4096u) == 0) ::_exit(78);
    const auto& latencies = of.values.at("disk-latency");
    // Of requests that end on another processor, some completions are missing (docs/methods).
    ::_exit(std::ranges::count(reads, 4096u) >= 3 && latencies.size() <= reads.size() &&
                    std::ranges::min(latencies) > 0 && !HasFailure()
                ? 0
                : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::unlink(file.c_str());
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the kernel does not grant disk requests";
  if (WEXITSTATUS(status) == 78) GTEST_SKIP() << "the file is not on a disk of this kernel";
  EXPECT_EQ(status, 0);
}

TEST_F(RecordedSystemEvents, SayWhyDiskRequestsAreAbsent) {
  const OfTrace of = Record("kernel_events sleeps 1", {.disk = true});
  if (::access("/sys/kernel/tracing/events", F_OK) == 0 ||
      ::access("/sys/kernel/debug/tracing/events", F_OK) == 0) {
    GTEST_SKIP() << "tracefs is mounted";
  }
  EXPECT_TRUE(AbsentIn(of, "disk-read").contains("tracefs")) << AbsentIn(of, "disk-read");
}

// The source's events and the kernel's are on one clock.
TEST_F(RecordedSystemEvents, AreOnTheClockOfTheSource) {
  SourcePlan plan;
  plan.program = run::TestProgram("source_events 1000");
  plan.setting = run::Captured();
  plan.system.faults = true;
  plan.output = directory_.Path("x.events");
  const auto recorded = RecordSource(plan);
  ASSERT_TRUE(recorded) << recorded.error().message;
  auto reader = format::EventTraceReader::Open(plan.output);
  ASSERT_TRUE(reader);
  std::vector<std::uint64_t> faults;
  std::vector<std::uint64_t> own;
  while (reader->Next()) {
    for (const format::TimedEvent& event : reader->Timed()) {
      const bool system = reader->Tables().sites[event.site].kind == format::SiteKind::kSystem;
      if (event.has_time) (system ? faults : own).push_back(event.time_ns);
    }
  }
  if (faults.empty()) GTEST_SKIP() << "the kernel does not grant page faults";
  ASSERT_FALSE(own.empty());
  // The program is loaded, which faults, before its first event, and ends after its last.
  EXPECT_LT(std::ranges::min(faults), std::ranges::min(own));
  EXPECT_LT(std::ranges::max(own), std::ranges::max(faults) + 1'000'000'000);
  const auto end = reader->Outcome().end;
  ASSERT_TRUE(end);
  EXPECT_EQ(end->lost, 0u);
}

}  // namespace
}  // namespace tare::events
