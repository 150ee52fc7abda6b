// hostile_engines_test.cc: tests that unusual programs exit and print under each engine as in a
// native run; exceptions are listed with the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "under_engines.h"

namespace tare::count {
namespace {

// What an engine cannot do with a program that runs natively.
struct KnownLimit {
  engine::Engine engine;
  std::string_view line;
  std::string_view reason;
  bool only_errors = false;  // only standard error differs
};

constexpr KnownLimit kLimits[] = {
    {engine::Engine::kValgrind, "children vfork",
     "execve of /proc/self/exe finds Valgrind's own file"},
    {engine::Engine::kValgrind, "children chain 2",
     "execve of /proc/self/exe finds Valgrind's own file"},
    {engine::Engine::kValgrind, "descriptors list",
     "Valgrind's own descriptors can be seen by fcntl"},
    {engine::Engine::kValgrind, "limits no-files",
     "Valgrind refuses to lower the limit on descriptors"},
    {engine::Engine::kValgrind, "limits little-space",
     "the engine's own memory does not fit into 1 GiB"},
    {engine::Engine::kValgrind, "limits seccomp", "the filter meets the engine's own system calls"},
    {engine::Engine::kQemu, "endings abort", "QEMU prints a line about a fatal signal", true},
    {engine::Engine::kQemu, "endings null", "QEMU prints a line about a fatal signal", true},
    {engine::Engine::kQemu, "endings signal 5", "QEMU prints a line about a fatal signal", true},
    {engine::Engine::kQemu, "endings signal 11", "QEMU prints a line about a fatal signal", true},
    {engine::Engine::kQemu, "descriptors list",
     "the directory of the recordings is an open descriptor"},
    {engine::Engine::kQemu, "limits little-space",
     "the engine's own memory does not fit into 1 GiB"},
    {engine::Engine::kQemu, "limits seccomp", "the filter meets the engine's own system calls"},
    {engine::Engine::kStep, "descriptors list", "65,536 system calls take most of a minute"},
};

const KnownLimit* LimitOf(engine::Engine engine, std::string_view line) {
  const auto found = std::ranges::find_if(kLimits, [&](const KnownLimit& limit) {
    return limit.engine == engine && limit.line == line;
  });
  return found == std::end(kLimits) ? nullptr : found;
}

class HostileProgram : public testing::TestWithParam<std::tuple<engine::Engine, const char*>> {};

TEST_P(HostileProgram, EndsAsItDoesWithoutTheEngine) {
  const auto [engine, line] = GetParam();
  const std::string reason = WhyNot(engine);
  if (!reason.empty()) GTEST_SKIP() << reason;
  const KnownLimit* const limit = LimitOf(engine, line);
  if (limit != nullptr && !limit->only_errors) GTEST_SKIP() << "limit: " << limit->reason;
  const auto before = run::Leftovers::Now();
  const auto plain = run::RunIt(line);
  Wanted wanted{.children = true};
  // Stepping through the loader takes a second per program, and only main is unusual.
  if (engine == engine::Engine::kStep) wanted.region = "main";
  const auto counted = RunUnder(engine, line, wanted);
  EXPECT_EQ(counted.finished.ended.how, plain.ended.how);
  EXPECT_EQ(counted.finished.ended.ShellStatus(), plain.ended.ShellStatus());
  EXPECT_EQ(counted.finished.output, plain.output);
  if (limit == nullptr) {
    EXPECT_EQ(counted.finished.errors, plain.errors);
  }
  EXPECT_GT(counted.tally.total[Metric::kInstructions], 0u);
  EXPECT_EQ(run::Leftovers::Now(), before);
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileProgram,
    testing::Combine(testing::ValuesIn(kEngines),
                     testing::Values("endings exit 0", "endings exit 255", "endings abort",
                                     "endings null", "endings signal 5", "endings signal 9",
                                     "endings signal 11", "endings signal 15", "endings signal 31",
                                     "endings kill-group", "children short 3", "children vfork",
                                     "children chain 2", "children orphans 2", "threads many 8",
                                     "threads main-leaves 6", "descriptors flood 20000",
                                     "descriptors both", "descriptors list", "limits no-files",
                                     "limits no-bytes", "limits little-space", "limits chroot",
                                     "limits setuid", "limits seccomp", "signals storm 3",
                                     "signals profile 2", "signals ignore", "signals job-control",
                                     "control_flow longjmp 20", "control_flow contexts 20",
                                     "control_flow recursion 1000", "control_flow dlopen 2",
                                     "control_flow self-modifying 20")),
    [](const auto& instance) {
      std::string name =
          std::string(Name(std::get<0>(instance.param))) + "_" + std::get<1>(instance.param);
      std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '-'; }, '_');
      return name;
    });

}  // namespace
}  // namespace tare::count
