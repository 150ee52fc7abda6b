// study_variants_test.cc: variants of programs, their builds, and analyses of rows in study files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/study/variant_builds.h"
#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Program(const std::string& keys, const std::string& rest = "") {
  return "format = 1\n[[program]]\nname = \"p\"\n" + keys + "\n" + rest;
}

std::string Analysis(const std::string& keys) {
  return "format = 1\n[[program]]\nname = \"a\"\ncommand = \"true {n}\"\n"
         "[parameters]\nn = [1, 2]\n[[analysis]]\n" +
         keys;
}

TEST(StudyVariants, AreAFactorInTheOrderOfTheFile) {
  const Study study = Parsed(
      Program("command = \"./p-{variant} {flags}\"\nbuild = \"make p-{variant} CFLAGS='{flags}'\"\n"
              "variants = {plain = [], fast = \"-O3 -g\"}"));
  const StudyCases cases = CasesOf(study);
  ASSERT_EQ(cases.cases.size(), 2u);
  EXPECT_EQ(cases.factors[3], "variant");
  EXPECT_EQ(cases.cases[0].levels[3], "plain");
  EXPECT_EQ(cases.cases[0].build, "make p-plain CFLAGS=''");
  EXPECT_EQ(cases.cases[1].build, "make p-fast CFLAGS='-O3 -g'");
  EXPECT_THAT(cases.cases[1].words, ElementsAre("/tmp/p-fast", "-O3 -g"));
}

TEST(StudyVariants, AnotherBuildIsAnotherCase) {
  const auto key = [](const std::string& build) {
    return CasesOf(Parsed(Program("command = \"./p-{variant}\"\nvariants = \"a\"\n" + build)))
        .cases.front()
        .key;
  };
  EXPECT_NE(key("build = \"cc -O2\""), key("build = \"cc -O3\""));
  EXPECT_NE(key("build = \"cc -O2\""), key(""));
}

TEST(StudyVariants, RefusesWhatWouldBuildOneFileTwice) {
  EXPECT_THAT(ErrorOf(Program("command = \"./p\"\nvariants = [\"a\", \"b\"]")),
              HasSubstr("program p has variants, but its command does not name {variant}"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p\"\nbuild = \"cc {n}\"", "[parameters]\nn = [1]")),
              HasSubstr("'build' names {n}, but the command does not"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p {flags}\"")), HasSubstr("nothing replaces {flags}"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p-{variant}\"\nvariants = [\"a\", \"a\"]")),
              HasSubstr("variants has 'a' twice"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p-{variant}\"\nvariants = []")),
              HasSubstr("variants is empty"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p-{variant}\"\nvariants = \"a b\"")),
              HasSubstr("'a b' is not a name"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p\"\nvariant = \"a\"")),
              HasSubstr("unknown key variant; did you mean variants?"));
}

TEST(StudyVariants, AProgramMayHaveSomeValuesOfAParameterOnly) {
  const StudyCases cases = CasesOf(
      Parsed(Program("command = \"./p {n}\"\nparameters = {n = 2}", "[parameters]\nn = [1, 2]")));
  ASSERT_EQ(cases.cases.size(), 1u);
  EXPECT_EQ(cases.cases[0].words[1], "2");
  EXPECT_THAT(
      ErrorOf(Program("command = \"./p {n}\"\nparameters = {n = 3}", "[parameters]\nn = [1, 2]")),
      HasSubstr("n has no level '3'"));
  EXPECT_THAT(ErrorOf(Program("command = \"./p {size}\"\nparameters = {sise = 3}",
                              "[parameters]\nsize = [1, 2]")),
              HasSubstr("[parameters] has no 'sise'; did you mean size?"));
  EXPECT_THAT(
      ErrorOf(Program("command = \"./p\"\nparameters = {n = 2}",
                      "[parameters]\nn = [1, 2]\n[[program]]\nname = \"q\"\ncommand = \"q {n}\"")),
      HasSubstr("has its own values of 'n', but does not name {n}"));
}

