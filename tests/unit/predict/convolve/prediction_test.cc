// prediction_test.cc: tests predictions of kernels whose times follow by hand.
#include "predict/convolve/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

using machine_profile::Profile;
using signature::Block;
using signature::Grid;
using testing::HasSubstr;

Prediction PredictionOf(std::vector<Block> blocks, const Profile& profile = ExampleMachine()) {
  const auto rates = RatesOf(profile);
  EXPECT_TRUE(rates.has_value());
  return Predict(WorkOf(SignatureOf(std::move(blocks))), *rates);
}

// A million words are 125,000 lines of 8 ns each. Loading the eight words takes 4 ns, of which the
// machine hides half; its ten instructions take 2.5 ns.
TEST(Predict, AStreamTakesItsLinesAtTheBandwidthOfMemory) {
  const Grid grid;
  const auto prediction = PredictionOf({StreamBlock(grid, 1000000)});
  EXPECT_NEAR(prediction.time.Value(), 125000 * 10e-9, 125000 * 10e-9 * 0.01);
  EXPECT_EQ(LimitText(prediction.loops[0], prediction.level_names), "bandwidth of memory");
  EXPECT_NEAR(prediction.sum, 125000 * (8e-9 + 4e-9), 1e-5);
}

// The kernel fills a page with zeros when the program touches it first, so that its lines come from
// the second cache: 2 ns and half of the loads, 4 ns, instead of 8 ns and that.
TEST(Predict, LinesOfFreshPagesComeFromTheSecondCache) {
  const Grid grid;
  Block block = StreamBlock(grid, 1000000);
  std::ranges::fill(block.far.at_distance, 0);
  block.far.at_distance[0] = 875000;
  block.far.cold = 125000;
  EXPECT_NEAR(PredictionOf({block}).time.Value(), 125000 * 4e-9, 125000 * 4e-9 * 0.01);
}

TEST(Predict, AChainOfMissesTakesTheLatencyOfEach) {
  const Grid grid;
  const auto prediction = PredictionOf({MissBlock(grid, 100000, true)});
  // The chain contains the time of a hit, and the latency replaces it.
  EXPECT_NEAR(prediction.time.Value(), 100000 * 80e-9, 100000 * 80e-9 * 0.01);
  EXPECT_EQ(LimitText(prediction.loops[0], prediction.level_names), "latency of memory");
}

TEST(Predict, IndependentMissesOverlapEachOther) {
  const Grid grid;
  const auto prediction = PredictionOf({MissBlock(grid, 100000, false)});
  EXPECT_NEAR(prediction.time.Value(), 100000 * 8.25e-9, 100000 * 8e-9 * 0.01);
  EXPECT_EQ(LimitText(prediction.loops[0], prediction.level_names), "random accesses to memory");
}

// A misprediction between any two misses leaves two in flight, and costs 4 ns itself.
TEST(Predict, MispredictionsKeepMissesFromOverlapping) {
  const Grid grid;
  Block block = MissBlock(grid, 100000, false);
  block.mispredictions = 100000;
  const auto prediction = PredictionOf({block});
  // The window of 224 instructions is full after 56 ns.
  EXPECT_NEAR(prediction.time.Value(), 100000 * (8.25e-9 + 56e-9 + 4e-9), 100000 * 68e-9 * 0.01);
  block.mispredictions = 10000;
  const auto few = PredictionOf({block});
  EXPECT_NEAR(few.time.Value(), 100000 * (8.25e-9 + 5.6e-9 + 0.4e-9), 100000 * 14e-9 * 0.02);
}

TEST(Predict, AChainOfAdditionsTakesItsLatency) {
  const Grid grid;
  const auto prediction = PredictionOf({ArithmeticBlock(grid, 1000000, 3)});
  EXPECT_NEAR(prediction.time.Value(), 1000000 * 3 * 4e-9, 1e-5);
  EXPECT_EQ(LimitText(prediction.loops[0], prediction.level_names), "dependences");
}

// The core looks at 224 instructions together, which are two chains.
TEST(Predict, ChainsThatStartAnewOverlap) {
  const Grid grid;
  Block block = ArithmeticBlock(grid, 1000000, 3);
  block.loop = 0;
  signature::Loop loop;
  loop.chain_span = 112;
  const auto rates = RatesOf(ExampleMachine());
  ASSERT_TRUE(rates);
  const auto prediction = Predict(WorkOf(SignatureOf({block}, {loop})), *rates);
  EXPECT_NEAR(prediction.time.Value(), 1000000 * 3 * 4e-9 / 2, 1e-5);
}

