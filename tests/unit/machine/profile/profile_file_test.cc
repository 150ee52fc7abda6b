// profile_file_test.cc: tests reading and writing of profiles, and the rejection of invalid files.
#include "machine/profile/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "base/file.h"
#include "machine/profile/profile_validity.h"
#include "report/json.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

using testing::HasSubstr;

std::string FileRefusal(std::string_view text) {
  const auto profile = ParseProfile(text);
  if (profile) return "it was read";
  EXPECT_EQ(profile.error().kind, ErrorKind::kFormat);
  return profile.error().message;
}

// Returns the error for the example after replacing the first `old` in it by `text`.
std::string RefusalWith(std::string_view old, std::string_view text) {
  std::string file = FormatProfile(ExampleProfile());
  const std::size_t at = file.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return FileRefusal(file.replace(at, old.size(), text));
}

TEST(ProfileFile, ReadsBackAsItWasWritten) {
  const Profile profile = ExampleProfile();
  const std::string text = FormatProfile(profile);
  const auto again = ParseProfile(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, profile);
  EXPECT_EQ(FormatProfile(*again), text);
}

TEST(ProfileFile, HasAPointToALine) {
  const std::string text = FormatProfile(ExampleProfile());
  EXPECT_THAT(text,
              HasSubstr("\n      {\"bytes\": 4096, \"rate\": {\"value\": 2000000000.0, \"low\": "
                        "1900000000.0, \"high\": 2100000000.0, \"origin\": \"measured\"}, "
                        "\"hits\": [1.0, 1.0]}"));
}

TEST(ProfileFile, NeedsNothingButNameOriginAndLevels) {
  const auto profile = ParseProfile(R"({"kind": "tare machine profile", "format": 1, "name": "flat",
    "origin": "given", "levels": [{"name": "memory", "origin": "given"}]})");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(profile->curves.empty());
  EXPECT_EQ(profile->levels.size(), 1u);
}

TEST(ProfileFile, OfAnotherVersionNamesBoth) {
  EXPECT_EQ(
      RefusalWith("\"format\": 1", "\"format\": 7"),
      "the profile has format 7, and this tare reads format 1; measure the machine again or use "
      "a tare of that version");
}

TEST(ProfileFile, KnowsASavedDocumentForWhatItIs) {
  EXPECT_EQ(FileRefusal(report::ToJson({})),
            "not a machine profile: this is the saved output of a tare command; tare machine "
            "measure creates profiles");
}

TEST(ProfileFile, OfSomethingElseIsRefused) {
  EXPECT_EQ(FileRefusal(""), "not a machine profile: line 1 is not JSON");
  EXPECT_EQ(FileRefusal("[]"), "not a machine profile: the top-level value is not an object");
  EXPECT_EQ(FileRefusal("{}"), "not a machine profile: its kind is not 'tare machine profile'");
  EXPECT_EQ(RefusalWith("\"format\": 1", "\"format\": \"1\""),
            "not a machine profile: it has no format number");
}

TEST(ProfileFile, WithAnUnknownFieldOffersTheNearest) {
  EXPECT_EQ(RefusalWith("\"line_bytes\"", "\"line_byte\""),
            "not a machine profile: levels[0] has an unknown field 'line_byte'; did you mean "
            "line_bytes?");
  EXPECT_EQ(RefusalWith("\"conditions\"", "\"circumstances\""),
            "not a machine profile: the top-level value has an unknown field 'circumstances'");
}

TEST(ProfileFile, WithAnUnknownWordNamesItsPlace) {
  EXPECT_EQ(RefusalWith("\"strided\"", "\"sideways\""),
            "not a machine profile: curves[0].pattern has the unknown value 'sideways'");
  EXPECT_EQ(RefusalWith("\"verdict\": \"doubtful\"", "\"verdict\": \"good\""),
            "not a machine profile: curves[0].points[1].rate.verdict has the unknown value 'good'");
}

TEST(ProfileFile, WithAValueOfAnotherKindNamesItsPlace) {
  EXPECT_EQ(RefusalWith("\"ways\": 8", "\"ways\": \"eight\""),
            "not a machine profile: levels[0].ways is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(RefusalWith("\"ways\": 8", "\"ways\": 4294967296"),
            "not a machine profile: levels[0].ways is too large");
  EXPECT_EQ(RefusalWith("\"value\": 1e-09", "\"value\": null"),
            "not a machine profile: levels[0].latency.value is not a number");
}

