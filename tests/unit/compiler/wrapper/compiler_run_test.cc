// compiler_run_test.cc: tests the compiler command that tare-cc makes from its own command line.
#include "compiler/wrapper/compiler_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/programs/build_directory.h"

namespace tare::wrapper {
namespace {

using metrics::MetricsFile;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using RunWords = std::vector<std::string>;

const WrapperFiles kFiles = {.plugin = "/e/tare-clang.so", .runtime = "/e/libtare-runtime.a"};

WrapperOptions Options(const RunWords& words, bool cxx = false) {
  WrapperOptions options;
  options.cxx = cxx;
  options.compiler = cxx ? "clang++-19" : "clang-19";
  options.compiler_arguments = words;
  return options;
}

Result<CompilerRun> Wrapped(const RunWords& words, const MetricsFile& metrics = {},
                            bool cxx = false, const WrapperFiles& files = kFiles) {
  const WrapperOptions options = Options(words, cxx);
  return InstrumentedRun(options, "/usr/bin/" + options.compiler,
                         Understand(WithResponseFiles(words), cxx), metrics, files);
}

MetricsFile OneCall() {
  return metrics::ParseMetrics("[[metric]]\ncall = 'f'\n", "m.toml").value();
}

format::InstrumentPlan PlanOf(const CompilerRun& run) { return *format::ParsePlanText(*run.plan); }

TEST(InstrumentedRun, CompilingGetsThePluginAndNoRuntime) {
  const auto run = Wrapped({"-O2", "-c", "a.c"}, OneCall());
  EXPECT_THAT(run->arguments,
              ElementsAre("clang-19", "-O2", "-c", "a.c", "-Xclang", "-debug-info-kind=standalone",
                          "-fpass-plugin=/e/tare-clang.so"));
  EXPECT_EQ(PlanOf(*run).metrics.size(), 1u);
  EXPECT_EQ(PlanOf(*run).strip_debug, format::StripDebug::kAll);
  EXPECT_FALSE(run->to_check);
}

TEST(InstrumentedRun, LinkingGetsTheRuntimeAtTheEndAndNoPlugin) {
  const auto run = Wrapped({"a.o", "-o", "a", "-lm"}, OneCall());
  EXPECT_THAT(run->arguments,
              ElementsAre("clang-19", "a.o", "-o", "a", "-lm", "-Xlinker", "/e/libtare-runtime.a"));
  EXPECT_FALSE(run->plan);
  EXPECT_TRUE(run->to_check);
}

TEST(InstrumentedRun, BothAtOnce) {
  const auto run = Wrapped({"a.c", "b.s", "-o", "a"}, OneCall());
  EXPECT_THAT(run->arguments, Contains("-fpass-plugin=/e/tare-clang.so"));
  EXPECT_EQ(run->arguments.back(), "/e/libtare-runtime.a");
  EXPECT_TRUE(run->plan.has_value());
  EXPECT_TRUE(run->to_check);
}

TEST(InstrumentedRun, CommandsWithoutCodeArePassedOnUnchanged) {
  for (const RunWords& words :
       {RunWords{"-c", "a.s"}, RunWords{"-r", "a.o", "-o", "b.o"}, RunWords{"-v"}, RunWords{}}) {
    const auto run = Wrapped(words, OneCall());
    ASSERT_TRUE(run);
    RunWords expected = words;
    expected.insert(expected.begin(), "clang-19");
    EXPECT_EQ(run->arguments, expected);
    EXPECT_FALSE(run->plan);
  }
}

TEST(InstrumentedRun, DebugInformationOfTheUserStays) {
  const auto full = Wrapped({"-g", "-c", "a.c"}, OneCall());
  EXPECT_THAT(full->arguments, Contains("-fdebug-default-version=4"))
      << "Valgrind 3.19 cannot read clang's DWARF 5";
  EXPECT_THAT(full->arguments, Not(Contains("-fstandalone-debug")));
  EXPECT_EQ(PlanOf(*full).strip_debug, format::StripDebug::kNothing);
  const auto lines = Wrapped({"-g1", "-c", "a.c"}, OneCall());
  EXPECT_EQ(PlanOf(*lines).strip_debug, format::StripDebug::kToLines);
  const auto cxx = Wrapped({"-g", "-c", "a.cc"}, OneCall(), true);
  EXPECT_THAT(cxx->arguments, Contains("-fstandalone-debug"));
  EXPECT_EQ(PlanOf(*cxx).strip_debug, format::StripDebug::kNothing);
}

TEST(InstrumentedRun, BlocksAloneNeedNoDebugInformation) {
  MetricsFile blocks;
  blocks.plan.blocks = true;
  blocks.plan.names = false;
  const auto run = Wrapped({"-c", "a.c"}, blocks);
  EXPECT_THAT(run->arguments, Not(Contains("-Xclang")));
  EXPECT_TRUE(PlanOf(*run).blocks);
}

TEST(InstrumentedRun, LinkTimeOptimisationIsTakenOut) {
  const auto run = Wrapped({"-flto=thin", "-c", "a.c"}, OneCall());
  EXPECT_THAT(run->arguments, Not(Contains(HasSubstr("lto"))));
}

TEST(InstrumentedRun, ResponseFilesStayUnlessSomethingIsTakenOut) {
  const BuildDirectory directory;
  directory.Write("plain", "a.o b.o");
  directory.Write("lto", "a.o -flto");
  const std::string plain = "@" + (directory / "plain").string();
  const std::string lto = "@" + (directory / "lto").string();
  EXPECT_THAT(Wrapped({plain, "-o", "a"}, OneCall())->arguments, Contains(plain));
  const auto run = Wrapped({lto, "-o", "a"}, OneCall());
  EXPECT_THAT(run->arguments, Not(Contains(lto)));
  EXPECT_THAT(run->arguments, Contains("a.o"));
}

TEST(InstrumentedRun, OptionsAreInsertedBeforeTwoDashes) {
  const auto run = Wrapped({"-o", "a", "--", "a.c"}, OneCall());
  const auto dashes = std::ranges::find(run->arguments, "--");
  ASSERT_NE(dashes, run->arguments.end());
  EXPECT_THAT(RunWords(run->arguments.begin(), dashes), Contains("-fpass-plugin=/e/tare-clang.so"));
  EXPECT_THAT(RunWords(dashes, run->arguments.end()),
              ElementsAre("--", "a.c", "/e/libtare-runtime.a"));
}

TEST(InstrumentedRun, MissingPartsAreNamed) {
  const auto run = Wrapped({"-c", "a.c"}, OneCall(), false, {});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("TARE_WRAPPER=off"));
}

TEST(InstrumentedRun, APlanThatDoesNotFitIsRefused) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "[[metric]]\ncall = 'a_rather_long_name_" + std::to_string(i) + "'\n";
  }
  const auto run = Wrapped({"-c", "a.c"}, *metrics::ParseMetrics(text, "m.toml"));
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("and the maximum is"));
}

