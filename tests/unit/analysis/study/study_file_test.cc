// study_file_test.cc: study files, good and bad.
#include "analysis/study/study_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

using testing::HasSubstr;

constexpr std::string_view kHead = "format = 1\n";
constexpr std::string_view kTrue = "[[program]]\nname = \"a\"\ncommand = \"true\"\n";
constexpr std::string_view kTwo =
    "[[program]]\nname = \"a\"\ncommand = \"true {size} {level}\"\n"
    "[parameters]\nsize = [1, 2]\nlevel = [3, 4]\n";

std::string With(std::string_view top, std::string_view rest = kTrue) {
  return std::string(kHead) + std::string(top) + "\n" + std::string(rest);
}

TEST(StudyFile, ReadsEverything) {
  const Study study = Parsed(R"toml(
format = 1
name = "n"
seed = 5
engines = ["time", "valgrind"]
runs = 12
warmup = 1
timeout = "2s"
budget = "1min"
max_failures = 4
[precision]
width = "2%"
max_runs = 40
[[program]]
name = "gzip"
command = "gzip -{level} -c"
stdin = "{input}"
exit_status = [0, 2]
environment = {A = "1"}
[[input]]
name = "words"
file = "words.txt"
[parameters]
level = [1, 6]
[settings]
layouts = 4
core = 0
[environment]
OMP_NUM_THREADS = [1, 2]
[engine.valgrind]
runs = 1
[[exclude]]
level = 6
OMP_NUM_THREADS = 2
[[metric]]
name = "size"
pattern = "size: ([0-9]+)"
[[analysis]]
kind = "compare"
of = "level"
baseline = 1
detect = "2%"
[executor]
kind = "slurm"
nodes = ["n1", "n2"]
time_limit = "90s"
)toml");
  EXPECT_EQ(study.seed, 5u);
  ASSERT_EQ(study.engines.size(), 2u);
  EXPECT_EQ(study.engines[0].runs, 12u);
  EXPECT_EQ(study.engines[1].runs, 1u);
  EXPECT_DOUBLE_EQ(*study.budget_seconds, 60);
  EXPECT_DOUBLE_EQ(study.precision->relative_width, 0.02);
  EXPECT_EQ(study.inputs[0].text, "/tmp/words.txt");
  EXPECT_EQ(study.programs[0].exit_statuses, (std::set<int>{0, 2}));
  EXPECT_EQ(study.layouts, 4u);
  ASSERT_EQ(study.analyses.size(), 1u);
  EXPECT_EQ(study.analyses[0].baseline, "1");
  EXPECT_EQ(study.executor.kind, ExecutorPlan::Kind::kSlurm);
  EXPECT_TRUE(study.executor.exclusive);
  EXPECT_DOUBLE_EQ(*study.executor.time_limit_seconds, 90);
}

TEST(StudyFile, NamesTheNearestKeyAndTheLine) {
  EXPECT_EQ(ErrorOf(With("rusn = 3")), "study.toml:2:1: unknown key rusn; did you mean runs?");
  EXPECT_THAT(ErrorOf(With("repetitions = 3")),
              testing::StartsWith("study.toml:2:1: unknown key repetitions; the keys here are "));
  EXPECT_THAT(ErrorOf(With("engines = [\"valgrnd\"]")), HasSubstr("did you mean valgrind?"));
  EXPECT_THAT(ErrorOf(With("", "[[program]]\nname = \"a\"\ncomand = \"true\"\n")),
              HasSubstr("did you mean command?"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[settings]\nlayout = 3\n")),
              HasSubstr("did you mean layouts?"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[analysis]]\nkind = \"comparr\"\n")),
              HasSubstr("did you mean compare?"));
}

TEST(StudyFile, RefusesAnotherFormatAndNamesBoth) {
  EXPECT_EQ(ErrorOf("format = 9\n" + std::string(kTrue)),
            "study.toml:1:10: this file has format 9, this tare reads format 1");
  EXPECT_THAT(ErrorOf(kTrue), HasSubstr("'format = 1' is missing"));
}

