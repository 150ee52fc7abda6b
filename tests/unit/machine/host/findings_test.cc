// findings_test.cc: tests that there are findings for every machine, also for one without any file.
#include "machine/host/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/printable.h"
#include "synthetic_machine.h"

namespace tare::host {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;

std::vector<Finding> ExamineFiles(const SyntheticFiles& files) {
  return Examine(ReadMachine(SyntheticMachine(files).Files(), {}));
}

Finding Row(const std::vector<Finding>& findings, std::string_view id) {
  for (const Finding& finding : findings) {
    if (finding.id == id) return finding;
  }
  ADD_FAILURE() << "no row " << id;
  return {};
}

// Checks the invariants of every finding on every machine.
void ExpectSoundRows(const std::vector<Finding>& findings) {
  std::set<std::string> ids;
  for (const Finding& finding : findings) {
    SCOPED_TRACE(finding.id);
    EXPECT_TRUE(ids.insert(finding.id).second) << "twice";
    EXPECT_NE(finding.what, "");
    EXPECT_NE(finding.value, "");
    EXPECT_NE(finding.meaning, "");
    EXPECT_LE(DisplayWidth(finding.value), kMaxValueColumns) << finding.value;
    EXPECT_LE(DisplayWidth(finding.meaning), kMaxSentenceColumns) << finding.meaning;
    EXPECT_LE(DisplayWidth(finding.advice), kMaxSentenceColumns) << finding.advice;
    EXPECT_EQ(finding.level == Level::kAbsent, finding.value == "not available");
    if (finding.level == Level::kWarning) {
      EXPECT_NE(finding.advice, "") << "a warning says what to do";
    }
    if (finding.level == Level::kOk) {
      EXPECT_EQ(finding.advice, "") << "what is good needs nothing";
    }
    for (const std::string& text : {finding.value, finding.meaning, finding.advice}) {
      EXPECT_EQ(Printable(text), text);
      EXPECT_THAT(text, testing::Not(testing::EndsWith(".")));
    }
  }
}

TEST(Examine, EverySyntheticMachineGivesSoundRows) {
  for (const auto& files : {IntelLaptop(), AmdServer(), ArmVirtualMachine(), SyntheticFiles()}) {
    ExpectSoundRows(ExamineFiles(files));
  }
}

TEST(Examine, GarbageGivesSoundRows) {
  for (const std::string& garbage :
       {"\xff\0 [\x1b[31m : 9999999999999999999999"s, std::string(5000, 'x'), std::string("\n\n\n"),
        std::string("-1"), std::string("0"), std::string("18446744073709551615")}) {
    SyntheticFiles files = IntelLaptop();
    for (auto& [path, content] : files) content = garbage;
    ExpectSoundRows(ExamineFiles(files));
  }
}

TEST(Examine, NoFilesGiveARowForEveryThing) {
  const auto empty = ExamineFiles({});
  const auto laptop = ExamineFiles(IntelLaptop());
  ASSERT_EQ(empty.size(), laptop.size());
  for (std::size_t i = 0; i < empty.size(); ++i) EXPECT_EQ(empty[i].id, laptop[i].id);
  EXPECT_EQ(Row(empty, "processor").level, Level::kAbsent);
  EXPECT_EQ(Row(empty, "processor").meaning, "there is no /proc/cpuinfo");
  EXPECT_EQ(Row(empty, "ptrace-scope").value, "not restricted");
  EXPECT_EQ(Row(empty, "hypervisor").value, "none detected");
}

TEST(Examine, ALaptopIsNotReadyForMeasuring) {
  const auto rows = ExamineFiles(IntelLaptop());
  EXPECT_EQ(Row(rows, "processor").value, "11th Gen Intel Core i7-1165G7");
  EXPECT_EQ(Row(rows, "perf-event-paranoid").level, Level::kWarning);
  EXPECT_EQ(Row(rows, "governor").value, "powersave (intel_pstate)");
  EXPECT_EQ(Row(rows, "governor").caveat, CaveatId::kFrequencyScaling);
  EXPECT_EQ(Row(rows, "turbo").value, "on");
  EXPECT_EQ(Row(rows, "smt").caveat, CaveatId::kSharedCore);
  EXPECT_EQ(Row(rows, "load").caveat, CaveatId::kBusyMachine);
  EXPECT_EQ(Row(rows, "memory").level, Level::kWarning);
  EXPECT_EQ(Row(rows, "swap").level, Level::kNote);
  EXPECT_EQ(Row(rows, "transparent-huge-pages").level, Level::kNote);
  EXPECT_EQ(Row(rows, "features").level, Level::kNote) << "emulators hide AVX-512";
  EXPECT_EQ(Row(rows, "hypervisor").level, Level::kOk);
}

TEST(Examine, AQuietServerIsAlmostReady) {
  const auto rows = ExamineFiles(AmdServer());
  for (const char* id : {"perf-event-paranoid", "ptrace-scope", "governor", "turbo", "smt",
                         "isolation", "load", "swap", "transparent-huge-pages"}) {
    EXPECT_EQ(Row(rows, id).level, Level::kOk) << id;
  }
  EXPECT_EQ(Row(rows, "clock-source").level, Level::kWarning) << "hpet is slow";
  EXPECT_EQ(Row(rows, "cpu-quota").value, "16 cores");
  EXPECT_EQ(Row(rows, "huge-page-pool").value, "1000 of 1024 free, 2 MiB each");
}

TEST(Examine, AVirtualMachineInAContainerSaysSo) {
  const auto rows = ExamineFiles(ArmVirtualMachine());
  EXPECT_EQ(Row(rows, "hypervisor").caveat, CaveatId::kVirtualMachine);
  EXPECT_EQ(Row(rows, "container").value, "docker");
  EXPECT_EQ(Row(rows, "seccomp").level, Level::kNote);
  EXPECT_EQ(Row(rows, "perf-event-paranoid").level, Level::kNote);
  EXPECT_EQ(Row(rows, "governor").level, Level::kAbsent);
  EXPECT_THAT(Row(rows, "governor").advice, HasSubstr("host"));
  // 800 of 10000 ticks, but in the past.
  EXPECT_EQ(Row(rows, "steal-since-boot").value, "8.0 %");
  EXPECT_EQ(Row(rows, "steal-since-boot").level, Level::kNote);
  EXPECT_EQ(Row(rows, "cpu-quota").value, "1.5 cores, throttled 7 times");
  EXPECT_EQ(Row(rows, "memory-limit").value, "512 MiB");
}

TEST(Examine, StealAndWorkNowAreWarnings) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/stat", "cpu 0 0 0 100 0 0 0 0\n"}});
  ConditionOptions options;
  options.wait = [&] { machine.Write("/proc/stat", "cpu 50 0 0 140 0 0 0 10\n"); };
  const auto rows = Examine(ReadMachine(machine.Files(), options));
  EXPECT_EQ(Row(rows, "busy-now").value, "50.0 %");
  EXPECT_EQ(Row(rows, "busy-now").caveat, CaveatId::kBusyMachine);
  EXPECT_EQ(Row(rows, "steal-now").value, "10.0 %");
  EXPECT_EQ(Row(rows, "steal-now").caveat, CaveatId::kSteal);
}

