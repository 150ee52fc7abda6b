// compiled_models_test.cc: tests models that are fed by a program's own streams, by function and
// block.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "compiled_program.h"
#include "measure/count/images.h"
#include "measure/count/tally.h"

namespace tare::count {
namespace {

using model::Event;

// 64 sets of 8 ways, backed by memory.
engine::VirtualPlan OneLevel() {
  engine::VirtualPlan plan;
  plan.processor.name = "one level";
  plan.processor.l1i = {.bytes = 32768, .ways = 8};
  plan.processor.l1d = {.bytes = 32768, .ways = 8};
  return plan;
}

// A column of 4096-byte rows is in one set, a row in many.
const char* const kWalks = R"(
enum { N = 256, WIDE = 512 };
double matrix[N][WIDE] __attribute__((aligned(4096)));
__attribute__((noinline)) double rows(void) { double s = 0; for (int i = 0; i < N; i++) for (int j = 0; j < WIDE; j++) { s += matrix[i][j]; __asm__ volatile(""); } return s; }
__attribute__((noinline)) double columns(void) { double s = 0; for (int j = 0; j < WIDE; j++) for (int i = 0; i < N; i++) { s += matrix[i][j]; __asm__ volatile(""); } return s; }
int main(void) { return rows() + columns() != 0; }
)";

std::uint64_t MissesOf(const Tally& tally, const std::string& name) {
  for (const auto& [key, function] : tally.functions)
    if (function.function == name) return function.events[Event::kL1dLoadMisses];
  ADD_FAILURE() << name << " is missing";
  return 0;
}

TEST(CompiledModels, EachFunctionHasTheMissesOfItsOwnAccesses) {
  CompiledProgram program;
  std::string why;
  if (!program.Build(kWalks, false, true, why)) GTEST_SKIP() << why;
  engine::EnginePlan plan = program.Plan();
  plan.virtual_pmu = OneLevel();
  const auto run = engine::RunUnder(engine::Engine::kCompiled, BuiltEngines(), plan);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->events.size(), 1U);
  EXPECT_FALSE(run->events.front().cut_short);
  Images images;
  const auto tally = SumRecordings(run->recordings, RepConvention::kOnce, images, run->events);
  ASSERT_TRUE(tally) << tally.error().message;
  constexpr std::uint64_t kAccesses = 256 * 512;
  EXPECT_EQ(MissesOf(*tally, "rows"), kAccesses / 8);
  EXPECT_EQ(MissesOf(*tally, "columns"), kAccesses);
  // main has only stack accesses.
  EXPECT_LE(tally->events[Event::kL1dLoadMisses], kAccesses / 8 + kAccesses + 20);
}

TEST(CompiledModels, APlanWithoutModelsHasNoEvents) {
  CompiledProgram program;
  std::string why;
  if (!program.Build(kWalks, false, true, why)) GTEST_SKIP() << why;
  const auto run = engine::RunUnder(engine::Engine::kCompiled, BuiltEngines(), program.Plan());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->events.empty());
}

TEST(CompiledModels, AProgramWithoutAStreamHasNoEvents) {
  CompiledProgram program;
  std::string why;
  if (!program.Build(kWalks, false, false, why)) GTEST_SKIP() << why;
  engine::EnginePlan plan = program.Plan();
  plan.virtual_pmu = OneLevel();
  const auto run = engine::RunUnder(engine::Engine::kCompiled, BuiltEngines(), plan);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(run.error().message.find("--tare-stream"), std::string::npos);
}

}  // namespace
}  // namespace tare::count