// A copy takes 10 ns for a loaded and a stored line, a triad 14 ns for one loaded line more. So a
// line of two streams takes 4 ns instead of the 8 ns of one stream, and a stored line 6 ns.
TEST(Predict, SeveralStreamsTakeTheTimeOfCopyAndTriad) {
  const Grid grid;
  Profile machine = ExampleMachine();
  machine.rates.push_back({"copy memory", "B/s", machine_profile::Plain(128 / 10e-9), ""});
  machine.rates.push_back({"triad memory", "B/s", machine_profile::Plain(192 / 14e-9), ""});
  Block block = StreamBlock(grid, 1000000);
  block.load_places = 1;
  const auto one = PredictionOf({block}, machine);
  block.load_places = 2;
  const auto two = PredictionOf({block}, machine);
  EXPECT_NEAR(one.time.Value() - two.time.Value(), 125000 * (8e-9 - 4e-9), 125000 * 1e-10);
  // With a second stream that stays in the first cache, one of them brings lines.
  Block near = block;
  near.strides.stream_loads *= 2;
  EXPECT_NEAR(PredictionOf({near}, machine).time.Value(), one.time.Value(), 125000 * 1e-10);
  // Stores only.
  block.stores = std::exchange(block.loads, 0);
  block.store_bytes = std::exchange(block.load_bytes, 0);
  block.strides.stream_stores = std::exchange(block.strides.stream_loads, 0);
  const auto stored = PredictionOf({block}, machine);
  EXPECT_NEAR(one.time.Value() - stored.time.Value(), 125000 * (8e-9 - 6e-9), 125000 * 1e-10);
}

TEST(Predict, ABusyLoopTakesTheRateOfItsInstructions) {
  const Grid grid;
  Block block = ArithmeticBlock(grid, 1000000, 0);
  block.instructions = 20;
  block.chain = {};
  const auto prediction = PredictionOf({block});
  EXPECT_NEAR(prediction.time.Value(), 1000000 * 20 * 0.25e-9, 1e-6);
  EXPECT_EQ(LimitText(prediction.loops[0], prediction.level_names), "instructions");
}

// Loads and stores share units of the core, which execute 2.5 of them per nanosecond.
TEST(Predict, LoadsAndStoresShareUnits) {
  const Grid grid;
  Profile machine = ExampleMachine();
  machine.rates.push_back({"loads with stores", "op/s", machine_profile::Plain(2.5e9), ""});
  Block block = ArithmeticBlock(grid, 1000000, 0);
  block.chain = {};
  block.work[IndexOf(signature::Work::kLoad)] = 20;
  block.work[IndexOf(signature::Work::kStore)] = 10;
  const auto prediction = PredictionOf({block}, machine);
  EXPECT_NEAR(prediction.time.Value(), 1000000 * 30 / 2.5e9, 1e-5);
  EXPECT_EQ(LimitText(prediction.loops[0], prediction.level_names), "loads and stores");
}

// Additions of short sums take twice as long as independent ones here.
TEST(Predict, FloatingPointTakesTheRateOfShortSums) {
  const Grid grid;
  Block block = ArithmeticBlock(grid, 1000000, 40);
  block.chain = {};
  Profile machine = ExampleMachine();
  const double independent = PredictionOf({block}, machine).time.Value();
  const machine_profile::Rate* add = machine.FindRate("fp64 add");
  ASSERT_NE(add, nullptr);
  const double rate = add->figure.Value() / 2;
  machine.rates.push_back({"fp64 short sums", "flop/s", machine_profile::Plain(rate), ""});
  EXPECT_NEAR(PredictionOf({block}, machine).time.Value(), 2 * independent, 0.01 * independent);
}

// Two blocks of one loop hide each other; in two loops they follow each other.
TEST(Predict, TakesTheMaximumPerLoopNotPerBlock) {
  const Grid grid;
  Block stream = StreamBlock(grid, 1000000);
  Block arithmetic = ArithmeticBlock(grid, 250000, 1);
  stream.loop = arithmetic.loop = 0;
  const auto rates = RatesOf(ExampleMachine());
  ASSERT_TRUE(rates.has_value());
  const auto together =
      Predict(WorkOf(SignatureOf({stream, arithmetic}, {signature::Loop()})), *rates);
  arithmetic.loop = 1;
  const auto apart = Predict(
      WorkOf(SignatureOf({stream, arithmetic}, {signature::Loop(), signature::Loop()})), *rates);
  // Lines take 1 ms, half of the loads of both blocks 0.3125 ms, the additions 1 ms.
  EXPECT_NEAR(together.time.Value(), 1.3125e-3, 2e-5);
  EXPECT_NEAR(apart.time.Value(), 1.25e-3 + 1e-3, 2e-5);
}

