// names_test.cc: tests the lists of possible metrics, in the object and in a file, and the removal
// of debug information.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/file.h"
#include "binary/elf/elf_file.h"
#include "levels.h"

namespace tare::compiled {
namespace {

using format::Candidate;
using format::CandidateKind;
using format::InstrumentPlan;
using format::MetricEvent;
using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

class Names : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
  }
};

std::vector<Candidate> CandidatesIn(std::string text) {
  std::ranges::replace(text, '\0', '\n');
  std::vector<Candidate> candidates;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto candidate = format::ParseCandidateLine(text.substr(at, end - at)))
      candidates.push_back(*candidate);
    at = end + 1;
  }
  return candidates;
}

std::vector<std::string> NamesOf(const std::vector<Candidate>& candidates, CandidateKind kind) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    if (candidate.kind == kind) names.push_back(candidate.name);
  }
  return names;
}

std::string SectionOf(const std::filesystem::path& path, const char* name) {
  const auto bytes = ReadFile(path, std::uint64_t{1} << 30);
  if (!bytes) return "";
  const auto file = elf::ReadElfFile(std::as_bytes(std::span(*bytes)));
  if (!file) return "";
  const auto* section = file->FindSection(name);
  if (section == nullptr) return "";
  return {reinterpret_cast<const char*>(section->contents.data()), section->contents.size()};
}

TEST_F(Names, OfTheSourceAreInTheProgram) {
  CompiledProgram program({"updates.c"}, {});
  ASSERT_EQ(program.Build({"-O2", "-g"}).status, 0);
  const auto candidates = CandidatesIn(SectionOf(program.Executable(), ".tare_names"));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kFunction),
              testing::UnorderedElementsAre("main", "next", "through_pointer"));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kLibrary),
              testing::UnorderedElementsAre("memcpy", "memset", "printf"));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kVariable),
              testing::UnorderedElementsAre("total", "hidden", "origin", "state", "shared", "own",
                                            "outer", "outer_point", "next.calls"));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kMember),
              IsSupersetOf({"State::first", "Point::x", "Number::real", "State::inner.deep"}));
}

TEST_F(Names, OfTwoUnitsAreKeptOnce) {
  CompiledProgram program({"classes.cc", "classes_elsewhere.cc"}, {});
  ASSERT_EQ(program.Build({"-O2", "-g"}).status, 0);
  const auto candidates = CandidatesIn(SectionOf(program.Executable(), ".tare_names"));
  const auto functions = NamesOf(candidates, CandidateKind::kFunction);
  EXPECT_EQ(std::ranges::count(functions, "geometry::Doubled"), 1);
  EXPECT_THAT(functions, IsSupersetOf({"Elsewhere", "geometry::Cube::Area", "geometry::Larger<int>",
                                       "(anonymous namespace)::Caught"}));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kVirtual),
              IsSupersetOf({"geometry::Shape::Area", "geometry::Cube::Area"}));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kVariable), Contains("geometry::Shape::made"));
}

TEST_F(Names, AreNotLoaded) {
  InstrumentPlan without;
  without.names = false;
  CompiledProgram named({"calls.c", "calls_elsewhere.c"}, {});
  CompiledProgram nameless({"calls.c", "calls_elsewhere.c"}, without);
  ASSERT_EQ(named.Build({"-O2"}).status, 0);
  ASSERT_EQ(nameless.Build({"-O2"}).status, 0);
  EXPECT_NE(SectionOf(named.Executable(), ".tare_names"), "");
  EXPECT_EQ(SectionOf(nameless.Executable(), ".tare_names"), "");
  for (const char* loaded : {".text", ".rodata", ".data", ".dynamic"}) {
    EXPECT_EQ(SectionOf(named.Executable(), loaded), SectionOf(nameless.Executable(), loaded))
        << loaded;
  }
}

TEST_F(Names, OfAListHavePlacesTooAndNothingIsCounted) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kCall, "work"));
  const std::filesystem::path list = std::filesystem::temp_directory_path() / "compiled-test-list";
  std::filesystem::remove(list);
  plan.list = list.string();
  CompiledProgram program({"places.c"}, plan);
  ASSERT_EQ(program.Build({"-O0", "-g"}).status, 0);
  const auto text = ReadFile(list, 1 << 20);
  std::filesystem::remove(list);
  ASSERT_TRUE(text);
  const auto candidates = CandidatesIn(*text);
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kLoop),
              IsSupersetOf({MarkedLine("places.c", "counted loop"), MarkedLine("places.c", "goto"),
                            MarkedLine("places.c", "inner")}));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kLine), Contains(MarkedLine("places.c", "few")));
  EXPECT_THAT(NamesOf(candidates, CandidateKind::kBlock), IsSupersetOf({"work:0", "main:0"}));
  EXPECT_EQ(SectionOf(program.Executable(), "tare_units"), "");
}

TEST_F(Names, DebugInformationOfThePluginAloneGoesAway) {
  InstrumentPlan plan;
  plan.strip_debug = format::StripDebug::kAll;
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "State::first"));
  CompiledProgram program({"updates.c"}, plan);
  ASSERT_EQ(program.Build({"-O2", "-g"}).status, 0);
  program.Run();
  EXPECT_EQ(program.Counted().at("State::first"), 10);
  EXPECT_THAT(SectionOf(program.Executable(), ".debug_str"),
              Not(testing::HasSubstr("through_pointer")));
  plan.strip_debug = format::StripDebug::kToLines;
  CompiledProgram lines({"updates.c"}, plan);
  ASSERT_EQ(lines.Build({"-O2", "-g"}).status, 0);
  EXPECT_THAT(SectionOf(lines.Executable(), ".debug_line_str"), testing::HasSubstr("updates.c"));
  EXPECT_THAT(SectionOf(lines.Executable(), ".debug_str"), Not(testing::HasSubstr("outer_point")));
}

}  // namespace
}  // namespace tare::compiled
