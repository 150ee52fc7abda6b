// source_mix_test.cc: instructions by line and by inlined function.
#include "binary/mix/source_mix.h"

#include <gtest/gtest.h>

#include "binary/mix/measurement_interface.h"
#include "tests/programs/build_folder.h"

namespace tare::mix {
namespace {

class BySource : public ::testing::TestWithParam<std::string> {};

TEST_P(BySource, EveryInstructionHasOneLineOrNone) {
  BuildFolder folder;
  folder.Write("m.c",
               "volatile int s;\n"
               "static inline int twice(int x) {\n"
               "  s = x;\n"
               "  return x * s;\n"
               "}\n"
               "int main(int c, char** v) {\n"
               "  (void)v;\n"
               "  return twice(c) + twice(c + 1);\n"
               "}\n");
  if (!folder.Runs(GetParam() + " -O2 -g m.c -o m")) GTEST_SKIP() << "no " << GetParam();
  const auto file = ReadFileMix(folder / "m", true, NoProgress);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->sources) << file->no_sources;
  const auto mix = SourceMixOf(*file);

  std::uint64_t sum = Sum(mix.without_line);
  bool line_three = false;
  for (const auto& line : mix.lines) {
    sum += Sum(line.counts);
    const auto& name = file->sources->files()[line.source.file];
    // Two volatile stores.
    if (name.ends_with("m.c") && line.source.line == 3)
      line_three = line.counts[static_cast<std::size_t>(decode::Category::kMem)] == 2;
  }
  EXPECT_EQ(sum, file->code->total().Instructions());
  EXPECT_TRUE(line_three);

  ASSERT_EQ(mix.inlined.size(), 1U);
  EXPECT_EQ(file->sources->functions()[mix.inlined[0].function].name, "twice");
  EXPECT_EQ(mix.inlined[0].times, 2U);
  EXPECT_EQ(mix.inlined[0].callers, 1U);
  EXPECT_GE(Sum(mix.inlined[0].counts), 4U);
}

INSTANTIATE_TEST_SUITE_P(Compilers, BySource, ::testing::Values("gcc", "clang-19"));

// XRay's sleds are places for calls that are not there yet.
TEST(FindInterfaceUses, SledsOfXrayAreCounted) {
  BuildFolder folder;
  folder.Write("m.c",
               "int f(int x) { return x * 3; }\n"
               "int main(int c, char** v) { (void)v; return f(c); }\n");
  if (!folder.Runs("clang-19 -O1 -fxray-instrument -fxray-instruction-threshold=1 -fno-inline "
                   "-Wl,--unresolved-symbols=ignore-all m.c -o m"))
    GTEST_SKIP() << "clang cannot build for XRay here";
  const auto file = ReadFileMix(folder / "m", false, NoProgress);
  ASSERT_TRUE(file);
  const auto uses = FindInterfaceUses(*file->code, *MeasurementInterface::Make(""));
  const auto main = FindRoot(*file, "main");
  ASSERT_TRUE(main);
  EXPECT_EQ(uses.sleds[*main], 2U);  // at the start and at the end
}

}  // namespace
}  // namespace tare::mix
