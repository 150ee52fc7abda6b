// source_mix_test.cc: tests instruction counts by line and by inlined function.
#include "binary/mix/source_mix.h"

#include <gtest/gtest.h>

#include <array>
#include "binary/mix/measurement_interface.h"
#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::mix {
namespace {

class BySource : public ::testing::TestWithParam<std::tuple<decode::Architecture, std::string>> {};

TEST_P(BySource, EveryInstructionHasOneLineOrNone) {
  BuildDirectory directory;
  directory.Write("m.c",
                  "volatile int s, t;\n"
                  "static inline int twice(int x) {\n"
                  "  s = x;\n"
                  "  t = x;\n"
                  "  return x * 2;\n"
                  "}\n"
                  "int main(int c, char** v) {\n"
                  "  (void)v;\n"
                  "  return twice(c) + twice(c + 1);\n"
                  "}\n");
  const auto& [architecture, compiler] = GetParam();
  const std::string command = CommandFor(architecture, compiler + " -O2 -g m.c -o m");
  if (!directory.Runs(command)) GTEST_SKIP() << "this does not work here: " << command;
  const auto file = ReadFileMix(directory / "m", true, NoProgress);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->sources) << file->no_sources;
  const auto mix = SourceMixOf(*file);

  std::uint64_t sum = Sum(mix.without_line);
  std::array<std::uint64_t, 2> stores = {};
  for (const auto& line : mix.lines) {
    sum += Sum(line.counts);
    const auto& name = file->sources->files()[line.source.file];
    const bool stored = line.source.line == 3 || line.source.line == 4;
    if (name.ends_with("m.c") && stored)
      stores[line.source.line - 3] += line.counts[static_cast<std::size_t>(decode::Category::kMem)];
  }
  EXPECT_EQ(sum, file->code->total().Instructions());
  // A volatile store on each of the lines, twice. Loads are unsuitable: clang may fold one into an
  // operand, or attribute it to the line of the previous instruction.
  EXPECT_EQ(stores[0], 2U);
  EXPECT_EQ(stores[1], 2U);

  ASSERT_EQ(mix.inlined.size(), 1U);
  EXPECT_EQ(file->sources->functions()[mix.inlined[0].function].name, "twice");
  EXPECT_EQ(mix.inlined[0].times, 2U);
  EXPECT_EQ(mix.inlined[0].callers, 1U);
  EXPECT_GE(Sum(mix.inlined[0].counts), 4U);
}

INSTANTIATE_TEST_SUITE_P(Compilers, BySource,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values("gcc", "clang-19")));

// XRay's sleds are placeholders for calls.
class FindInterfaceUsesOf : public ::testing::TestWithParam<decode::Architecture> {};

TEST_P(FindInterfaceUsesOf, SledsOfXrayAreCounted) {
  BuildDirectory directory;
  directory.Write("m.c",
                  "int f(int x) { return x * 3; }\n"
                  "int main(int c, char** v) { (void)v; return f(c); }\n");
  // XRay's runtime exists for this machine at most, and the test does not read it.
  if (!directory.Runs(
          CommandFor(GetParam(),
                     "clang-19 -O1 -fxray-instrument -fxray-instruction-threshold=1 "
                     "-fno-inline -fno-xray-link-deps -Wl,--unresolved-symbols=ignore-all "
                     "m.c -o m")))
    GTEST_SKIP() << "clang cannot build for XRay here";
  const auto file = ReadFileMix(directory / "m", false, NoProgress);
  ASSERT_TRUE(file);
  const auto uses = FindInterfaceUses(*file->code, *MeasurementInterface::Make(""));
  const auto main = FindRoot(*file, "main");
  ASSERT_TRUE(main);
  EXPECT_EQ(uses.sleds[*main], 2U);  // at the start and at the end
}

INSTANTIATE_TEST_SUITE_P(Machines, FindInterfaceUsesOf, ::testing::ValuesIn(kArchitectures));

}  // namespace
}  // namespace tare::mix
