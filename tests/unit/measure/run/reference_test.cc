// reference_test.cc: tests which controls are kept and which are dropped, depending on how the
// program ends.
#include "measure/run/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "test_programs.h"

namespace tare::run {
namespace {

Setting Controlled() {
  Setting setting;
  setting.environment.pin_dispatch = true;
  return setting;
}

bool Has(const std::vector<Caveat>& caveats, CaveatId id) {
  return std::ranges::find(caveats, id, &Caveat::key) != caveats.end();
}

// A program that exits with these statuses, one after the other.
struct Endings {
  std::vector<int> plain;
  std::vector<int> controlled;
  std::vector<Setting> settings = {};

  Result<Finished> Run(const Setting& setting) {
    settings.push_back(setting);
    auto& left = setting.environment.uncontrolled ? plain : controlled;
    EXPECT_FALSE(left.empty());
    Finished finished;
    if (left.empty()) return finished;
    finished.ended.exit_status = left.front();
    left.erase(left.begin());
    return finished;
  }
  Result<Reference> Find(const Setting& setting) {
    ReferencePlan plan;
    plan.setting = setting;
    plan.run_plain = [this](const Setting& with) { return Run(with); };
    plan.run_controlled = plan.run_plain;
    return FindReference(plan);
  }
};

TEST(Reference, ControlThatChangesNothingIsKept) {
  for (const int status : {0, 1, 139}) {
    Endings endings{.plain = {status}, .controlled = {status}};
    const auto reference = endings.Find(Controlled());
    ASSERT_TRUE(reference);
    EXPECT_EQ(reference->finished.ended.exit_status, status);
    EXPECT_FALSE(reference->control_dropped);
    EXPECT_FALSE(reference->setting.environment.uncontrolled);
    EXPECT_TRUE(reference->caveats.empty());
  }
}

TEST(Reference, ControlThatChangesTheStatusIsDropped) {
  Endings endings{.plain = {0, 0}, .controlled = {139}};
  const auto reference = endings.Find(Controlled());
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->finished.ended.exit_status, 0);
  EXPECT_TRUE(reference->control_dropped);
  EXPECT_TRUE(reference->setting.environment.uncontrolled);
  EXPECT_TRUE(Has(reference->caveats, CaveatId::kControlDropped));
}

TEST(Reference, AStatusThatVariesByItselfIsNotTheControls) {
  Endings endings{.plain = {0, 2}, .controlled = {1}};
  const auto reference = endings.Find(Controlled());
  ASSERT_TRUE(reference);
  EXPECT_FALSE(reference->control_dropped);
  EXPECT_FALSE(reference->setting.environment.uncontrolled);
  EXPECT_TRUE(Has(reference->caveats, CaveatId::kExitStatusVaries));
}

TEST(Reference, OnlyTheFirstRunHasOutputAndOnlyTheOthersHaveALimit) {
  Endings endings{.plain = {0, 0}, .controlled = {1}};
  ASSERT_TRUE(endings.Find(Controlled()));
  ASSERT_EQ(endings.settings.size(), 3U);
  EXPECT_EQ(endings.settings[0].output, Output::kPassed);
  EXPECT_FALSE(endings.settings[0].timeout_seconds);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(endings.settings[i].output, Output::kDigested);
    EXPECT_EQ(endings.settings[i].errors, Output::kDiscarded);
    EXPECT_TRUE(endings.settings[i].timeout_seconds);
  }
}

TEST(Reference, WithoutAnyControlOneRunIsEnough) {
  Endings endings{.plain = {3}, .controlled = {}};
  const auto reference = endings.Find(Setting{});
  ASSERT_TRUE(reference);
  EXPECT_EQ(endings.settings.size(), 1U);
  EXPECT_EQ(reference->finished.ended.exit_status, 3);
}

TEST(OtherEnd, IsLookedForAfterAFailureOnly) {
  const auto never = [](const Setting&) -> Result<Finished> {
    ADD_FAILURE();
    return Finished{};
  };
  const auto other = OtherEndWithoutControl(Controlled(), Finished{}, never);
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
}

TEST(OtherEnd, DistinguishesAFailureOfTheControlFromOneOfTheProgram) {
  const auto program = TestProgram("no_tunables");
  const auto run = [&](const Setting& setting) { return RunProgram(program, setting); };
  Setting setting = Captured();
  setting.environment.pin_dispatch = true;
  const auto controlled = run(setting);
  ASSERT_TRUE(controlled);
  EXPECT_EQ(controlled->ended.ShellStatus(), 128 + SIGSEGV);
  const auto other = OtherEndWithoutControl(setting, *controlled, run);
  ASSERT_TRUE(other);
  ASSERT_TRUE(*other);
  EXPECT_EQ((*other)->ShellStatus(), 0);

  const auto failing = TestProgram("endings exit 7");
  const auto run_failing = [&](const Setting& with) { return RunProgram(failing, with); };
  const auto failed = run_failing(setting);
  ASSERT_TRUE(failed);
  const auto same = OtherEndWithoutControl(setting, *failed, run_failing);
  ASSERT_TRUE(same);
  EXPECT_FALSE(*same);
}

TEST(Reference, AProgramThatCrashesWithTunablesRunsWithoutThem) {
  const auto program = TestProgram("no_tunables");
  ReferencePlan plan;
  plan.setting = Captured();
  plan.setting.environment.pin_dispatch = true;
  plan.setting.environment.bind_now = true;
  plan.run_plain = [&](const Setting& setting) { return RunProgram(program, setting); };
  plan.run_controlled = plan.run_plain;
  const auto reference = FindReference(plan);
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->finished.ended.ShellStatus(), 0);
  EXPECT_TRUE(reference->control_dropped);
  const auto again = RunProgram(program, reference->setting);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ended.ShellStatus(), 0);
}

}  // namespace
}  // namespace tare::run