struct Setting {
  const char* value;
  Level level;
};

TEST(Examine, EveryParanoidSetting) {
  for (const Setting& setting :
       {Setting{"-1", Level::kOk}, Setting{"0", Level::kOk}, Setting{"1", Level::kOk},
        Setting{"2", Level::kNote}, Setting{"3", Level::kWarning}, Setting{"4", Level::kWarning},
        Setting{"9223372036854775807", Level::kWarning}, Setting{"x", Level::kAbsent}}) {
    const auto rows = ExamineFiles({{"/proc/sys/kernel/perf_event_paranoid", setting.value}});
    EXPECT_EQ(Row(rows, "perf-event-paranoid").level, setting.level) << setting.value;
  }
}

TEST(Examine, APrivilegedProcessIsNotLimitedByTheSettings) {
  const auto rows = ExamineFiles({{"/proc/sys/kernel/perf_event_paranoid", "3"},
                                  {"/proc/sys/kernel/yama/ptrace_scope", "2"},
                                  {"/proc/self/status", "CapEff:\t000001ffffffffff\n"}});
  EXPECT_EQ(Row(rows, "perf-event-paranoid").level, Level::kOk);
  EXPECT_EQ(Row(rows, "ptrace-scope").level, Level::kOk);
}

TEST(Examine, EveryPtraceScope) {
  for (const Setting& setting : {Setting{"0", Level::kOk}, Setting{"1", Level::kOk},
                                 Setting{"2", Level::kWarning}, Setting{"3", Level::kWarning}}) {
    const auto rows = ExamineFiles({{"/proc/sys/kernel/yama/ptrace_scope", setting.value}});
    EXPECT_EQ(Row(rows, "ptrace-scope").level, setting.level) << setting.value;
  }
}

