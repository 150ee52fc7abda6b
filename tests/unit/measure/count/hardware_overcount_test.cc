// hardware_overcount_test.cc: tests what is taken off a processor's count of instructions.
#include "measure/count/hardware_overcount.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tare::count {
namespace {

using testing::IsEmpty;

OvercountInputs OnHaswell() {
  OvercountInputs inputs;
  inputs.instructions = Exact(1'000'500);
  inputs.processor = pmu::X86Signature{"GenuineIntel", 6, 0x3c};
  return inputs;
}

const Overcount& Of(const CorrectedCount& corrected, Cause cause) {
  const auto found = std::ranges::find(corrected.causes, cause, &Overcount::cause);
  static const Overcount none;
  return found == corrected.causes.end() ? none : *found;
}

TEST(CorrectOvercount, TakesOffOnePerInterruptAndPageFault) {
  OvercountInputs inputs = OnHaswell();
  inputs.interrupts = 100;
  inputs.page_faults = 400;
  const CorrectedCount corrected = CorrectOvercount(inputs);
  ASSERT_EQ(corrected.causes.size(), 2U);
  EXPECT_EQ(Of(corrected, Cause::kInterrupts).value, 100);
  EXPECT_EQ(Of(corrected, Cause::kPageFaults).value, 400);
  EXPECT_EQ(corrected.instructions.Value(), 1'000'000);
  EXPECT_EQ(corrected.instructions.Low(), 1'000'000);
  EXPECT_EQ(corrected.instructions.High(), 1'000'000);
  EXPECT_FALSE(corrected.instructions.exact);
}

// At most 1000 timer interrupts in each of the two seconds; 6 switches may or may not add one.
TEST(CorrectOvercount, LeavesAnIntervalWhereSomethingWasNotCounted) {
  OvercountInputs inputs = OnHaswell();
  inputs.cpu_seconds = 2;
  inputs.context_switches = 6;
  const CorrectedCount corrected = CorrectOvercount(inputs);
  EXPECT_EQ(Of(corrected, Cause::kInterrupts).low, 0);
  EXPECT_EQ(Of(corrected, Cause::kInterrupts).high, 2000);
  EXPECT_EQ(Of(corrected, Cause::kContextSwitches).high, 6);
  EXPECT_EQ(corrected.instructions.Value(), 999'500);
  EXPECT_EQ(corrected.instructions.Low(), 998'494);
  EXPECT_EQ(corrected.instructions.High(), 1'000'500);
}

TEST(CorrectOvercount, APentium4CountsControlLoadsTwiceAndNoPageFaults) {
  OvercountInputs inputs = OnHaswell();
  inputs.processor = pmu::X86Signature{"GenuineIntel", 15, 2};
  inputs.interrupts = 0;
  inputs.page_faults = 400;
  inputs.fldcw = 300;
  inputs.other_control_loads = 5;
  const CorrectedCount corrected = CorrectOvercount(inputs);
  ASSERT_EQ(corrected.causes.size(), 1U);
  EXPECT_EQ(corrected.instructions.Value(), 1'000'200);
  EXPECT_EQ(corrected.instructions.Low(), 1'000'195);
  EXPECT_EQ(corrected.instructions.High(), 1'000'200);
  // Later models have a counter that counts it once.
  inputs.processor->model = 6;
  EXPECT_EQ(CorrectOvercount(inputs).instructions.High(), 1'000'500);
}

TEST(CorrectOvercount, IterationsAreADifferenceOfTheEngineAndNoErrorOfTheCounter) {
  OvercountInputs inputs = OnHaswell();
  inputs.interrupts = 0;
  inputs.rep_instructions = 10;
  inputs.rep_iterations = 5010;
  EXPECT_THAT(CorrectOvercount(inputs).causes, IsEmpty());
  inputs.rep_per_iteration = true;
  const CorrectedCount corrected = CorrectOvercount(inputs);
  EXPECT_EQ(Of(corrected, Cause::kRepeatedStrings).value, -5000);
  EXPECT_EQ(corrected.instructions.Value(), 1'000'500);
}

TEST(CorrectOvercount, OtherArchitecturesHaveNoSurplus) {
  OvercountInputs inputs = OnHaswell();
  inputs.processor.reset();
  inputs.interrupts = 100;
  inputs.page_faults = 400;
  const CorrectedCount corrected = CorrectOvercount(inputs);
  EXPECT_THAT(corrected.causes, IsEmpty());
  EXPECT_EQ(corrected.instructions, inputs.instructions);
}

TEST(CorrectOvercount, WidensTheIntervalOfTheRuns) {
  OvercountInputs inputs = OnHaswell();
  inputs.instructions = Between(1'000'500, 1'000'400, 1'000'600, 0.95);
  inputs.interrupts = 100;
  inputs.context_switches = 50;
  const Measured count = CorrectOvercount(inputs).instructions;
  EXPECT_EQ(count.Value(), 1'000'400);
  EXPECT_EQ(count.Low(), 1'000'250);
  EXPECT_EQ(count.High(), 1'000'500);
}

}  // namespace
}  // namespace tare::count
