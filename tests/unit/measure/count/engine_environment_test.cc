// engine_environment_test.cc: tests that a user's Valgrind and QEMU variables reach the measured
// program and do not affect the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "measure/engine/engine_run.h"
#include "under_engines.h"

namespace tare::count {
namespace {

struct Variables {
  Engine engine;
  std::vector<run::Variable> set;
};

std::string NameOf(const testing::TestParamInfo<Variables>& instance) {
  return instance.param.set.front().first + "_" + std::to_string(instance.index);
}

class UsersVariables : public testing::TestWithParam<Variables> {
 protected:
  void SetUp() override {
    const std::string reason = WhyNot(GetParam().engine);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  std::optional<EnginePlan> PlanWith(std::string_view line, bool variables) const {
    auto plan = PlanOf(line, {});
    if (!plan) return plan;
    plan->setting.directory = directory_.Path();
    plan->setting.environment.set.emplace_back("HOME", directory_.Path());
    if (!variables) return plan;
    for (const auto& variable : GetParam().set) plan->setting.environment.set.push_back(variable);
    return plan;
  }

  run::TemporaryDirectory directory_;
};

TEST_P(UsersVariables, LeaveCountsAsTheyAre) {
  std::vector<std::string> counted;
  for (const bool variables : {false, true}) {
    const auto plan = PlanWith("count_loops", variables);
    ASSERT_TRUE(plan);
    const auto run = engine::RunUnder(GetParam().engine, BuiltEngines(), *plan);
    ASSERT_TRUE(run) << run.error().message;
    Images images;
    const auto tally = SumRecordings(run->recordings, RepConvention::kOnce, images);
    ASSERT_TRUE(tally) << tally.error().message;
    EXPECT_GT(tally->total[Metric::kInstructions], 0U);
    EXPECT_EQ(run->finished.errors, "");
    counted.push_back(Text(tally->total));
  }
  EXPECT_EQ(counted[0], counted[1]);
  EXPECT_TRUE(directory_.IsEmpty());
}

TEST_P(UsersVariables, AreSeenByTheProgram) {
  auto plan = PlanWith("environment", true);
  ASSERT_TRUE(plan);
  const auto run = engine::RunUnder(GetParam().engine, BuiltEngines(), *plan);
  ASSERT_TRUE(run) << run.error().message;
  plan->setting.argv0_length = plan->program.path.string().size();
  const auto native = run::RunProgram(plan->program, plan->setting);
  ASSERT_TRUE(native);
  for (const char* what : {"variable", "environment bytes", "environment entries"}) {
    EXPECT_EQ(run::Values(run->finished.output, what), run::Values(native->output, what));
  }
}

// A file that a variable requests is created in the current directory, which is otherwise empty.
INSTANTIATE_TEST_SUITE_P(
    All, UsersVariables,
    testing::Values(
        Variables{Engine::kValgrind, {{"VALGRIND_OPTS", "--flow=yes"}}},
        Variables{Engine::kValgrind, {{"VALGRIND_OPTS", "--system-log=system_log --region=1:2:3"}}},
        Variables{Engine::kValgrind, {{"VALGRIND_OPTS", "--no-such-option"}}},
        Variables{Engine::kValgrind, {{"VALGRIND_LIB", "/nowhere"}}},
        Variables{Engine::kValgrind, {{"VALGRIND_LAUNCHER", "/nowhere"}}},
        Variables{Engine::kQemu, {{"QEMU_ARGV0", "other"}}},
        Variables{Engine::kQemu, {{"QEMU_CPU", "no-such-processor"}}},
        Variables{Engine::kQemu, {{"QEMU_GUEST_BASE", "0x10000000000"}}},
        Variables{Engine::kQemu, {{"QEMU_LD_PREFIX", "/nowhere"}}},
        Variables{Engine::kQemu, {{"QEMU_LOG", "exec,nochain"}, {"QEMU_LOG_FILENAME", "log"}}},
        Variables{Engine::kQemu, {{"QEMU_PLUGIN", "/nowhere"}}},
        Variables{Engine::kQemu, {{"QEMU_RAND_SEED", "17"}}},
        Variables{Engine::kQemu, {{"QEMU_RESERVED_VA", "1"}}},
        Variables{Engine::kQemu, {{"QEMU_SET_ENV", "MORE=1"}, {"QEMU_UNSET_ENV", "PATH"}}},
        Variables{Engine::kQemu, {{"QEMU_SINGLESTEP", "1"}}},
        Variables{Engine::kQemu, {{"QEMU_STACK_SIZE", "1"}}},
        Variables{Engine::kQemu, {{"QEMU_STRACE", "1"}}},
        Variables{Engine::kQemu, {{"QEMU_VERSION", "1"}}}),
    NameOf);

TEST(UsersFiles, OfValgrindAreNotRead) {
  if (const std::string reason = WhyNot(Engine::kValgrind); !reason.empty()) GTEST_SKIP() << reason;
  for (const bool home : {false, true}) {
    const run::TemporaryDirectory with;
    const run::TemporaryDirectory without;
    with.Write(".valgrindrc", "--no-such-option\n", 0600);
    auto plan = PlanOf("count_loops", {});
    ASSERT_TRUE(plan);
    plan->setting.environment.set.emplace_back("HOME", home ? with.Path() : without.Path());
    plan->setting.directory = home ? without.Path() : with.Path();
    const auto run = engine::RunUnder(Engine::kValgrind, BuiltEngines(), *plan);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->finished.ended.ShellStatus(), 0);
  }
}

}  // namespace
}  // namespace tare::count