TEST(Predict, AddsWhatTheMachineCannotHide) {
  const Grid grid;
  Profile profile = ExampleMachine();
  for (machine_profile::Rate& rate : profile.rates) {
    if (rate.name == "overlap") rate.figure = machine_profile::Plain(0.5);
  }
  const auto prediction = PredictionOf({StreamBlock(grid, 1000000)}, profile);
  // Loads: eight words at two per nanosecond take 4 ns; half of that is not hidden.
  EXPECT_NEAR(prediction.time.Value(), 125000 * (10e-9 + 2e-9), 2e-5);
  // The figure of the level that serves the lines goes first.
  profile.rates.push_back({"overlap memory stream", "", machine_profile::Plain(1), ""});
  profile.rates.push_back({"overlap memory random", "", machine_profile::Plain(0.1), ""});
  const auto hidden = PredictionOf({StreamBlock(grid, 1000000)}, profile);
  EXPECT_NEAR(hidden.time.Value(), 125000 * 10e-9, 2e-5);
}

// An addition with an operand in memory is one instruction and two operations.
TEST(Predict, CountsOperationsNotInstructions) {
  const Grid grid;
  Block block = ArithmeticBlock(grid, 1000000, 0);
  block.chain = {};
  block.work[IndexOf(signature::Work::kInteger)] = 11;
  block.instructions = 8;
  const auto prediction = PredictionOf({block});
  // 13 operations at four per nanosecond; 11 additions at two per nanosecond take longer.
  EXPECT_NEAR(prediction.loops[0].throughput, 1000000 * 5.5e-9, 1e-6);
  block.work[IndexOf(signature::Work::kInteger)] = 1;
  block.work[IndexOf(signature::Work::kOther)] = 10;
  EXPECT_NEAR(PredictionOf({block}).loops[0].throughput, 1000000 * 3.25e-9, 1e-6);
}

TEST(Predict, WriteBacksTakeTheirShareOfTheBandwidth) {
  const Grid grid;
  Block block = StreamBlock(grid, 1000000);
  block.near.write_backs.assign(grid.Shapes() * grid.max_ways, 125000);
  const auto prediction = PredictionOf({block});
  EXPECT_NEAR(prediction.time.Value(), 125000 * 18e-9, 5e-5);
}

TEST(Predict, TlbMissesBoundALoopWithAShortReach) {
  const Grid grid;
  Profile profile = ExampleMachine();
  profile.tlbs[0].entries = 16;
  profile.tlbs[0].miss = machine_profile::Plain(2e-6);
  Block block = MissBlock(grid, 100000, true);
  const auto prediction = PredictionOf({block}, profile);
  EXPECT_NEAR(prediction.time.Value(), 100000 * (80e-9 + 2e-6), 100000 * 2.08e-6 * 0.01);
}

TEST(Predict, TheIntervalJoinsTheBudget) {
  const Grid grid;
  Profile profile = ExampleMachine();
  profile.levels.back().load = machine_profile::Within(8e9, 6.4e9, 10e9);
  const auto prediction = PredictionOf({StreamBlock(grid, 1000000)}, profile);
  ASSERT_TRUE(prediction.time.HasInterval());
  double squares = 0;
  for (const BudgetRow& row : prediction.budget) squares += row.seconds * row.seconds;
  EXPECT_NEAR(prediction.time.High() - prediction.time.Value(), std::sqrt(squares), 1e-9);
  const auto rates = std::ranges::find(prediction.budget, "rates: memory", &BudgetRow::what);
  ASSERT_NE(rates, prediction.budget.end());
  // Lines of 6.4 ns to 10 ns: half the difference is 1.8 ns each.
  EXPECT_NEAR(rates->seconds, 125000 * 1.8e-9, 1e-6);
}

TEST(Predict, DoubtsAnotherInstructionSet) {
  auto signature = SignatureOf({ArithmeticBlock(Grid(), 1000, 1)});
  signature.architecture = decode::Architecture::kX86_64;
  const auto rates = RatesOf(ExampleMachine());
  ASSERT_TRUE(rates.has_value());
  const auto prediction = Predict(WorkOf(signature), *rates);
  EXPECT_EQ(prediction.time.verdict, Verdict::kDoubtful);
  EXPECT_THAT(prediction.time.reason, HasSubstr("instruction set"));
}

TEST(Predict, NamesTheFigureThatAMachineLacks) {
  const Grid grid;
  Profile profile = ExampleMachine();
  profile.levels.back().load.reset();
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  const auto stream = Predict(WorkOf(SignatureOf({StreamBlock(grid, 1000)})), *rates);
  EXPECT_EQ(stream.time.verdict, Verdict::kDoubtful);
  EXPECT_TRUE(std::ranges::any_of(stream.caveats, [](const Caveat& caveat) {
    return caveat.detail.contains("load bandwidth of memory");
  }));
}

TEST(PredictSeconds, IsTheTimeOfThePrediction) {
  const Grid grid;
  const auto work = WorkOf(SignatureOf({StreamBlock(grid, 1000), MissBlock(grid, 100, true)}));
  const auto rates = RatesOf(ExampleMachine());
  ASSERT_TRUE(rates.has_value());
  EXPECT_DOUBLE_EQ(PredictSeconds(work, *rates), Predict(work, *rates).time.Value());
}

}  // namespace
}  // namespace tare::convolve
