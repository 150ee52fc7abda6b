// proxy_prediction_test.cc: tests predicted ratios of a program with known calls, and their scores.
#include "analysis/proxy/proxy_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hooked_program.h"
#include "tests/programs/toolchain.h"

namespace tare::proxy {
namespace {

double Measured(const HookedProgram& program, count::Metric metric) {
  return static_cast<double>(program.instrumented_run.total[metric]) /
         static_cast<double>(program.vanilla_run.total[metric]);
}

const PredictedFunction* Find(const Prediction& prediction, std::string_view name) {
  const auto found = std::ranges::find(prediction.functions, name, &PredictedFunction::function);
  return found == prediction.functions.end() ? nullptr : &*found;
}

class PredictedRatios : public ::testing::TestWithParam<std::string> {};

TEST_P(PredictedRatios, KnownCallsAreFoundInlinedOnesToo) {
  HookedProgram program;
  const std::string reason = program.Make(GetParam() + " -g -gdwarf-4");
  if (!reason.empty()) GTEST_SKIP() << reason;
  const auto prediction = Predict(*program.vanilla, program.vanilla_run);
  ASSERT_TRUE(prediction) << prediction.error().message;
  EXPECT_FALSE(prediction->lower_bound);
  EXPECT_EQ(prediction->entered, 1001U);
  const auto* step = Find(*prediction, "Step");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->entered, 1000U);
  const auto* inner = Find(*prediction, "Inner");
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner->entered, 0U);
  EXPECT_EQ(inner->inlined, 2000U);
  EXPECT_EQ(prediction->entered + prediction->inlined, kHookedCalls);
}

TEST_P(PredictedRatios, TheMeasuredRatiosLieInTheRanges) {
  HookedProgram program;
  const std::string reason = program.Make(GetParam() + " -g -gdwarf-4");
  if (!reason.empty()) GTEST_SKIP() << reason;
  const auto prediction = Predict(*program.vanilla, program.vanilla_run);
  ASSERT_TRUE(prediction) << prediction.error().message;
  using count::Metric;
  const std::array<std::optional<double>, kPredicted> measured = {
      Measured(program, Metric::kInstructions), Measured(program, Metric::kLoads),
      Measured(program, Metric::kStores), std::nullopt};
  const auto scores = ScoreOf(*prediction, measured, 0.1);
  ASSERT_EQ(scores.size(), 3U);
  for (const auto& score : scores) {
    EXPECT_TRUE(score.inside) << Name(score.metric) << ": " << score.measured << " in "
                              << score.predicted.Low() << " to " << score.predicted.High();
    EXPECT_TRUE(score.SameVerdict()) << Name(score.metric);
  }
}

TEST_P(PredictedRatios, WithoutDebugInformationItIsALowerBound) {
  HookedProgram program;
  const std::string reason = program.Make(GetParam());
  if (!reason.empty()) GTEST_SKIP() << reason;
  const auto prediction = Predict(*program.vanilla, program.vanilla_run);
  ASSERT_TRUE(prediction) << prediction.error().message;
  EXPECT_TRUE(prediction->lower_bound);
  EXPECT_EQ(prediction->inlined, 0U);
  EXPECT_LT(prediction->metrics[0].ratio.Value(), Measured(program, count::Metric::kInstructions));
}

INSTANTIATE_TEST_SUITE_P(Of, PredictedRatios, ::testing::Values("gcc -O2", "clang-19 -O2"));

// Tests what is read from the file, on both architectures; the run is synthetic.
class PredictionFrom
    : public ::testing::TestWithParam<std::tuple<decode::Architecture, std::string>> {};

