// engine_limit_test.cc: tests timeouts of engines, and programs that never end under them.
#include "measure/engine/engine_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "measure/count/count_program.h"
#include "measure/run/descendants.h"
#include "under_engines.h"

namespace tare::count {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(EngineLimit, FollowsFromTheNativeRun) {
  EXPECT_EQ(LimitOf(Engine::kValgrind, std::nullopt, 0.01)->seconds, 60);
  EXPECT_EQ(LimitOf(Engine::kQemu, std::nullopt, 1.0)->seconds, 1000);
  EXPECT_EQ(LimitOf(Engine::kVirtual, std::nullopt, 1.0)->seconds, 1000);
  EXPECT_EQ(LimitOf(Engine::kStep, std::nullopt, 0.001)->seconds, 600);
  EXPECT_EQ(LimitOf(Engine::kStep, std::nullopt, 1.0)->seconds, 400'000);
  EXPECT_EQ(LimitOf(Engine::kQemu, std::nullopt, 0.5)->native_seconds, 0.5);
}

TEST(EngineLimit, TheRequestedLimitWins) {
  EXPECT_EQ(LimitOf(Engine::kStep, 2.0, 1.0)->seconds, 2);
  EXPECT_FALSE(LimitOf(Engine::kStep, HUGE_VAL, 1.0));
}

TEST(EngineLimit, WithoutANativeRunThereIsNone) {
  EXPECT_FALSE(LimitOf(Engine::kQemu, std::nullopt, std::nullopt));
  EXPECT_EQ(LimitOf(Engine::kQemu, 2.0, std::nullopt)->seconds, 2);
}

TEST(EngineLimit, EndsARunAndAllThatDescendsFromIt) {
  for (const Engine engine : {Engine::kQemu, Engine::kStep}) {
    if (const std::string reason = WhyNot(engine); !reason.empty()) GTEST_SKIP() << reason;
    for (const char* line : {"ptraces", "ptraces session"}) {
      const auto before = run::Leftovers::Now();
      auto plan = PlanOf(line, {.children = true});
      ASSERT_TRUE(plan);
      plan->limit = EngineLimit{1, 0.01};
      const auto run = RunUnder(engine, BuiltEngines(), *plan);
      ASSERT_FALSE(run) << Name(engine) << ": " << line;
      EXPECT_EQ(run.error().kind, ErrorKind::kTimedOut);
      EXPECT_THAT(run.error().message,
                  StartsWith(std::string(Name(engine)) + ": exceeded its limit of 1 s (native run: "
                                                         "0.01 s); raise it with "
                                                         "--engine-timeout"));
      EXPECT_TRUE(run::DescendantsOf(::getpid()).empty());
      EXPECT_EQ(run::Leftovers::Now(), before);
    }
  }
}

TEST(EngineLimit, AShorterTimeoutKeepsItsMeaning) {
  if (const std::string reason = WhyNot(Engine::kQemu); !reason.empty()) GTEST_SKIP() << reason;
  auto plan = PlanOf("endings hang", {});
  ASSERT_TRUE(plan);
  plan->setting.timeout_seconds = 1;
  plan->limit = EngineLimit{500, std::nullopt};
  const auto run = RunUnder(Engine::kQemu, BuiltEngines(), *plan);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->finished.ended.how, run::Ended::How::kTimedOut);
}

TEST(CountProgram, AnEngineThatTakesTooLongIsAbsentAndTheProgramsStatusStays) {
  if (const std::string reason = WhyNot(Engine::kQemu); !reason.empty()) GTEST_SKIP() << reason;
  CountRequest request;
  request.program = run::TestProgram("ptraces");
  request.setting = run::Captured();
  request.engines = {Engine::kQemu};
  request.runs = 1;
  request.engine_seconds = 2;
  request.pass_output = true;
  Images images;
  const auto report = CountProgram(request, BuiltEngines(), images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->ended.ShellStatus(), 0);
  ASSERT_EQ(report->engines.size(), 1U);
  EXPECT_FALSE(report->engines[0].Usable());
  EXPECT_THAT(report->engines[0].absence, HasSubstr("exceeded its limit of 2 s"));
}

}  // namespace
}  // namespace tare::count
