// command_line_test.cc: tests that arguments become settings, and errors are one-line messages.
#include "cli/command_line.h"

#include <gmock/gmock.h>

#include <array>

namespace tare::cli {
namespace {

struct Options {
  bool loud = false;
  std::optional<std::int64_t> runs;
  std::optional<double> confidence;
  std::string clock;
  std::optional<WrittenDuration> tick;
  std::vector<std::int64_t> counts;
  std::vector<std::string> changes;
  std::string list;
};

constexpr auto kClocks = std::to_array<std::string_view>({"monotonic", "realtime"});
const auto kFlags = std::to_array<Flag<Options>>({
    {{"-l,--loud", "", ""}, &Options::loud},
    {{"--runs", "N", ""}, &Options::runs},
    {{"--confidence", "P", ""}, &Options::confidence},
    {{"--clock", "NAME", "", kClocks}, &Options::clock},
    {{"--tick", "TIME", ""}, &Options::tick},
    {{"--counts", "M N", ""}, &Options::counts},
    {{"--change", "CHANGE...", ""}, &Options::changes},
    {{"--list", "[LIST]", ""}, &Options::list},
});

struct Parsed {
  Result<std::map<std::string, std::string>> settings;
  Options options;
};

Parsed Parse(const std::vector<std::string>& words) {
  const auto options = std::make_shared<Options>();
  auto settings = ParseCommandLine(words, BindFlags<Options>(kFlags, options));
  if (!settings) return {std::unexpected(settings.error()), *options};
  return {std::move(settings->settings), *options};
}

TEST(ParseCommandLine, SetsEveryKindOfOption) {
  const auto [settings, options] = Parse({"-l", "--runs=7", "--confidence", "0.9", "--clock",
                                          "realtime", "--tick", "40us", "--counts", "3", "4"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_TRUE(options.loud);
  EXPECT_EQ(options.runs, 7);
  EXPECT_EQ(options.confidence, 0.9);
  EXPECT_EQ(options.clock, "realtime");
  EXPECT_DOUBLE_EQ(options.tick->seconds, 40e-6);
  EXPECT_THAT(options.counts, testing::ElementsAre(3, 4));
  EXPECT_EQ(settings->at("counts"), "3 4");
  EXPECT_EQ(settings->at("loud"), "on");
}

TEST(ParseCommandLine, AValueInBracketsMayBeLeftOut) {
  EXPECT_EQ(Parse({"--list", "1,2"}).options.list, "1,2");
  EXPECT_EQ(Parse({"--list=3"}).options.list, "3");
  EXPECT_EQ(Parse({}).options.list, "");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--list"}, {"--list", "--loud"}, {"--loud", "--list"}}) {
    const auto [settings, options] = Parse(words);
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(options.list, kWithoutValue);
    EXPECT_EQ(options.loud, words.size() > 1);
  }
}

TEST(ParseCommandLine, CollectsAFlagThatIsGivenSeveralTimes) {
  const auto [settings, options] = Parse({"--change", "a=1 b", "--runs", "2", "--change=c=x2"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(options.changes, testing::ElementsAre("a=1 b", "c=x2"));
  EXPECT_EQ(options.runs, 2);
  EXPECT_FALSE(Parse({"--change"}).settings);
  // The option takes one word each time; the second word is not a change.
  EXPECT_FALSE(Parse({"--change", "a", "b"}).settings);
}

TEST(ParseCommandLine, WhatIsNotGivenStays) {
  const auto [settings, options] = Parse({});
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->empty());
  EXPECT_FALSE(options.runs);
}

TEST(ParseCommandLine, RefusesWhatItCannotRead) {
  const std::vector<std::vector<std::string>> bad = {{"--runs", "many"},
                                                     {"--runs", "7x"},
                                                     {"--runs", "99999999999999999999"},
                                                     {"--runs"},
                                                     {"--confidence", "nan"},
                                                     {"--clock", "sundial"},
                                                     {"--tick", "40"},
                                                     {"--counts", "3"},
                                                     {"--nonsense"},
                                                     {"stray"},
                                                     {"--runs", "1", "--runs", "2"}};
  for (const auto& words : bad) {
    const auto parsed = Parse(words);
    ASSERT_FALSE(parsed.settings) << words.front();
    EXPECT_EQ(parsed.settings.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(parsed.settings.error().message.find('\n'), std::string::npos);
  }
}

TEST(ParseCommandLine, NamesANearOption) {
  EXPECT_THAT(Parse({"--rusn", "3"}).settings.error().message,
              testing::HasSubstr("did you mean --runs?"));
  EXPECT_THAT(Parse({"--clock", "realtme"}).settings.error().message,
              testing::HasSubstr("did you mean realtime?"));
}

TEST(ParseCommandLine, NamesTheMissingValue) {
  EXPECT_EQ(Parse({"--runs"}).settings.error().message, "--runs needs a value: --runs N");
  EXPECT_EQ(Parse({"--counts", "1"}).settings.error().message,
            "--counts needs 2 values: --counts M N");
}

TEST(ParseCommandLine, HostileWordsDoNotReachTheTerminal) {
  for (const char* word : {"--\x1b[2J", "\x1b]0;title\a"}) {
    const auto parsed = Parse({word});
    ASSERT_FALSE(parsed.settings);
    EXPECT_EQ(parsed.settings.error().message.find('\x1b'), std::string::npos);
  }
}

TEST(ParseCommandLine, WordsWithoutAFlagAreOperands) {
  const auto options = std::make_shared<Options>();
  const std::vector<std::string> words = {"first", "--", "--second"};
  const auto given = ParseCommandLine(words, BindFlags<Options>(kFlags, options), 2);
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->operands, (std::vector<std::string>{"first", "--second"}));
}

TEST(ParseCommandLine, TooManyOperandsAreRefused) {
  const auto options = std::make_shared<Options>();
  const std::vector<std::string> words = {"first", "second"};
  const auto given = ParseCommandLine(words, BindFlags<Options>(kFlags, options), 1);
  ASSERT_FALSE(given);
  EXPECT_EQ(given.error().kind, ErrorKind::kUsage);
}

TEST(ParseCommandLine, AnUnknownOptionIsNoOperand) {
  const auto options = std::make_shared<Options>();
  const std::vector<std::string> words = {"--no-such-option"};
  EXPECT_FALSE(ParseCommandLine(words, BindFlags<Options>(kFlags, options), 2));
}

}  // namespace
}  // namespace tare::cli