TEST(PlainRun, AnotherClangGetsTheLanguage) {
  WrapperOptions options = Options({"a.cc"}, true);
  options.compiler = "/opt/clang";
  EXPECT_THAT(PlainRun(options, "/opt/clang").arguments,
              ElementsAre("/opt/clang", "--driver-mode=g++", "a.cc"));
}

TEST(FindCompiler, RefusesItselfAndWhatIsNotThere) {
  const BuildDirectory directory;
  directory.Write("own", "");
  std::filesystem::permissions(directory / "own", std::filesystem::perms::owner_all);
  std::filesystem::create_symlink(directory / "own", directory / "clang-19");
  const std::string path = directory.path().string();
  EXPECT_THAT(FindCompiler("clang-19", path, directory / "own").error().message,
              HasSubstr("tare-cc itself"));
  EXPECT_TRUE(FindCompiler("clang-19", path, "/elsewhere"));
  EXPECT_EQ(FindCompiler("clang-99", path, "").error().kind, ErrorKind::kNotFound);
}

TEST(GccRun, CallsOfFunctionsByNameCanBeHad) {
  WrapperOptions options = Options({"a.c", "-o", "a"});
  options.compiler = "gcc";
  const auto metrics = metrics::ParseMetrics(
      "[functions]\nnot_names = ['a,b', 'c']\nnot_files = '.h'\n[[metric]]\ncall = 'f'\n",
      "m.toml");
  const auto run = GccRun(options, "/usr/bin/gcc", Understand(options.compiler_arguments, false),
                          *metrics, kFiles);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_THAT(run->arguments, ElementsAre("gcc", "a.c", "-o", "a", "-finstrument-functions",
                                          "-finstrument-functions-exclude-function-list=a\\,b,c",
                                          "-finstrument-functions-exclude-file-list=.h", "-Xlinker",
                                          "/e/libtare-runtime.a"));
  EXPECT_FALSE(run->plan);
  EXPECT_TRUE(run->to_check);
}

TEST(GccRun, OtherMetricsAreRefusedWithTheReason) {
  const WrapperOptions options = Options({"-c", "a.c"});
  for (const char* text :
       {"[[metric]]\nupdate = 'v'", "[[metric]]\ncall = { glob = 'f*' }", "blocks = true",
        "[[metric]]\ncall = 'f'\nvalue = { argument = 1, of = 'sum' }",
        "[functions]\nmin_instructions = 3", "[functions]\nnot_names = 'a*'",
        "[functions]\nnot_names = 'mall'\n[[metric]]\ncall = 'small'"}) {
    const auto run = GccRun(options, "/usr/bin/gcc", Understand(options.compiler_arguments, false),
                            *metrics::ParseMetrics(text, "m.toml"), kFiles);
    ASSERT_FALSE(run) << text;
    EXPECT_THAT(run.error().message,
                HasSubstr("only calls of the program's own functions, named exactly"));
  }
}

TEST(ShellLine, IsSafeToPaste) {
  CompilerRun run;
  run.program = "/usr/bin/cc";
  run.arguments = {"cc", "it's", "", "-DX=$HOME"};
  run.plan = "a\tb\n";
  EXPECT_EQ(ShellLine(run), "TARE_PLAN='a\tb\n' /usr/bin/cc 'it'\\''s' '' '-DX=$HOME'");
}

}  // namespace
}  // namespace tare::wrapper
