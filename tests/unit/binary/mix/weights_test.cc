// weights_test.cc: tests weighting static mixes with the counts of a run.
#include "binary/mix/weights.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::mix {
namespace {

using decode::Category;
using report::Cell;

class Weighting : public ::testing::TestWithParam<decode::Architecture> {
 protected:
  void SetUp() override {
    directory_.Write("m.c",
                     "volatile int s;\n"
                     "__attribute__((noinline)) int hot(int x) { s = x; return x * s; }\n"
                     "__attribute__((noinline)) int cold(int x) { s = x; s = 2; return x + s; }\n"
                     "int main(int c, char** v) { (void)v; return hot(c) + cold(c); }\n");
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_TRUE(directory_.Runs(CommandFor(GetParam(), "gcc -O2 m.c -o m")));
    auto file = ReadFileMix(directory_ / "m", false, NoProgress);
    ASSERT_TRUE(file) << file.error().message;
    file_ = std::move(*file);
  }

  const code::FunctionCode& CodeOf(const std::string& name) const {
    const auto function = file_.image->FindFunction(name);
    return file_.code->functions()[file_.code->targets().FunctionStartingAt(function->start)];
  }

  static double Sum(const WeightedCounts& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  }

  BuildDirectory directory_;
  FileMix file_;
};

report::Document Counted(std::vector<std::vector<Cell>> rows) {
  report::Document document;
  document.blocks.emplace_back(report::Table{
      "functions", "", {{"object"}, {"function"}, {"instructions"}}, std::move(rows)});
  return document;
}

TEST_P(Weighting, AFunctionsCountIsSpreadAsItsMix) {
  const auto& hot = CodeOf("hot");
  const auto ran = static_cast<std::int64_t>(100 * hot.mix.Instructions());
  const auto weights =
      WeightsFrom(Counted({{std::string("m"), std::string("hot"), Exact(ran)},
                           {std::string("libc.so.6"), std::string("exit"), Exact(7)},
                           {std::string("m"), std::string("gone"), Exact(5)}}));
  ASSERT_TRUE(weights);
  const auto weighted = Weigh(file_, *weights);
  EXPECT_FALSE(weighted.by_block);
  EXPECT_DOUBLE_EQ(weighted.covered, static_cast<double>(ran));
  EXPECT_DOUBLE_EQ(weighted.missed, 5);
  EXPECT_DOUBLE_EQ(weighted.of_others, 7);
  for (std::size_t i = 0; i < weighted.counts.size(); ++i)
    EXPECT_NEAR(weighted.counts[i], 100.0 * hot.mix.counts[i], 1e-6);
}

TEST_P(Weighting, AnotherBuildRunsEachFunctionAsOften) {
  const auto& hot = CodeOf("hot");
  const auto ran = static_cast<std::int64_t>(100 * hot.mix.Instructions());
  const auto weights = WeightsFrom(Counted({{std::string("m"), std::string("hot"), Exact(ran)}}));
  ASSERT_TRUE(weights);
  const auto weighted = Weigh(file_, *weights);
  const auto same = WeighLike(file_, weighted);
  for (std::size_t i = 0; i < weighted.counts.size(); ++i)
    EXPECT_NEAR(same.counts[i], weighted.counts[i], 1e-6);
}

TEST_P(Weighting, BlocksAreDecoded) {
  const auto function = file_.image->FindFunction("cold");
  ASSERT_TRUE(function);
  const auto offset = file_.image->FileOffsetOf(function->start);
  ASSERT_TRUE(offset);
  const auto instructions = static_cast<std::int64_t>(CodeOf("cold").mix.Instructions());
  report::Document document;
  char text[32];
  std::snprintf(text, sizeof(text), "0x%lx", static_cast<unsigned long>(*offset));
  document.blocks.emplace_back(
      report::Table{"blocks",
                    "",
                    {{"object"}, {"offset"}, {"instructions"}, {"executions"}},
                    {{std::string("m"), std::string(text), Exact(instructions), Exact(12)},
                     {std::string("m"), std::string("0xffffffffff"), Exact(1), Exact(3)}}});
  const auto weights = WeightsFrom(document);
  ASSERT_TRUE(weights);
  const auto weighted = Weigh(file_, *weights);
  EXPECT_TRUE(weighted.by_block);
  EXPECT_DOUBLE_EQ(Sum(weighted.counts), 12.0 * static_cast<double>(instructions));
  EXPECT_DOUBLE_EQ(weighted.missed, 3);
}

INSTANTIATE_TEST_SUITE_P(Machines, Weighting, ::testing::ValuesIn(kArchitectures));

TEST(WeightsFrom, ADocumentWithoutCountsIsRefused) {
  const auto weights = WeightsFrom(report::Document{});
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().kind, ErrorKind::kFormat);
}

TEST(WeightsFrom, NumbersThatMakeNoSenseCountAsNothing) {
  report::Document document =
      Counted({{std::string("m"), std::string("f"), Exact(-5)},
               {std::string("m"), std::string("g"), Cell()},
               {std::string("m"), Number{std::int64_t{3}}, std::string("many")}});
  const auto weights = WeightsFrom(document);
  ASSERT_TRUE(weights);
  for (const auto& one : weights->functions) EXPECT_EQ(one.instructions, 0);
}

}  // namespace
}  // namespace tare::mix