TEST(Examine, CachesAndCoresComeFromTheTopology) {
  Machine machine = ReadMachine(SyntheticMachine(SyntheticFiles()).Files(), {});
  machine.topology = TopologyOfSynthetic(
      "package:1 l3:1(size=8MiB) l2:2(size=1MiB) l1d:1(size=32KiB) core:1 pu:2");
  ASSERT_TRUE(machine.topology);
  machine.topology->usable_threads = 1;
  const auto rows = Examine(machine);
  ExpectSoundRows(rows);
  EXPECT_EQ(Row(rows, "cores").value, "1 package, 2 cores, 4 threads");
  EXPECT_EQ(Row(rows, "usable-threads").value, "1 of 4");
  EXPECT_EQ(Row(rows, "usable-threads").level, Level::kNote);
  EXPECT_THAT(Row(rows, "cache-l1-data").meaning, HasSubstr("count: 2, each shared by 2 hardware"));
}

TEST(Examine, CoresOfTwoKindsAreAWarning) {
  Machine machine = ReadMachine(SyntheticMachine(SyntheticFiles()).Files(), {});
  machine.topology = Topology();
  machine.topology->core_kinds = 2;
  EXPECT_EQ(Row(Examine(machine), "core-kinds").level, Level::kWarning);
}

TEST(Examine, CachesThatDifferKeepTheirRowsApart) {
  Machine machine = ReadMachine(SyntheticMachine(SyntheticFiles()).Files(), {});
  machine.topology = Topology();
  machine.topology->caches = {
      {.level = 2, .kind = CacheKind::kUnified, .bytes = 1 << 20, .threads = 2, .count = 4},
      {.level = 2, .kind = CacheKind::kUnified, .bytes = 2 << 20, .threads = 4, .count = 1}};
  ExpectSoundRows(Examine(machine));
}

TEST(Examine, LongNamesFromOutsideAreCut) {
  const auto rows = ExamineFiles(
      {{"/proc/cpuinfo", "processor: 0\nmodel name: " + std::string(300, 'm') + "\n"}});
  EXPECT_EQ(DisplayWidth(Row(rows, "processor").value), kMaxValueColumns);
  EXPECT_THAT(Row(rows, "processor").value, testing::EndsWith("…"));
}

TEST(Examine, ThisMachineGivesSoundRows) { ExpectSoundRows(Examine(ReadMachine({}, {}))); }

TEST(ExamineEngines, OneSoundRowEach) {
  Engine found;
  found.name = "valgrind";
  found.basis = "Valgrind";
  found.found = true;
  found.version = "3.19.0";
  found.state = "found";
  Engine missing;
  missing.name = "qemu";
  missing.basis = "QEMU user mode";
  missing.state = "qemu-x86_64 is not installed";
  missing.advice = "install qemu-user";
  Engine incomplete;
  incomplete.name = "virtual";
  incomplete.basis = "Valgrind";
  incomplete.version = "3.19.0";
  incomplete.state = "found, but tare's part of this engine is missing";
  incomplete.advice = "install it";
  const auto rows = ExamineEngines({found, missing, incomplete});
  ExpectSoundRows(rows);
  EXPECT_EQ(Row(rows, "engine-valgrind").value, "Valgrind, 3.19.0");
  EXPECT_EQ(Row(rows, "engine-qemu").level, Level::kAbsent);
  // What can be mended here needs attention.
  EXPECT_EQ(Row(rows, "engine-virtual").level, Level::kWarning);
  EXPECT_EQ(Row(rows, "engine-virtual").value, "incomplete");
}

TEST(CaveatsOf, EachOnceWithItsValue) {
  const auto caveats = CaveatsOf(ExamineFiles(IntelLaptop()));
  std::set<CaveatId> keys;
  for (const Caveat& caveat : caveats) {
    EXPECT_TRUE(keys.insert(caveat.key).second);
    EXPECT_THAT(caveat.detail, HasSubstr(": "));
  }
  EXPECT_TRUE(keys.contains(CaveatId::kFrequencyScaling));
  EXPECT_TRUE(keys.contains(CaveatId::kSharedCore));
  EXPECT_FALSE(keys.contains(CaveatId::kVirtualMachine));
}

}  // namespace
}  // namespace tare::host