TEST(StudyFile, RefusesWhatCannotBe) {
  EXPECT_THAT(ErrorOf(With("runs = 0")), HasSubstr("runs must be 1 or more"));
  EXPECT_THAT(ErrorOf(With("timeout = \"5\"")), HasSubstr("timeout"));
  EXPECT_THAT(ErrorOf(With("confidence = 1.5")), HasSubstr("between 0 and 1"));
  EXPECT_THAT(ErrorOf(With("", "")), HasSubstr("there is no [[program]]"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + std::string(kTrue))),
              HasSubstr("two programs have the name 'a'"));
  EXPECT_THAT(ErrorOf(With("runs = 50", std::string(kTrue) + "[precision]\nwidth = \"2%\"\n"
                                                             "max_runs = 10\n")),
              HasSubstr("max_runs must be at least as large as runs"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[parameters]\nlevel = [1, 1]\n")),
              HasSubstr("level has '1' twice"));
  EXPECT_EQ(ErrorOf(With("engines = [\"time\", \"time\"]")),
            "study.toml:2:11: engines has 'time' twice");
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[executor]\nkind = \"slurm\"\n"
                                                    "nodes = [\"n1\", \"n2\", \"n1\"]\n")),
              HasSubstr("nodes has 'n1' twice"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[parameters]\nprogram = [1]\n")),
              HasSubstr("already used"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[settings]\nstack_offset = [3]\n")),
              HasSubstr("16"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[metric]]\nname = \"m\"\n"
                                                    "pattern = \"(\"\n")),
              HasSubstr("not a regular expression"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[executor]\nbatch = 3\n")),
              HasSubstr("needs kind = \"slurm\""));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[executor]\nruns_at_once = 2\n")),
              HasSubstr("more than one run at once needs exclusive = false"));
  EXPECT_THAT(
      ErrorOf(With("", std::string(kTrue) + "[executor]\nkind = \"slurm\"\nruns_at_once = 1\n")),
      HasSubstr("needs kind = \"local\""));
}

TEST(StudyFile, ExactCountsAreTakenAtOnce) {
  const std::string counted = "engines = [\"valgrind\", \"qemu\"]";
  const std::string prepared =
      "[[program]]\nname = \"a\"\ncommand = \"true\"\nprepare = \"sync\"\n";
  const auto at_once = [](const std::string& text) {
    return Parsed("format = 1\n" + text).executor.runs_at_once;
  };
  EXPECT_EQ(at_once(counted + "\n" + std::string(kTrue)),
            std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_EQ(at_once(counted + "\n" + prepared), 1);
  EXPECT_EQ(at_once("engines = [\"valgrind\", \"time\"]\n" + std::string(kTrue)), 1);
  EXPECT_EQ(at_once(std::string(kTrue) + "[executor]\nexclusive = false\nruns_at_once = 5\n"), 5);
}

TEST(StudyFile, RefusesCombinationsThatDoNotExist) {
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[parameters]\nlevel = [1]\n")),
              HasSubstr("no program names the parameter 'level'"));
  EXPECT_THAT(ErrorOf(With("",
                           "[[program]]\nname = \"a\"\ncommand = \"echo {leve}\"\n"
                           "[parameters]\nlevel = [1]\n")),
              HasSubstr("did you mean level?"));
  EXPECT_THAT(ErrorOf(With("", "[[program]]\nname = \"a\"\ncommand = \"cat {input}\"\n")),
              HasSubstr("there is no [[input]]"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[exclude]]\nprogram = \"b\"\n")),
              HasSubstr("program has no level 'b'"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[exclude]]\nprogram = \"a\"\n")),
              HasSubstr("leaves out every combination"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[analysis]]\nkind = \"compare\"\n"
                                                    "of = \"program\"\n")),
              HasSubstr("has only one level"));
}

