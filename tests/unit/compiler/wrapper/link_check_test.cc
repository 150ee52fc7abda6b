// link_check_test.cc: tests that metrics without a match are reported, and that programs without
// metrics are ignored.
#include "compiler/wrapper/link_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/wrapper/build_probe.h"
#include "tests/programs/build_directory.h"

namespace tare::wrapper {
namespace {

using format::Candidate;
using format::CandidateKind;
using metrics::MetricsFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MetricsFile Metrics(std::string_view text) {
  auto file = metrics::ParseMetrics(text, "m.toml");
  EXPECT_TRUE(file) << file.error().message;
  return std::move(*file);
}

CountedModule Module(std::set<std::string> metrics, std::vector<Candidate> candidates = {}) {
  CountedModule module;
  module.metrics = std::move(metrics);
  module.candidates = std::move(candidates);
  return module;
}

Candidate Named(CandidateKind kind, std::string name, std::string file = "a.c") {
  return {.kind = kind, .name = std::move(name), .file = std::move(file), .line = 1, .detail = {}};
}

constexpr std::string_view kTwo = R"(
[[metric]]
name = "one"
call = "compress"
[[metric]]
name = "two"
update = "State::count"
)";

TEST(LinkCheck, AllThereIsFine) {
  const auto verdict = CheckMetrics(Metrics(kTwo), "p", Module({"one", "two"}), {});
  EXPECT_THAT(verdict.unknown, IsEmpty());
  EXPECT_FALSE(verdict.not_meant);
}

TEST(LinkCheck, AnUnknownNameIsSaidWithItsPlaceAndANearOne) {
  const auto verdict = CheckMetrics(
      Metrics(kTwo), "dir/p", Module({"two"}, {Named(CandidateKind::kFunction, "compresses")}), {});
  EXPECT_THAT(verdict.unknown,
              ElementsAre("m.toml:4:8: call = \"compress\" matches nothing in p; did you mean "
                          "compresses?"));
}

TEST(LinkCheck, ANameOfAnotherKindIsNotNear) {
  const auto verdict = CheckMetrics(
      Metrics(kTwo), "p", Module({"two"}, {Named(CandidateKind::kMember, "compresses")}), {});
  ASSERT_EQ(verdict.unknown.size(), 1u);
  EXPECT_TRUE(verdict.unknown[0].ends_with("matches nothing in p"));
}

TEST(LinkCheck, MembersOfAKnownClassAreNamed) {
  const auto verdict =
      CheckMetrics(Metrics(kTwo), "p",
                   Module({"one"}, {Named(CandidateKind::kMember, "State::mode"),
                                    Named(CandidateKind::kMember, "State::level")}),
                   {});
  ASSERT_EQ(verdict.unknown.size(), 1u);
  EXPECT_THAT(verdict.unknown[0], HasSubstr("; State has mode, level"));
}

TEST(LinkCheck, ANearMemberOfTheSameClassIsNamed) {
  const auto verdict =
      CheckMetrics(Metrics(kTwo), "p",
                   Module({"one"}, {Named(CandidateKind::kMember, "State::counts"),
                                    Named(CandidateKind::kMember, "Stage::count")}),
                   {});
  ASSERT_EQ(verdict.unknown.size(), 1u);
  EXPECT_TRUE(verdict.unknown[0].ends_with("; did you mean State::counts?"));
}

TEST(LinkCheck, TheNearestLineIsNamed) {
  const auto metrics = Metrics("[[metric]]\nline = 'src/a.c:12'\n");
  const auto verdict = CheckMetrics(
      metrics, "p",
      Module({}, {Named(CandidateKind::kLine, "a.c:2"), Named(CandidateKind::kLine, "a.c:14"),
                  Named(CandidateKind::kLine, "b.c:12")}),
      {});
  ASSERT_EQ(verdict.unknown.size(), 1u);
  EXPECT_THAT(verdict.unknown[0], HasSubstr("; the nearest is a.c:14"));
}

TEST(LinkCheck, WhereLoopsAreListedIsSaid) {
  MetricsFile metrics = Metrics("[[metric]]\nloop = 'src/a.c:12'\n");
  metrics.programs = {"p"};
  const auto verdict = CheckMetrics(metrics, "p", Module({}), {});
  ASSERT_EQ(verdict.unknown.size(), 1u);
  EXPECT_THAT(verdict.unknown[0], HasSubstr("; tare-cc --list src/a.c lists what can be counted"));
}

TEST(LinkCheck, ANameInAnotherFileIsSaidToBeThere) {
  const auto metrics = Metrics("[[metric]]\ncall = 'f'\nfile = 'x.c'\n");
  const auto verdict =
      CheckMetrics(metrics, "p", Module({}, {Named(CandidateKind::kFunction, "f", "y.c")}), {});
  ASSERT_EQ(verdict.unknown.size(), 1u);
  EXPECT_THAT(verdict.unknown[0], HasSubstr("matches nothing in x.c of p; it is in y.c"));
}

TEST(LinkCheck, LibrariesOfTheProgramCount) {
  const std::vector<CountedModule> libraries = {Module({"two"})};
  EXPECT_THAT(CheckMetrics(Metrics(kTwo), "p", Module({"one"}), libraries).unknown, IsEmpty());
}

TEST(LinkCheck, LibrariesAreNotCheckedUnlessNamed) {
  CountedModule library = Module({"one"});
  library.is_library = true;
  EXPECT_THAT(CheckMetrics(Metrics(kTwo), "libx.so.1", library, {}).unknown, IsEmpty());
  MetricsFile metrics = Metrics(kTwo);
  metrics.programs = {"libx.so*"};
  EXPECT_EQ(CheckMetrics(metrics, "libx.so.1", library, {}).unknown.size(), 1u);
}

TEST(LinkCheck, OtherProgramsAreNotMeant) {
  MetricsFile metrics = Metrics(kTwo);
  metrics.programs = {"p"};
  EXPECT_THAT(CheckMetrics(metrics, "other", Module({}), {}).unknown, IsEmpty());
  EXPECT_EQ(CheckMetrics(metrics, "p", Module({}), {}).unknown.size(), 2u);
  EXPECT_EQ(CheckMetrics(metrics, "lt-p", Module({}), {}).unknown.size(), 2u);
}

TEST(LinkCheck, AMetricSaysWhereItIsWanted) {
  MetricsFile metrics = Metrics(kTwo);
  metrics.places[0].in = {"p"};
  metrics.places[1].in = {"q"};
  EXPECT_THAT(CheckMetrics(metrics, "p", Module({"one"}), {}).unknown, IsEmpty());
  EXPECT_EQ(CheckMetrics(metrics, "q", Module({"one"}), {}).unknown.size(), 1u);
}

TEST(LinkCheck, AProgramWithNothingAlikeIsTakenForAnother) {
  const auto verdict = CheckMetrics(Metrics(kTwo), "lemon", Module({}), {});
  EXPECT_THAT(verdict.unknown, IsEmpty());
  EXPECT_TRUE(verdict.not_meant);
  const auto near =
      CheckMetrics(Metrics(kTwo), "p", Module({}, {Named(CandidateKind::kLibrary, "compres")}), {});
  EXPECT_EQ(near.unknown.size(), 2u);
}

TEST(LinkedLibraries, ByPathAndByName) {
  const BuildDirectory directory;
  directory.Write("libz.so", "");
  const std::string path = directory.path().string();
  const std::vector<std::string> words = {"a.o", "x/liby.so.1", "-L" + path, "-lz", "-lm"};
  EXPECT_THAT(LinkedLibraries(Understand(words, false)),
              ElementsAre("x/liby.so.1", directory / "libz.so"));
}

TEST(BuildProbe, NamesOfAutoconfCMakeAndMeson) {
  const auto probes = [](const std::vector<std::string>& words, const char* directory) {
    return IsBuildProbe(Understand(words, false), directory);
  };
  EXPECT_TRUE(probes({"-c", "conftest.c"}, "/b"));
  EXPECT_TRUE(probes({"-o", "conftest", "x.o"}, "/b"));
  EXPECT_TRUE(probes({"-o", "cmTC_12ab", "x.o"}, "/b"));
  EXPECT_TRUE(probes({"-c", "x.c"}, "/b/CMakeFiles/CMakeScratch/TryCompile-1"));
  EXPECT_TRUE(probes({"CMakeCCompilerId.c"}, "/b/CMakeFiles/3.25.1/CompilerIdC"));
  EXPECT_TRUE(probes({"/b/meson-private/sanitycheckc.c", "-o", "x"}, "/b"));
  EXPECT_TRUE(probes({"-xc", "-", "-o", "x"}, "/b"));
  EXPECT_TRUE(probes({"x.c", "-o", "/dev/null"}, "/b"));
  EXPECT_FALSE(probes({"-c", "x.c", "-o", "x.o"}, "/b"));
  EXPECT_FALSE(probes({"x.c"}, "/b"));
}

TEST(BuildProbe, AnUnnamedProgramNextToConfdefs) {
  const BuildDirectory directory;
  const std::vector<std::string> words = {"x.c"};
  EXPECT_FALSE(IsBuildProbe(Understand(words, false), directory.path()));
  directory.Write("confdefs.h", "");
  EXPECT_TRUE(IsBuildProbe(Understand(words, false), directory.path()));
}

}  // namespace
}  // namespace tare::wrapper