TEST(BuildPrograms, BuildsOnceAndAgainWhenTheProgramIsGoneOrTheCommandChanged) {
  const ScratchDirectory scratch;
  const auto build = [&](const std::string& text) {
    const Study study =
        Parsed(Program("command = \"./p-{variant}\"\nvariants = [\"a\", \"b\"]\nbuild = \"" + text +
                       "; echo {variant} >> log; touch p-{variant}\""),
               scratch.Path());
    return BuildPrograms(study, CasesOf(study), scratch.Path() / "results", "/usr/bin/tare", {},
                         NoProgress);
  };
  const auto log = [&] {
    std::ifstream file(scratch.Path() / "log");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  ASSERT_TRUE(build("true").has_value());
  ASSERT_TRUE(build("true").has_value());
  EXPECT_EQ(log(), "a\nb\n");
  std::filesystem::remove(scratch.Path() / "p-b");
  ASSERT_TRUE(build("true").has_value());
  EXPECT_EQ(log(), "a\nb\nb\n");
  ASSERT_TRUE(build(":").has_value());
  EXPECT_EQ(log(), "a\nb\nb\na\nb\n");
  // What was built first is not there any more.
  ASSERT_TRUE(build("true").has_value());
  EXPECT_EQ(log(), "a\nb\nb\na\nb\na\nb\n");
  const auto failed = build("echo no compiler >&2; exit 3");
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("build of program p"));
  EXPECT_THAT(failed.error().message, HasSubstr("exits with status 3: no compiler"));
}

TEST(StudyFile, ExpressionsNameMetricsThatExist) {
  const auto metric = [](const std::string& keys) {
    return "format = 1\n[[program]]\nname = \"a\"\ncommand = \"true\"\n[[metric]]\n" + keys;
  };
  const Study study =
      Parsed(metric("name = \"cpu\"\nexpression = \"user + sys\"\n[[metric]]\nname = \"share\"\n"
                    "expression = \"cpu / wall\"\n[[analysis]]\nkind = \"groups\"\n"
                    "metric = \"share\"\n"));
  EXPECT_THAT(study.output_metrics[1].expression->Names(), ElementsAre("cpu", "wall"));
  EXPECT_THAT(ErrorOf(metric("name = \"x\"\nexpression = \"usr + sys\"")),
              HasSubstr("gives the metric 'usr'; did you mean user?"));
  EXPECT_THAT(ErrorOf(metric("name = \"x\"\nexpression = \"user +\"")),
              HasSubstr("expected a name, a number or ( at the end of the expression"));
  EXPECT_THAT(ErrorOf(metric("name = \"x\"\nexpression = \"x + user\"")),
              HasSubstr("gives the metric 'x'"));
  EXPECT_THAT(ErrorOf(metric("name = \"wall\"\nexpression = \"user\"")),
              HasSubstr("there is already a metric 'wall'"));
  EXPECT_THAT(ErrorOf(metric("name = \"x\"\nexpression = \"user\"\nprogram = \"a\"")),
              HasSubstr("program does not go with an expression"));
  EXPECT_THAT(ErrorOf(metric("name = \"x\"\nexpression = \"user\"\njson = \"/a\"")),
              HasSubstr("needs one of 'pattern', 'json', 'table' and 'expression'"));
}

TEST(StudyFile, RowsOfMetricsMayDependOnTheCase) {
  const std::string head =
      "format = 1\n[[program]]\nname = \"a\"\ncommand = \"true {engines}\"\n[parameters]\n"
      "engines = [\"qemu\", \"step\"]\n[[metric]]\nname = \"m\"\ntable = \"t\"\ncolumn = \"c\"\n";
  const Study study = Parsed(head + "where = {e = \"by {engines}\"}\n");
  const StudyCases cases = CasesOf(study);
  EXPECT_EQ(WithLevels(study.output_metrics[0].where_text, cases, cases.cases[1]), "by step");
  EXPECT_THAT(ErrorOf(head + "where = {e = \"{engnes}\"}\n"),
              HasSubstr("metric m: nothing replaces {engnes}; did you mean engines?"));
}