TEST(StudyFile, RefusesMetricsThatNoEngineGives) {
  EXPECT_EQ(ErrorOf(With("metrics = [\"wall\", \"usr\"]")),
            "study.toml:2:11: no engine of this study gives the metric 'usr'; did you mean user?");
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[precision]\nwidth = \"2%\"\n"
                                                    "metric = \"wal\"\n")),
              HasSubstr("study.toml:8:10: no engine of this study gives the metric 'wal'; did you "
                        "mean wall?"));
  EXPECT_THAT(ErrorOf(With("engines = [\"valgrind\"]",
                           std::string(kTrue) + "[precision]\nwidth = \"2%\"\n")),
              HasSubstr("[precision] needs the engine time"));
  const std::string group = "[[analysis]]\nkind = \"groups\"\nmetric = \"instructions\"\n";
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + group)),
              HasSubstr("no engine of this study gives the metric 'instructions'; there are"));
  EXPECT_EQ(ErrorOf(With("engines = [\"time\", \"qemu\"]", std::string(kTrue) + group)), "");
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[analysis]]\nkind = \"predict\"\n"
                                                    "predicted = \"tim\"\nmeasured = \"wall\"\n"
                                                    "[[metric]]\nname = \"time\"\n"
                                                    "pattern = \"(x)\"\n")),
              HasSubstr("did you mean time?"));
}

TEST(StudyFile, RefusesSettingsThatExcludeEachOther) {
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[settings]\nlayouts = 2\naslr = true\n")),
              HasSubstr("study.toml:8:8: layouts fixes all addresses"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[[analysis]]\nkind = \"machines\"\n")),
              HasSubstr("machines compares nodes"));
  EXPECT_THAT(ErrorOf(With("", std::string(kTrue) + "[executor]\nkind = \"slurm\"\n"
                                                    "time_limit = \"10s\"\n")),
              HasSubstr("time_limit must be 1min or more"));
}

TEST(StudyFile, RefusesLinesThatDeviationsCannotShow) {
  const auto deviations = [](const std::string& keys) {
    return ErrorOf(With("", std::string(kTwo) +
                                "[[analysis]]\nkind = \"deviations\"\n"
                                "of = \"size\"\n" +
                                keys));
  };
  EXPECT_THAT(deviations("lines = \"size\"\n"),
              HasSubstr("lines must be another factor than 'of'"));
  EXPECT_THAT(deviations("by = \"program\"\nlines = \"level\"\n"),
              HasSubstr("study.toml:13:9: lines must be one of the factors of 'by'"));
  EXPECT_EQ(deviations("by = [\"program\", \"level\"]\nlines = \"level\"\n"), "");
  EXPECT_EQ(deviations("lines = \"level\"\n"), "");
}

TEST(StudyFile, RefusesMarksThatNoNumberCanHold) {
  const auto marks = [](const std::string& list) {
    return ErrorOf(With("", std::string(kTwo) +
                                "[[analysis]]\nkind = \"plot\"\ny = \"wall\"\n"
                                "marks = " +
                                list + "\n"));
  };
  EXPECT_EQ(marks("[1, 2.5, \"-3e2\"]"), "");
  for (const char* const list : {"[\"1e999\"]", "[\"\"]", "[inf]", "[\"2x\"]"}) {
    EXPECT_THAT(marks(list), HasSubstr("study.toml:12:")) << list;
  }
}

TEST(StudyFile, TheStudiesOfTheSourcesAreSound) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TARE_SOURCE_DIR) / "studies")) {
    if (entry.path().extension() != ".toml") continue;
    const auto study = ReadStudy(entry.path());
    ASSERT_TRUE(study.has_value()) << study.error().message;
    const auto cases = MakeCases(*study, "/usr/bin/tare");
    EXPECT_TRUE(cases.has_value()) << cases.error().message;
    ++files;
  }
  EXPECT_GE(files, 6u);
}

TEST(ParsePercent, TakesPercentagesBetweenTheEnds) {
  EXPECT_DOUBLE_EQ(*ParsePercent("2%"), 0.02);
  EXPECT_DOUBLE_EQ(*ParsePercent("0.5"), 0.005);
  EXPECT_FALSE(ParsePercent("0%"));
  EXPECT_FALSE(ParsePercent("100%"));
  EXPECT_FALSE(ParsePercent("x"));
}

}  // namespace
}  // namespace tare::study
