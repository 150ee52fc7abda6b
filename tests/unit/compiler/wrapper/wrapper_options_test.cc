// wrapper_options_test.cc: tests the separation of tare-cc's own options from the compiler's.
#include "compiler/wrapper/wrapper_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::wrapper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using OptionWords = std::vector<std::string>;

TEST(WrapperOptions, TheNameSaysTheLanguage) {
  EXPECT_EQ(ParseWrapperOptions("tare-cc", OptionWords{}, {})->compiler, "clang-19");
  EXPECT_EQ(ParseWrapperOptions("tare-c++", OptionWords{}, {})->compiler, "clang++-19");
  EXPECT_TRUE(ParseWrapperOptions("tare-c++", OptionWords{}, {})->cxx);
}

TEST(WrapperOptions, OwnOptionsAreTakenOutWhereverTheyStand) {
  const OptionWords words = {"-c",
                             "--tare-metrics=m.toml",
                             "a.c",
                             "--tare-blocks",
                             "--tare-stream",
                             "--tare-show",
                             "--tare-compiler=my-clang",
                             "-o",
                             "a.o"};
  const auto options = ParseWrapperOptions(
      "tare-cc", words, {.wrapper = {}, .metrics = "other.toml", .clang = "third", .gcc = {}});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->mode, Mode::kClang);
  EXPECT_EQ(options->metrics, "m.toml");
  EXPECT_EQ(options->compiler, "my-clang");
  EXPECT_TRUE(options->blocks && options->show);
  EXPECT_EQ(options->stream, format::StreamContent::kAddresses);
  EXPECT_THAT(options->compiler_arguments, ElementsAre("-c", "a.c", "-o", "a.o"));
}

TEST(WrapperOptions, GccAndListAreModesOnlyAsFirstArgument) {
  EXPECT_EQ(ParseWrapperOptions("tare-cc", OptionWords{"--gcc", "a.c"}, {})->mode, Mode::kGcc);
  EXPECT_EQ(ParseWrapperOptions("tare-c++", OptionWords{"--gcc"}, {})->compiler, "g++");
  EXPECT_EQ(ParseWrapperOptions("tare-cc", OptionWords{"--list", "a.c"}, {})->mode, Mode::kList);
  const auto options = ParseWrapperOptions("tare-cc", OptionWords{"a.c", "--list"}, {});
  EXPECT_EQ(options->mode, Mode::kClang);
  EXPECT_THAT(options->compiler_arguments, ElementsAre("a.c", "--list"));
}

TEST(WrapperOptions, TheEnvironmentSwitchesItOff) {
  const WrapperEnvironment off = {.wrapper = "off", .metrics = {}, .clang = {}, .gcc = {}};
  EXPECT_EQ(ParseWrapperOptions("tare-cc", OptionWords{"a.c"}, off)->mode, Mode::kOff);
  const auto gcc = ParseWrapperOptions("tare-cc", OptionWords{"--gcc", "a.c"}, off);
  EXPECT_EQ(gcc->mode, Mode::kOff);
  EXPECT_EQ(gcc->compiler, "gcc");
  const WrapperEnvironment by_gcc = {.wrapper = "gcc", .metrics = {}, .clang = {}, .gcc = "gcc-11"};
  EXPECT_EQ(ParseWrapperOptions("tare-cc", OptionWords{}, by_gcc)->compiler, "gcc-11");
}

TEST(WrapperOptions, SomeOfTheMetricsByVariableOrByOption) {
  const WrapperEnvironment environment = {
      .wrapper = {}, .metrics = "m", .only = "a b\n\nc\n", .clang = {}, .gcc = {}};
  EXPECT_THAT(ParseWrapperOptions("tare-cc", OptionWords{"a.c"}, environment)->only,
              ElementsAre("a b", "c"));
  const auto options =
      ParseWrapperOptions("tare-cc", OptionWords{"--tare-only=d", "--tare-only=e f"}, environment);
  EXPECT_THAT(options->only, ElementsAre("d", "e f"));
  EXPECT_THAT(options->compiler_arguments, testing::IsEmpty());
}

TEST(WrapperOptions, MistakesAreNamed) {
  const auto error = [](const OptionWords& words, std::string wrapper) {
    return ParseWrapperOptions(
               "tare-cc", words,
               {.wrapper = std::move(wrapper), .metrics = {}, .clang = {}, .gcc = {}})
        .error()
        .message;
  };
  EXPECT_THAT(error({"--tare-metric=x"}, ""), HasSubstr("did you mean --tare-metrics?"));
  EXPECT_THAT(error({"--tare-metrics"}, ""), HasSubstr("--tare-metrics=FILE"));
  EXPECT_THAT(error({"--tare-blocks=1"}, ""), HasSubstr("takes no value"));
  EXPECT_THAT(error({"--tare-stream=x"}, ""), HasSubstr("expected blocks or addresses"));
  EXPECT_THAT(error({"--tare-only"}, ""), HasSubstr("--tare-only=NAME"));
  EXPECT_EQ(error({"--tare-placement=x"}, ""),
            "--tare-placement is x; it must be a number, 0 for none");
  EXPECT_THAT(error({}, "of"), HasSubstr("on, off or gcc"));
}

}  // namespace
}  // namespace tare::wrapper