// A change of the example, and the resulting error.
struct ImpossibleCase {
  const char* message;
  std::function<void(Profile&)> change;
};

TEST(ProfileFile, WithImpossibleNumbersNamesTheirPlace) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const ImpossibleCase cases[] = {
      {"name: it is empty", [](Profile& p) { p.name.clear(); }},
      {"topology.threads: 1 threads are fewer than the 2 cores",
       [](Profile& p) { p.topology.threads = 1; }},
      {"topology.cores: 2 cores are fewer than the 3 packages",
       [](Profile& p) { p.topology.packages = 3; }},
      {"levels: the last level must be memory", [](Profile& p) { p.levels.pop_back(); }},
      {"levels: the last level must be memory", [](Profile& p) { p.levels.clear(); }},
      {"levels[0].name: 'L 1' must be one word without '.' and '='",
       [](Profile& p) { p.levels[0].name = "L 1"; }},
      {"levels[1].name: 'L1' is listed twice", [](Profile& p) { p.levels[1].name = "L1"; }},
      {"levels[0].line_bytes: 48 is not a power of two",
       [](Profile& p) { p.levels[0].line_bytes = 48; }},
      {"levels[0].ways: 7 ways do not divide its 512 lines",
       [](Profile& p) { p.levels[0].ways = 7; }},
      {"levels[0].bytes: 32769 bytes are not a whole number of lines of 64 bytes",
       [](Profile& p) { p.levels[0].bytes = 32769; }},
      {"levels[0].bytes: the capacity of a cache cannot be 0",
       [](Profile& p) { p.levels[0].bytes = 0; }},
      {"levels[1].bytes: L2 with 32 KiB is not larger than L1 with 32 KiB",
       [](Profile& p) { p.levels[1].bytes = 32768; }},
      {"levels[2].bytes: memory with 64 B is not larger than L2 with 1 MiB",
       [](Profile& p) { p.levels[2].bytes = 64; }},
      {"levels[2].ways: memory has no ways", [](Profile& p) { p.levels[2].ways = 1; }},
      {"levels[1].latency: -5e-09 is not positive",
       [](Profile& p) { p.levels[1].latency = Plain(-5e-9); }},
      {"levels[1].load: 0 is not positive", [](Profile& p) { p.levels[1].load = Plain(0); }},
      {"levels[1].load: its interval starts below 0, at -1",
       [](Profile& p) { p.levels[1].load = Within(1, -1, 2); }},
      {"tlbs[0].page_bytes: 0 is not a power of two", [](Profile& p) { p.tlbs[0].page_bytes = 0; }},
      {"tlbs[1].entries: a TLB needs at least one entry",
       [](Profile& p) { p.tlbs[1].entries = 0; }},
      {"tlbs[0].miss: -1 is negative", [](Profile& p) { p.tlbs[0].miss = Plain(-1); }},
      {"rates[1].name: 'triad' is listed twice",
       [](Profile& p) {
         p.rates.insert(p.rates.begin(), p.rates[1]);
         p.rates.erase(p.rates.begin() + 1);
       }},
      {"rates[0].figure: 6.9e+10 is outside its interval from 6.6e+10 to 6.8e+10",
       [](Profile& p) { p.rates[0].figure.value = 69e9; }},
      {"rates[0].figure: an interval needs both ends",
       [](Profile& p) { p.rates[0].figure.low.reset(); }},
      {"rates[0].figure: the verdict is 'doubtful' but there is no reason",
       [](Profile& p) { p.rates[0].figure.verdict = Verdict::kDoubtful; }},
      {"rates[0].figure: not a finite number",
       [](Profile& p) { p.rates[0].figure = Plain(kInfinite); }},
      {"curves[1]: 'load stride 1, 8 B' is listed twice",
       [](Profile& p) { p.curves[1].key = p.curves[0].key; }},
      {"curves[0].stride: 0 is not between 1 and 1048576",
       [](Profile& p) { p.curves[0].key.stride = 0; }},
      {"curves[1].stride: random accesses must have stride 1",
       [](Profile& p) { p.curves[1].key.stride = 2; }},
      {"curves[1].access: stores cannot be chained",
       [](Profile& p) { p.curves[1].key = {Access::kStore, Pattern::kChained, 1, 8}; }},
      {"curves[0].element_bytes: 12 is not a power of two up to 4096",
       [](Profile& p) { p.curves[0].key.element_bytes = 12; }},
      {"curves[0].points[1].bytes: 4096 is not greater than 4096; sizes must increase",
       [](Profile& p) { p.curves[0].points[1].bytes = 4096; }},
      {"curves[0].points[0].rate: 0 is not positive",
       [](Profile& p) { p.curves[0].points[0].rate = Plain(0); }},
      {"curves[0].points[0].hits: 1 hit rates for 2 caches",
       [](Profile& p) { p.curves[0].points[0].hits = {1}; }},
      {"curves[0].points[0].hits: 1.5 is not between 0 and 1",
       [](Profile& p) { p.curves[0].points[0].hits = {1, 1.5}; }},
      {"curves[0].points[0].hits: 0.5 after 0.75: hit rates are cumulative and cannot decrease",
       [](Profile& p) { p.curves[0].points[0].hits = {0.75, 0.5}; }},
      {"graphs[0].points[0].x: not a finite number",
       [](Profile& p) { p.graphs[0].points[0].x = kInfinite; }},
      {"graphs[0].points[0].y: -1 is negative",
       [](Profile& p) { p.graphs[0].points[0].y.value = -1; }},
      {"discovered[0].reported: -1 is negative or not finite",
       [](Profile& p) { p.discovered[0].reported = -1; }},
  };
  for (const ImpossibleCase& row : cases) {
    Profile profile = ExampleProfile();
    row.change(profile);
    const auto possible = RequirePossible(profile);
    ASSERT_FALSE(possible) << row.message;
    EXPECT_EQ(possible.error().message, row.message);
  }
}

