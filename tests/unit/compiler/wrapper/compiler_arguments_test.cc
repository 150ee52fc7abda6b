// compiler_arguments_test.cc: tests the parsing of compiler command lines.
#include "compiler/wrapper/compiler_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/programs/build_directory.h"

namespace tare::wrapper {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

CompilerArguments Of(const Words& words, bool cxx = false) { return Understand(words, cxx); }

std::vector<std::string> SourcesOf(const CompilerArguments& arguments) {
  std::vector<std::string> sources;
  for (const CompilerInput& input : arguments.inputs) {
    if (input.source) sources.push_back(input.path);
  }
  return sources;
}

TEST(CompilerArguments, TheEarliestStepWins) {
  EXPECT_EQ(Of({"a.c"}).last_step, LastStep::kLink);
  EXPECT_EQ(Of({"-c", "a.c"}).last_step, LastStep::kCompile);
  EXPECT_EQ(Of({"-S", "a.c"}).last_step, LastStep::kCompile);
  EXPECT_EQ(Of({"-E", "-c", "a.c"}).last_step, LastStep::kPreprocess);
  EXPECT_EQ(Of({"-M", "a.c"}).last_step, LastStep::kPreprocess);
  EXPECT_EQ(Of({"-MD", "-MF", "x.d", "a.c"}).last_step, LastStep::kLink);
  EXPECT_EQ(Of({"-fsyntax-only", "a.c"}).last_step, LastStep::kNothing);
  for (const char* query :
       {"--version", "-dumpmachine", "-print-search-dirs", "--print-file-name=libc.so", "--help"}) {
    EXPECT_EQ(Of({query}).last_step, LastStep::kNothing) << query;
  }
  EXPECT_FALSE(Of({"-v"}).Links());
}

TEST(CompilerArguments, SourcesAreThoseThatTheCompilerMakesCodeOf) {
  EXPECT_THAT(SourcesOf(Of({"a.c", "b.cc", "c.s", "d.S", "e.o", "f.a", "g.so.1", "h.h", "i.ii",
                            "j.ll", "k"})),
              ElementsAre("a.c", "b.cc", "i.ii", "j.ll"));
  EXPECT_THAT(SourcesOf(Of({"-xc", "-", "-x", "assembler", "b.c", "-x", "none", "c.c"})),
              ElementsAre("-", "c.c"));
  EXPECT_THAT(SourcesOf(Of({"-x", "c-header", "a.c"})), ElementsAre());
}

TEST(CompilerArguments, ACompilerForCxxTakesCForCxx) {
  EXPECT_TRUE(Of({"a.c"}, true).inputs[0].cxx);
  EXPECT_FALSE(Of({"a.c"}, false).inputs[0].cxx);
  EXPECT_FALSE(Of({"-x", "c", "a.c"}, true).inputs[0].cxx);
  EXPECT_TRUE(Of({"a.cpp"}).inputs[0].cxx);
}

TEST(CompilerArguments, ValuesOfOptionsAreNoInputs) {
  const auto arguments =
      Of({"-include", "x.c", "-I",  "b.c",      "-Xclang", "c.c",      "-MF",
          "d.c",      "-D",  "e.c", "-Xlinker", "f.c",     "-isystem", "g.c",
          "-target",  "h.c", "-u",  "i.c",      "-T",      "j.c",      "real.c"});
  ASSERT_EQ(arguments.inputs.size(), 1u);
  EXPECT_EQ(arguments.inputs[0].path, "real.c");
  EXPECT_EQ(arguments.inputs[0].at, 20u);
}

TEST(CompilerArguments, OutputsInEveryForm) {
  EXPECT_EQ(Of({"-o", "x", "a.c"}).output, "x");
  EXPECT_EQ(Of({"-ox", "a.c"}).output, "x");
  EXPECT_EQ(Of({"--output=x", "a.c"}).output, "x");
  EXPECT_EQ(Of({"a.c", "-o"}).output, "");
}

TEST(CompilerArguments, KindsOfLinking) {
  EXPECT_TRUE(Of({"a.o", "-shared"}).shared);
  EXPECT_TRUE(Of({"a.o", "-Wl,-z,now,--shared"}).shared);
  EXPECT_FALSE(Of({"a.o", "-shared-libgcc"}).shared);
  EXPECT_FALSE(Of({"-r", "a.o"}).Links());
  EXPECT_FALSE(Of({"-Wl,-r", "a.o"}).Links());
  EXPECT_FALSE(Of({"-Xlinker", "--relocatable", "a.o"}).Links());
  EXPECT_TRUE(Of({"a.o", "-rdynamic"}).Links());
  const auto arguments = Of({"a.o", "-L.", "-L", "x", "-lbz2", "-l", "m"});
  EXPECT_THAT(arguments.libraries, ElementsAre("bz2", "m"));
  EXPECT_THAT(arguments.library_directories, ElementsAre(".", "x"));
}

TEST(CompilerArguments, TheLastLevelOfDebugInformationCounts) {
  EXPECT_EQ(Of({"a.c"}).debug, DebugInformation::kNone);
  EXPECT_EQ(Of({"-g", "a.c"}).debug, DebugInformation::kFull);
  EXPECT_EQ(Of({"-g", "-g0", "a.c"}).debug, DebugInformation::kNone);
  EXPECT_EQ(Of({"-g1", "a.c"}).debug, DebugInformation::kLines);
  EXPECT_EQ(Of({"-gdwarf-4", "a.c"}).debug, DebugInformation::kFull);
  EXPECT_EQ(Of({"-grecord-gcc-switches", "-gz", "a.c"}).debug, DebugInformation::kNone);
}

TEST(CompilerArguments, AfterTwoDashesAllAreInputs) {
  const auto arguments = Of({"-c", "--", "-odd.c"});
  ASSERT_EQ(arguments.inputs.size(), 1u);
  EXPECT_EQ(arguments.inputs[0].path, "-odd.c");
}

TEST(ResponseFiles, AreQuotedAsGnuDoesAndMayNameOthers) {
  const BuildDirectory directory;
  const std::string inner = "@" + (directory / "inner").string();
  directory.Write("inner", "-DA=\"x y\"  'b c.c'\n");
  directory.Write("outer", "-c " + inner + " d\\ e.c \"\" \"a\\\"b\"");
  EXPECT_THAT(WithResponseFiles(Words{"-O2", "@" + (directory / "outer").string(), "z.c"}),
              ElementsAre("-O2", "-c", "-DA=x y", "b c.c", "d e.c", "", "a\"b", "z.c"));
}

TEST(ResponseFiles, MissingFilesStayAndRecursionEnds) {
  const BuildDirectory directory;
  const std::string self = "@" + (directory / "self").string();
  directory.Write("self", self + " x");
  EXPECT_THAT(WithResponseFiles(Words{"@no-such-file"}), ElementsAre("@no-such-file"));
  EXPECT_LT(WithResponseFiles(Words{self}).size(), 100u);
}

TEST(LinkTimeOptimisation, ItsOptionsAreKnown) {
  EXPECT_TRUE(IsLinkTimeOptimisation("-flto"));
  EXPECT_TRUE(IsLinkTimeOptimisation("-flto=thin"));
  EXPECT_TRUE(IsLinkTimeOptimisation("-fwhole-program-vtables"));
  EXPECT_FALSE(IsLinkTimeOptimisation("-fno-lto"));
}

}  // namespace
}  // namespace tare::wrapper
