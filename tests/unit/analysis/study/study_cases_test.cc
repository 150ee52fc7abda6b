// study_cases_test.cc: which combinations a study has, and what identifies them.
#include "analysis/study/study_cases.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

constexpr std::string_view kTwoPrograms = R"(
format = 1
[[program]]
name = "a"
command = "./a -{level} {input}"
[[program]]
name = "b"
command = ["/bin/b", "x y"]
[[input]]
name = "one"
file = "one.txt"
[[input]]
name = "two"
value = 2
[parameters]
level = [1, 6, 9]
)";

TEST(StudyCases, AParameterMultipliesOnlyProgramsThatNameIt) {
  const StudyCases cases = CasesOf(Parsed(kTwoPrograms));
  EXPECT_EQ(cases.factors, (std::vector<std::string>{"program", "input", "engine", "level"}));
  ASSERT_EQ(cases.cases.size(), 2 * 3 + 1u);
  EXPECT_EQ(cases.cases[0].levels, (std::vector<std::string>{"a", "one", "time", "1"}));
  EXPECT_EQ(cases.cases[0].words, (std::vector<std::string>{"/tmp/a", "-1", "/tmp/one.txt"}));
  EXPECT_EQ(cases.cases[3].words, (std::vector<std::string>{"/tmp/a", "-1", "2"}));
  EXPECT_EQ(cases.cases[6].levels, (std::vector<std::string>{"b", "", "time", ""}));
  EXPECT_EQ(cases.cases[6].words, (std::vector<std::string>{"/bin/b", "x y"}));
}

TEST(StudyCases, AValueMayHaveBraces) {
  const StudyCases cases = CasesOf(Parsed(R"(
format = 1
[[program]]
name = "a"
command = ["/bin/echo", "{x} {{y}} {y {", "{files}"]
[parameters]
x = ["{y}"]
y = ["q"]
)"));
  EXPECT_EQ(cases.cases[0].words,
            (std::vector<std::string>{"/bin/echo", "{y} {q} {y {", "{files}"}));
}

TEST(StudyCases, AProgramMayHaveSomeOfTheEngines) {
  const std::string text = R"(
format = 1
engines = ["valgrind", "qemu", "step"]
[[program]]
name = "large"
command = "true"
engines = ["qemu", "valgrind"]
[[program]]
name = "tiny"
command = "true"
)";
  const StudyCases cases = CasesOf(Parsed(text));
  ASSERT_EQ(cases.cases.size(), 2 + 3u);
  EXPECT_EQ(cases.cases[0].levels, (std::vector<std::string>{"large", "", "qemu"}));
  EXPECT_EQ(cases.cases[4].levels, (std::vector<std::string>{"tiny", "", "step"}));
  std::string wrong = text;
  wrong.replace(wrong.find("\"qemu\", \"valgrind\""), 6, "\"qemo\"");
  EXPECT_EQ(ErrorOf(wrong),
            "study.toml:7:11: the engine 'qemo' is not in the study's 'engines'; did you mean "
            "qemu?");
}

TEST(StudyCases, AllHaveDifferentKeys) {
  std::set<std::string> keys;
  for (const StudyCase& one : CasesOf(Parsed(kTwoPrograms)).cases) {
    EXPECT_TRUE(keys.insert(one.key).second);
    EXPECT_EQ(one.key.size(), 32u);
  }
}

TEST(StudyCases, KeysDoNotDependOnHowOftenAndHowLong) {
  const StudyCases before = CasesOf(Parsed(kTwoPrograms));
  std::string text(kTwoPrograms);
  text.insert(text.find("[[program]]"), "runs = 99\ntimeout = \"1s\"\nseed = 8\n");
  const StudyCases after = CasesOf(Parsed(text));
  for (std::size_t i = 0; i < before.cases.size(); ++i) {
    EXPECT_EQ(before.cases[i].key, after.cases[i].key);
  }
}

TEST(StudyCases, AnotherCommandIsAnotherCase) {
  const StudyCases before = CasesOf(Parsed(kTwoPrograms));
  std::string text(kTwoPrograms);
  text.replace(text.find("x y"), 3, "x z");
  const StudyCases after = CasesOf(Parsed(text));
  EXPECT_EQ(before.cases[0].key, after.cases[0].key);
  EXPECT_NE(before.cases[6].key, after.cases[6].key);
}

TEST(StudyCases, SettingsAndVariablesAreFactors) {
  const StudyCases cases = CasesOf(Parsed(R"(
format = 1
[[program]]
name = "a"
command = "true"
[settings]
layouts = 2
env_bytes = [4096, 8192]
[environment]
THREADS = [1, 2]
)"));
  ASSERT_EQ(cases.cases.size(), 8u);
  const StudyCase& last = cases.cases.back();
  EXPECT_EQ(CaseText(cases, last), "a (env_bytes 8192, THREADS 2, layout 1)");
  EXPECT_EQ(last.setting.environment.bytes, 8192u);
  EXPECT_EQ(last.setting.environment.set.front(), (run::Variable{"THREADS", "2"}));
  EXPECT_EQ(last.layout, 1u);
}

TEST(StudyCases, FilesAreReplacedForEachRun) {
  const StudyCases cases =
      CasesOf(Parsed("format = 1\n[[program]]\nname = \"a\"\ncommand = \"cp x {files}/y\"\n"));
  ASSERT_TRUE(NamesFiles(cases.cases[0]));
  EXPECT_EQ(WithFiles(cases.cases[0].words, "/r/1").back(), "/r/1/y");
}

}  // namespace
}  // namespace tare::study