TEST(StudyFile, AMetricThatIsComputedCannotDecidePrecision) {
  EXPECT_THAT(ErrorOf("format = 1\n[[program]]\nname = \"a\"\ncommand = \"true\"\n[precision]\n"
                      "width = \"2%\"\nmetric = \"cpu\"\n[[metric]]\nname = \"cpu\"\n"
                      "expression = \"user + sys\"\n"),
              HasSubstr("gives the metric 'cpu'"));
}

TEST(StudyFile, ReadsAnalysesOfRows) {
  const Study study = Parsed(
      Analysis("kind = \"tables\"\nfile = \"d.json\"\ntable = \"ratios\"\ncolumn = \"ratio\"\n"
               "across = \"metric\"\nwhere = {metric = [\"loads\", \"stores\"]}\n"
               "derive = {change = \"ratio - 1\"}\nby = \"program\""));
  const AnalysisRequest& request = study.analyses.front();
  EXPECT_EQ(request.kind, AnalysisRequest::Kind::kTables);
  EXPECT_EQ(request.rows.file, "d.json");
  EXPECT_EQ(request.across, "metric");
  EXPECT_THAT(request.rows.where.at("metric"), ElementsAre("loads", "stores"));
  EXPECT_EQ(request.rows.derived.front().name, "change");
}

TEST(StudyFile, RefusesAnalysesOfRowsThatCannotBe) {
  EXPECT_THAT(ErrorOf(Analysis("kind = \"tables\"\ncolumn = \"wal\"")),
              HasSubstr("gives the metric 'wal'; did you mean wall?"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"tables\"\nfile = \"d\"")), HasSubstr("go together"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"tables\"\nfile = \"../d\"\ntable = \"t\"")),
              HasSubstr("file must be a path below {files}"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"tables\"\nfile = \"d\"\ntable = \"t\"\nacross = \"m\"")),
              HasSubstr("give one 'column'"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"tables\"\nfile = \"d\"\ntable = \"t\"\ncolums = \"m\"")),
              HasSubstr("unknown key colums; did you mean column?"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"summary\"")),
              HasSubstr("needs 'column', 'count' or both"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"fit\"\ny = \"wall\"")), HasSubstr("'x' is missing"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"fit\"\nx = \"n\"\ny = \"wal\"")),
              HasSubstr("gives the metric 'wal'; did you mean wall?"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"fit\"\nx = \"n\"\ny = \"z\"\nderive = {z = \"wall /\"}")),
              HasSubstr("expected a name, a number or ("));
  EXPECT_EQ(ErrorOf(Analysis("kind = \"fit\"\nx = \"n\"\ny = \"z\"\nderive = {z = \"wall * n\"}")),
            "");
  EXPECT_EQ(ErrorOf(Analysis("kind = \"fit\"\nx = \"n\"\ny = \"wall\"\nleave_out = \"n\"")), "");
  EXPECT_THAT(ErrorOf(Analysis("kind = \"fit\"\nx = \"n\"\ny = \"wall\"\nleave_out = \"m\"")),
              HasSubstr("'m'"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"tables\"\nrelative = {a = \"b\"}")),
              HasSubstr("columns that 'across' makes"));
}

TEST(StudyFile, DeviationsNeedTwoLevelsThatAreAveraged) {
  EXPECT_EQ(ErrorOf(Analysis("kind = \"deviations\"\nof = \"n\"\nmetric = \"wall\"")), "");
  EXPECT_THAT(ErrorOf(Analysis("kind = \"deviations\"")), HasSubstr("'of' is missing"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"deviations\"\nof = \"program\"")),
              HasSubstr("program has only one level"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"deviations\"\nof = \"n\"\nexclude = 1")),
              HasSubstr("exclude leaves fewer than two levels"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"deviations\"\nof = \"n\"\nexclude = 3")),
              HasSubstr("n has no level '3'"));
  EXPECT_THAT(ErrorOf(Analysis("kind = \"deviation\"\nof = \"n\"")),
              HasSubstr("did you mean deviations?"));
}

}  // namespace
}  // namespace tare::study
