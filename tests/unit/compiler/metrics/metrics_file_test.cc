// metrics_file_test.cc: tests the TOML metrics file, and the positions of its errors.
#include "compiler/metrics/metrics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/private_directory.h"
#include "report/json.h"

namespace tare::metrics {
namespace {

using format::MetricEvent;
using format::NameMatch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Result<MetricsFile> Parse(std::string_view text) { return ParseMetrics(text, "m.toml"); }

std::string ErrorOf(std::string_view text) {
  const auto file = Parse(text);
  return file ? "no error" : file.error().message;
}

TEST(MetricsFile, AnEmptyFileCountsNothing) {
  const auto file = Parse("");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->plan.metrics.empty());
  EXPECT_FALSE(file->plan.functions);
  EXPECT_FALSE(file->plan.blocks);
  EXPECT_TRUE(file->plan.names);
}

TEST(MetricsFile, EachKindOfEventIsRead) {
  const auto file = Parse(R"toml(
programs = ["bzip2"]
blocks = true
stream = true
atomic = true
names = false
[[metric]]
name = "blocks compressed"
call = "BZ2_compressBlock"
file = "*/compress.c"
in = "libbz2.so*"
[[metric]]
virtual = { regex = "Shape::(area|edge)" }
[[metric]]
update = { glob = "EState::n*" }
[[metric]]
line = "compress.c:120"
[[metric]]
loop = "src/compress.c:7"
[[metric]]
block = "a:b::c:0"
)toml");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->programs, ElementsAre("bzip2"));
  EXPECT_TRUE(file->plan.blocks && file->plan.atomic);
  EXPECT_EQ(file->plan.stream, format::StreamContent::kAddresses);
  EXPECT_FALSE(file->plan.names);
  const auto& metrics = file->plan.metrics;
  ASSERT_EQ(metrics.size(), 6u);
  EXPECT_EQ(metrics[0].name, "blocks compressed");
  EXPECT_EQ(metrics[0].event, MetricEvent::kCall);
  EXPECT_EQ(metrics[0].match, NameMatch::kExact);
  EXPECT_EQ(metrics[0].what, "BZ2_compressBlock");
  EXPECT_EQ(metrics[0].file, "*/compress.c");
  EXPECT_EQ(metrics[1].event, MetricEvent::kVirtual);
  EXPECT_EQ(metrics[1].match, NameMatch::kRegex);
  EXPECT_EQ(metrics[1].name, "virtual calls of Shape::(area|edge)");
  EXPECT_EQ(metrics[2].event, MetricEvent::kUpdate);
  EXPECT_EQ(metrics[2].match, NameMatch::kGlob);
  EXPECT_EQ(metrics[3].event, MetricEvent::kLine);
  EXPECT_EQ(metrics[4].event, MetricEvent::kLoop);
  EXPECT_EQ(metrics[5].event, MetricEvent::kBlock);
  ASSERT_EQ(file->places.size(), 6u);
  EXPECT_EQ(file->places[0].line, 9u);
  EXPECT_EQ(file->places[0].column, 8u);
  EXPECT_THAT(file->places[0].in, ElementsAre("libbz2.so*"));
}

TEST(MetricsFile, NamesEventsOfProcessorAndKernel) {
  const auto file = Parse("events = [\"l1d-misses\", \"page-faults\"]\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->events, ElementsAre("l1d-misses", "page-faults"));
  EXPECT_THAT(ErrorOf("events = 7\n"), StartsWith("m.toml:1:"));
}

TEST(MetricsFile, OnlySomeOfTheMetricsMayBeTaken) {
  const auto file = Parse(R"toml(
programs = ["bzip2"]
blocks = true
[[metric]]
call = "malloc"
[[metric]]
name = "frees"
call = "free"
[[metric]]
name = "copies"
call = "memcpy"
[functions]
)toml");
  ASSERT_TRUE(file) << file.error().message;
  const std::vector<std::string> names = {"copies", "calls of malloc"};
  const auto only = Only(*file, names);
  ASSERT_TRUE(only) << only.error().message;
  ASSERT_EQ(only->plan.metrics.size(), 2U);
  EXPECT_EQ(only->plan.metrics[0].what, "malloc");
  EXPECT_EQ(only->plan.metrics[1].what, "memcpy");
  EXPECT_EQ(only->places[1].line, file->places[2].line);
  EXPECT_THAT(only->programs, ElementsAre("bzip2"));
  EXPECT_FALSE(only->plan.blocks);
  EXPECT_FALSE(only->plan.functions);
  const std::vector<std::string> wrong = {"copie"};
  EXPECT_EQ(Only(*file, wrong).error().message, "m.toml has no metric copie; did you mean copies?");
}

TEST(MetricsFile, ValuesOfArgumentsAndResults) {
  const auto file = Parse(R"(
[[metric]]
call = "malloc"
value = { argument = 1, of = ["sum", "maximum", "histogram"] }
[[metric]]
call = "read"
value = { return = true, of = "minimum", signed = true }
)");
  ASSERT_TRUE(file) << file.error().message;
  const auto& value = *file->plan.metrics[0].value;
  EXPECT_EQ(value.argument, 1);
  EXPECT_TRUE(value.sum && value.maximum && value.histogram);
  EXPECT_FALSE(value.minimum || value.is_signed);
  const auto& result = *file->plan.metrics[1].value;
  EXPECT_EQ(result.argument, format::ValueOf::kReturn);
  EXPECT_TRUE(result.minimum && result.is_signed);
}

TEST(MetricsFile, FunctionsAreSelected) {
  const auto file = Parse(R"(
[functions]
names = ["a*", "b"]
not_names = "c"
files = ["x.c"]
not_files = ["*.h"]
min_instructions = 20
skip_inline = true
)");
  ASSERT_TRUE(file) << file.error().message;
  const auto& functions = *file->plan.functions;
  EXPECT_THAT(functions.names, ElementsAre("a*", "b"));
  EXPECT_THAT(functions.not_names, ElementsAre("c"));
  EXPECT_THAT(functions.files, ElementsAre("x.c"));
  EXPECT_THAT(functions.not_files, ElementsAre("*.h"));
  EXPECT_EQ(functions.min_instructions, 20u);
  EXPECT_TRUE(functions.skip_inline);
}

TEST(MetricsFile, AnEmptyTableOfFunctionsMeansAll) {
  const auto file = Parse("[functions]\n");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->plan.functions.has_value());
}

TEST(MetricsFile, StringsAndCommentsMayHoldAnyLetters) {
  const auto file = Parse(
      "# n\u00e4me's \n[[metric]]\nname = \"B\u00e4ume # ' \U0001f600\" # \u00fc\n"
      "call = \"\\\"\u00e4#\"\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->plan.metrics[0].name, "B\u00e4ume # ' \U0001f600");
  EXPECT_EQ(file->plan.metrics[0].what, "\"\u00e4#");
  EXPECT_EQ(file->places[0].line, 4u);
}

struct Mistake {
  std::string_view text;
  std::string_view error;
};

TEST(MetricsFile, EveryMistakeIsNamedWithItsPlace) {
  constexpr Mistake kMistakes[] = {
      {"blocks = yes", "m.toml:1:"},
      {"[[#metric]]", "m.toml:1:3: "},
      {"[=]", "m.toml:1:2: "},
      {"blocks = true\nn\u00e4me = 1", "m.toml:2:2: non-ASCII characters"},
      {"programs = 'n\u00e4me'", "m.toml:1:12: non-ASCII characters need a string in double"},
      {"programs = \"\xff\"", "m.toml:1:12: the string is not UTF-8"},
      {"programs = \"\"\"a\"\"\"", "m.toml:1:12: multi-line strings"},
      {"block = true", "m.toml:1:1: unknown key block; did you mean blocks?"},
      {"blocks = 1", "m.toml:1:10: blocks must be true or false, not a whole number"},
      {"programs = [1]", "m.toml:1:13: programs must be text, not a whole number"},
      {"programs = 3", "m.toml:1:12: programs must be text or a list of texts"},
      {"version = 2", "m.toml:1:11: this file has version 2; this tare reads version 1"},
      {"[metric]\ncall = 'f'",
       "m.toml:1:1: each metric must be a table, written as [[metric]] with two"},
      {"metric = [3]", "m.toml:1:11: each metric must be a table, written as [[metric]]"},
      {"[[metric]]\ncal = 'f'", "m.toml:2:1: unknown key cal; did you mean call?"},
      {"[[metric]]\nname = 'f'", "m.toml:1:1: a metric needs one of call, virtual"},
      {"[[metric]]\ncall = 'f'\nloop = 'a:1'",
       "m.toml:3:8: a metric has one event, but this one has call and loop"},
      {"[[metric]]\ncall = ''", "m.toml:2:8: call is empty"},
      {"[[metric]]\ncall = \"a\\tb\"", "m.toml:2:8: call contains a control character"},
      {"[[metric]]\ncall = { globe = 'x' }", "m.toml:2:10: unknown key globe; did you mean glob?"},
      {"[[metric]]\ncall = { }", "m.toml:2:8: needs either glob or regex"},
      {"[[metric]]\ncall = { regex = '(' }",
       "m.toml:2:18: is not a POSIX extended regular expression"},
      {"[[metric]]\nline = 'a.c'", "m.toml:2:8: line must be \"FILE:LINE\""},
      {"[[metric]]\nline = 'a.c:0'", "m.toml:2:8: line must be \"FILE:LINE\""},
      {"[[metric]]\nloop = { glob = 'a.c:*' }", "m.toml:2:8: loop takes no patterns"},
      {"[[metric]]\nblock = ':3'", "m.toml:2:9: block must be \"FUNCTION:NUMBER\""},
      {"[[metric]]\nupdate = 'v'\nvalue = { argument = 1, of = 'sum' }",
       "m.toml:3:9: only calls have a value, not update"},
      {"[[metric]]\ncall = 'f'\nvalue = { of = 'sum' }",
       "m.toml:3:9: value needs either argument = NUMBER or return = true"},
      {"[[metric]]\ncall = 'f'\nvalue = { argument = 0, of = 'sum' }",
       "m.toml:3:22: argument must be 1 or more"},
      {"[[metric]]\ncall = 'f'\nvalue = { argument = 1 }", "m.toml:3:9: value needs 'of'"},
      {"[[metric]]\ncall = 'f'\nvalue = { argument = 1, of = 'sums' }",
       "m.toml:3:30: sums is not one of sum, minimum, maximum, histogram; did you mean sum?"},
      {"[[metric]]\ncall = 'f'\n[[metric]]\nname = 'calls of f'\ncall = 'g'",
       "m.toml:4:8: another metric is also named calls of f"},
      {"[functions]\nmin_instruction = 3",
       "m.toml:2:1: unknown key min_instruction; did you mean min_instructions?"},
      {"[functions]\nmin_instructions = -1", "m.toml:2:20: min_instructions must be 0 or more"},
      {"[functions]\nmax_calls = 5", "m.toml:2:13: max_calls needs a profile"},
      {"[functions]\nprofile = 'none.json'", "m.toml:2:11: cannot read none.json"},
      {"functions = 3", "m.toml:1:13: functions must be a table, not a whole number"},
  };
  for (const Mistake& mistake : kMistakes) {
    EXPECT_THAT(ErrorOf(mistake.text), StartsWith(std::string(mistake.error))) << mistake.text;
  }
}

TEST(MetricsFile, AMissingFileIsNamed) {
  const auto file = ReadMetrics("no-such-directory/m.toml");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("no-such-directory/m.toml"));
}

TEST(MetricsFile, AProfileIsSearchedNextToTheFile) {
  const auto directory = PrivateDirectory::MakeOnDisk();
  ASSERT_TRUE(directory);
  report::Document document;
  document.command = "count";
  document.blocks.push_back(report::Table{
      "blocks",
      "",
      {{"object"}, {"function"}, {"offset"}, {"instructions"}, {"executions"}},
      {{std::string("p"), std::string("small"), std::string("0x10"), Exact(4), Exact(5000)}}});
  ASSERT_TRUE(WriteFileAtomically(directory->path() / "counts.json", report::ToJson(document)));
  const auto path = directory->path() / "m.toml";
  ASSERT_TRUE(WriteFileAtomically(path, "[functions]\nprofile = 'counts.json'\n"));
  const auto file = ReadMetrics(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->plan.functions->too_often, ElementsAre("small"));
  ASSERT_TRUE(WriteFileAtomically(directory->path() / "counts.json", "{}"));
  EXPECT_THAT(ReadMetrics(path).error().message, HasSubstr("is not a profile"));
}

}  // namespace
}  // namespace tare::metrics
