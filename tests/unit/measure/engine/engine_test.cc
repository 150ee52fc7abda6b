// engine_test.cc: the table of engines.
#include "measure/engine/engine.h"

#include <gtest/gtest.h>

#include "measure/engine/engine_run.h"

namespace tare::engine {
namespace {

TEST(EngineTable, NamesAreParsedBack) {
  for (const EngineRow& row : EngineTable()) {
    EXPECT_EQ(ParseEngine(row.name), row.id) << row.name;
    EXPECT_EQ(Name(row.id), row.name);
    EXPECT_NE(row.counts, "") << row.name;
  }
  EXPECT_EQ(ParseEngine("exact"), std::nullopt);
}

TEST(EngineTable, AnEngineThatSeesInstructionsHasAllThatARunNeeds) {
  for (const EngineRow& row : EngineTable()) {
    EXPECT_EQ(row.run != nullptr, row.sees_instructions) << row.name;
    EXPECT_EQ(row.can_run != nullptr, row.sees_instructions) << row.name;
    EXPECT_EQ(row.examine != nullptr, row.sees_instructions) << row.name;
    EXPECT_EQ(row.limit.min_seconds > 0, row.sees_instructions) << row.name;
  }
}

TEST(EngineTable, EnginesOfEventsRunNoProgram) {
  const auto run = RunUnder(Engine::kKernel, {}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "the engine kernel counts events only in native runs");
}

TEST(EngineTable, OnThisMachineEachHasAStateAndWhereMissingAdvice) {
  const auto engines = ExamineEngines({});
  EXPECT_EQ(engines.size(), 5u);
  for (const host::Engine& engine : engines) {
    EXPECT_NE(engine.state, "") << engine.name;
    EXPECT_EQ(engine.found, engine.advice.empty()) << engine.name;
    EXPECT_TRUE(ParseEngine(engine.name)) << engine.name;
  }
}

}  // namespace
}  // namespace tare::engine