TEST_P(PredictionFrom, AFileAndItsBlocksAloneCallsAreFound) {
  const auto& [architecture, compiler] = GetParam();
  const BuildDirectory directory;
  directory.Write("program.c", kHooked);
  const std::string command =
      CommandFor(architecture, compiler + " -O2 -g -gdwarf-4 program.c -o program");
  if (!directory.Runs(command)) GTEST_SKIP() << "this does not work here: " << command;
  const auto file = mix::ReadFileMix(directory / "program", true, NoProgress);
  ASSERT_TRUE(file) << file.error().message;
  count::Tally run;
  run.total.Add(count::Metric::kInstructions, 100000);
  // All of Step is one block; main is entered once, wherever its blocks end.
  for (const auto& [name, executions] : {std::pair{"Step", 1000U}, std::pair{"main", 1U}}) {
    const auto function = file->image->FindFunction(name);
    ASSERT_TRUE(function);
    const auto index = file->code->targets().FunctionStartingAt(function->start);
    count::BlockTally block;
    block.object = (directory / "program").string();
    block.offset = file->image->FileOffsetOf(function->start).value_or(0);
    block.instructions = file->code->functions()[index].mix.Instructions();
    block.executions = executions;
    run.blocks.push_back(block);
  }
  const auto prediction = Predict(*file, run);
  ASSERT_TRUE(prediction) << prediction.error().message;
  EXPECT_EQ(prediction->compiler, compiler == "gcc" ? Compiler::kGcc : Compiler::kClang);
  EXPECT_EQ(prediction->entered, 1001U);
  EXPECT_EQ(prediction->inlined, 2000U);
  const auto* inner = Find(*prediction, "Inner");
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner->inlined, 2000U);
  EXPECT_GT(prediction->metrics[0].ratio.Value(), 1);
}

INSTANTIATE_TEST_SUITE_P(Files, PredictionFrom,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values("gcc", "clang-19")));

TEST(Prediction, ARunWithoutBlocksIsRefused) {
  const BuildDirectory directory;
  directory.Write("m.c", "int main(void) { return 0; }");
  if (!directory.Runs("gcc m.c -o m")) GTEST_SKIP() << "no gcc";
  const auto file = mix::ReadFileMix(directory / "m", true, NoProgress);
  ASSERT_TRUE(file);
  const auto prediction = Predict(*file, {});
  ASSERT_FALSE(prediction);
  EXPECT_EQ(prediction.error().kind, ErrorKind::kUnsupported);
}

Prediction SyntheticPrediction() {
  Prediction prediction;
  prediction.metrics = {{Predicted::kInstructions, 100, RatioWithin(1.2, 1.15, 1.3)},
                        {Predicted::kLoads, 100, RatioWithin(1.05, 1.0, 1.08)},
                        {Predicted::kStores, 0, {}},
                        {Predicted::kConditionalBranches, 100, RatioWithin(1, 1, 1)}};
  return prediction;
}

TEST(Score, ErrorIsPredictedLessMeasured) {
  const auto scores = ScoreOf(SyntheticPrediction(), {1.25, 1.12, 1.0, 1.0}, 0.1);
  ASSERT_EQ(scores.size(), 3U);  // no stores, no ratio
  EXPECT_DOUBLE_EQ(scores[0].error, 1.2 - 1.25);
  EXPECT_TRUE(scores[0].inside);
  EXPECT_TRUE(scores[0].SameVerdict());
  EXPECT_FALSE(scores[1].inside);
  EXPECT_FALSE(scores[1].SameVerdict());
  EXPECT_EQ(scores[1].predicted_verdict, Verdict::kValid);
  EXPECT_EQ(scores[1].measured_verdict, Verdict::kRefused);
  EXPECT_EQ(scores[2].metric, Predicted::kConditionalBranches);
}

TEST(Score, WhatWasNotMeasuredHasNone) {
  const auto scores =
      ScoreOf(SyntheticPrediction(), {std::nullopt, 1.12, std::nullopt, std::nullopt}, 0.1);
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_EQ(scores[0].metric, Predicted::kLoads);
}

}  // namespace
}  // namespace tare::proxy