TEST(ProfileFile, HasNoMoreLevelsThanAreUnderstood) {
  Profile profile = ExampleProfile();
  profile.curves.clear();
  profile.levels.clear();
  for (unsigned i = 1; i <= kMaxLevels; ++i) {
    profile.levels.push_back(Cache("L" + std::to_string(i), std::uint64_t{4096} << i, 4));
  }
  profile.levels.push_back(Memory());
  const auto possible = RequirePossible(profile);
  ASSERT_FALSE(possible);
  EXPECT_EQ(possible.error().message, "levels: 9 levels exceed the maximum of 8");
}

TEST(ProfileFile, TheExampleOfItsPageCanBeRead) {
  const auto page =
      ReadFile(std::filesystem::path(TARE_SOURCE_DIR) / "docs/formats/machine-profile.md", 1 << 20);
  ASSERT_TRUE(page) << page.error().message;
  constexpr std::string_view kOpen = "```json\n";
  const std::size_t start = page->find(kOpen) + kOpen.size();
  const auto profile = ParseProfile(page->substr(start, page->find("```", start) - start));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->name, "laptop");
}

TEST(ProfileFile, ReportsImpossibleNumbers) {
  EXPECT_EQ(RefusalWith("\"ways\": 8", "\"ways\": 7"),
            "invalid profile: levels[0].ways: 7 ways do not divide its 512 lines");
}

TEST(ProfileFile, AllowsNoiseBetweenLatencies) {
  Profile profile = ExampleProfile();
  profile.levels[1].latency = Plain(0.4e-9);
  EXPECT_TRUE(RequirePossible(profile));
}

TEST(ProfileFile, IsWrittenIntoADirectoryThatIsCreatedForIt) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "tare_profile_file_test";
  std::filesystem::remove_all(directory);
  const auto path = directory / "machines" / "example.json";
  ASSERT_TRUE(WriteProfile(path, ExampleProfile()));
  const auto again = ReadProfile(path);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, ExampleProfile());
  std::filesystem::remove_all(directory);
}

TEST(ProfileFile, IsNotWrittenWhenItCouldNotBeRead) {
  const auto path = std::filesystem::path(testing::TempDir()) / "tare_impossible.json";
  Profile profile = ExampleProfile();
  profile.levels.pop_back();
  const auto written = WriteProfile(path, profile);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr(": levels: the last level must be memory"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ProfileFile, NamesItsPathWhenItIsRefused) {
  const auto path = std::filesystem::path(testing::TempDir()) / "tare_broken.json";
  ASSERT_TRUE(WriteFileAtomically(path, "{"));
  const auto profile = ReadProfile(path);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, path.string() + ": not a machine profile: line 1 is not JSON");
  std::filesystem::remove(path);
}

TEST(ProfileFile, KeepsTextThatIsNotUtf8Readable) {
  Profile profile = ExampleProfile();
  profile.machine = "ho\xffst \x1b[31m";
  const auto again = ParseProfile(FormatProfile(profile));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->machine, "ho\\xffst \x1b[31m");
}

}  // namespace
}  // namespace tare::machine_profile
