// processor_file_test.cc: tests that descriptions are read completely, or rejected with the
// position of the error.
#include "model/core/processor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ostream>

#include "machine/profile/profile_catalogue.h"
#include "model/core/core.h"

namespace tare::model {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

const fs::path kProcessors = fs::path(TARE_SOURCE_DIR) / "data" / "processors";
const fs::path kMachines = fs::path(TARE_SOURCE_DIR) / "data" / "machines";
const std::array<fs::path, 1> kProcessorDirectories = {kProcessors};
const std::array<fs::path, 1> kProfileDirectories = {kMachines};

constexpr std::string_view kPlain =
    "version = 1\n"
    "name = \"plain\"\n"
    "page = \"4KiB\"\n"
    "[l1i]\n"
    "bytes = \"32KiB\"\n"
    "ways = 8\n"
    "[l1d]\n"
    "bytes = 32768\n"
    "ways = 4\n"
    "line = 32\n"
    "replacement = \"tree-plru\"\n";

std::string With(std::string_view from, std::string_view to) {
  std::string text(kPlain);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string MistakeOf(const std::string& text) {
  const auto processor = ParseProcessor(text, "p.toml");
  if (processor) return "none";
  EXPECT_EQ(processor.error().kind, ErrorKind::kFormat);
  return processor.error().message;
}

TEST(ProcessorFile, WhatIsWrittenIsReadAndTheRestHasItsDefault) {
  const auto p = ParseProcessor(kPlain, "p.toml");
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->name, "plain");
  EXPECT_EQ(p->l1i.bytes, 32768U);
  EXPECT_EQ(p->l1i.line_bytes, 64U);
  EXPECT_EQ(p->l1d.ways, 4U);
  EXPECT_EQ(p->l1d.line_bytes, 32U);
  EXPECT_EQ(p->l1d.replacement, Replacement::kTreePlru);
  EXPECT_FALSE(p->l2);
  EXPECT_FALSE(p->small_pages.data);
  EXPECT_EQ(p->branching.direction, Direction::kNone);
}

TEST(ProcessorFile, AllThatADescriptionCanSayIsRead) {
  const auto p = ParseProcessor(std::string(kPlain) +
                                    "[l2]\n"
                                    "bytes = \"256KiB\"\nways = 8\nline = 64\n"
                                    "write = \"write-through\"\ninclusion = \"inclusive\"\n"
                                    "[l3]\nbytes = \"6MiB\"\nways = 12\nreplacement = \"random\"\n"
                                    "[tlb.small]\n"
                                    "data = { entries = 48 }\n"
                                    "second = { entries = 1280, ways = 5 }\n"
                                    "[prefetch]\nnext_line = true\nstride_entries = 8\n"
                                    "[branch]\ndirection = \"gshare\"\nentries = 64\n"
                                    "history_bits = 4\nreturn_entries = 16\n"
                                    "[cycles]\nmemory = 99.5\nwalk = 7\n",
                                "p.toml");
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->l2->write, WritePolicy::kThrough);
  EXPECT_EQ(p->l2->inclusion, Inclusion::kInclusive);
  EXPECT_EQ(p->l3->bytes, 6U << 20);
  EXPECT_EQ(p->l3->replacement, Replacement::kRandom);
  EXPECT_EQ(p->small_pages.data, (TlbLevel{.entries = 48, .ways = 48}));
  EXPECT_EQ(p->small_pages.second, (TlbLevel{.entries = 1280, .ways = 5}));
  EXPECT_TRUE(p->prefetching.next_line);
  EXPECT_EQ(p->prefetching.stride_entries, 8U);
  EXPECT_EQ(p->branching.direction, Direction::kGshare);
  EXPECT_EQ(p->branching.return_entries, 16U);
  EXPECT_EQ(p->cycles.memory, 99.5);
  EXPECT_EQ(p->cycles.walk, 7);
}

struct Bad {
  std::string from;
  std::string to;
  std::string message;

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.to; }
};

class BadDescription : public testing::TestWithParam<Bad> {};

TEST_P(BadDescription, HasASentenceWithItsPlace) {
  EXPECT_EQ(MistakeOf(With(GetParam().from, GetParam().to)), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadDescription,
    testing::Values(
        Bad{"version = 1", "version = 2",
            "p.toml:1:11: this description has version 2; this tare reads version 1"},
        Bad{"version = 1\n", "", "p.toml:1:1: version is missing: this tare reads version 1"},
        Bad{"name = \"plain\"\n", "", "p.toml:1:1: name is missing"},
        Bad{"ways = 4", "wayz = 4", "p.toml:9:1: unknown key wayz; did you mean ways?"},
        Bad{"ways = 4", "ways = 0", "p.toml:9:8: l1d.ways is 0: a cache needs at least 1 way"},
        Bad{"ways = 4", "ways = 3",
            "p.toml:8:9: l1d.bytes is 32768: that is not a multiple of 3 ways of 32-byte lines"},
        Bad{"ways = 4", "ways = 4096", "p.toml:9:8: l1d.ways is 4096: the maximum is 1024"},
        Bad{"ways = 4", "ways = \"four\"", "p.toml:9:8: ways must be a whole number, not text"},
        Bad{"ways = 4", "ways = -1", "p.toml:9:8: ways must be 0 or more"},
        Bad{"ways = 4\n", "", "p.toml:7:1: l1d.ways is missing"},
        Bad{"bytes = 32768", "bytes = 24576",
            "p.toml:8:9: l1d.bytes is 24576: with 4 ways of 32-byte lines there are 192 sets, "
            "which is not a power of two"},
        Bad{"bytes = 32768", "bytes = 0",
            "p.toml:8:9: l1d.bytes is 0: a cache needs at least one line"},
        Bad{"bytes = 32768", "bytes = \"8GiB\"",
            "p.toml:8:9: l1d.bytes is 8589934592: the maximum is 4 GiB"},
        Bad{"line = 32", "line = 48",
            "p.toml:10:8: l1d.line is 48: the line size must be a power of two"},
        Bad{"line = 32", "line = 4", "p.toml:10:8: l1d.line is 4: a line needs at least 8 bytes"},
        Bad{"line = 32", "line = 8192",
            "p.toml:10:8: l1d.line is 8192: a line cannot be longer than a page, which has 4096 "
            "bytes"},
        Bad{"ways = 4", "ways = 128",
            "p.toml:9:8: l1d.ways is 128: tree-plru needs a power of two, at most 64"},
        Bad{"tree-plru", "plru",
            "p.toml:11:15: replacement must be one of lru, tree-plru, random, not 'plru'; did you "
            "mean lru?"},
        Bad{"page = \"4KiB\"", "page = \"16KiB\"",
            "p.toml:3:8: page is 16384: the page size must be 4 KiB or 2 MiB"},
        Bad{"page = \"4KiB\"", "page = \"2MiB\"",
            "p.toml:3:8: page is 2 MiB, which needs TLBs for such pages (tlb.large)"},
        Bad{"page = \"4KiB\"", "split = \"once\"",
            "p.toml:3:9: split is once: then all data levels need write ignored and inclusion "
            "nine, and prefetching must be off"},
        Bad{"[l1i]", "[l1]", "p.toml:4:2: unknown key l1; did you mean l1i?"}));

class BadAddition : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(BadAddition, HasASentenceWithItsPlace) {
  EXPECT_EQ(MistakeOf(std::string(kPlain) + GetParam().first), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadAddition,
    testing::Values(
        std::pair{"[l3]\nbytes = \"1MiB\"\nways = 8", "p.toml:12:1: l3 needs l2, which is missing"},
        std::pair{"[l2]\nbytes = \"1MiB\"\nways = 8\nline = 32",
                  "p.toml:15:8: l2.line is 32: a level nearer to the core has lines of 64 bytes, "
                  "and outer lines must not be shorter"},
        std::pair{"[l2]\nbytes = \"1MiB\"\nways = 8\ninclusion = \"exclusive\"",
                  "p.toml:12:1: l2.line is 64: an exclusive level needs lines of 32 bytes, like "
                  "the level nearer to the core"},
        std::pair{"[l2]\nbytes = \"16KiB\"\nways = 8\ninclusion = \"inclusive\"",
                  "p.toml:13:9: l2.bytes is 16384: an inclusive level cannot be smaller than the "
                  "32768 bytes of a level nearer to the core"},
        std::pair{"[l2]\nbytes = \"1MiB\"\nways = 8\nwrite = \"ignored\"",
                  "p.toml:15:9: l2.write must be ignored in all data levels or in none"},
        std::pair{"[tlb.small]\ndata = { entries = 48, ways = 5 }",
                  "p.toml:13:31: tlb.small.data.ways is 5: 48 entries are not a multiple of it"},
        std::pair{"[tlb.small]\ndata = { entries = 48, ways = 4 }",
                  "p.toml:13:31: tlb.small.data.ways is 4: with 48 entries there are 12 sets, "
                  "which is not a power of two"},
        std::pair{"[tlb.small]\ndata = { ways = 4 }", "p.toml:13:8: entries is missing"},
        std::pair{"[tlb.small]\nsecond = { entries = 64 }",
                  "p.toml:13:10: tlb.small.second needs a first-level TLB, which is missing"},
        std::pair{"[tlb.huge]\ndata = { entries = 64 }",
                  "p.toml:12:6: unknown key huge; the keys here are small, large"},
        std::pair{"[prefetch]\nstride_entries = 12",
                  "p.toml:13:18: prefetch.stride_entries is 12: it must be a power of two, at most "
                  "1048576"},
        std::pair{"[prefetch]\nstride_entries = 16\nstride_degree = 0",
                  "p.toml:14:17: prefetch.stride_degree is 0: it must be 1 to 64 lines"},
        std::pair{"[cycles]\nmemory = -1",
                  "p.toml:13:10: cycles.memory is -1: it must be 0 to 1000000 cycles"},
        std::pair{"[cycles]\noverlap = 1.5",
                  "p.toml:13:11: cycles.overlap is 1.5: it must be 0 to 1"},
        std::pair{"[cycles]\nmemory = \"slow\"", "p.toml:13:10: memory must be a number, not text"},
        std::pair{"[l2]\nbytes = \"much\"\nways = 8",
                  "p.toml:13:9: bytes: 'much' is not a size; write whole bytes "
                  "with B, KiB, MiB or GiB, such as 64KiB"}));

TEST(ProcessorFile, AMistakeInBranchingIsReportedAtItsKey) {
  EXPECT_THAT(MistakeOf(std::string(kPlain) + "[branch]\ndirection = \"gshare\"\nentries = 100\n"),
              HasSubstr("p.toml:14:11: branch.entries is 100: "));
}

TEST(ProcessorFile, WhatIsNotTomlIsRefusedAtItsPlace) {
  EXPECT_THAT(MistakeOf("version = \n"), HasSubstr("p.toml:1:"));
}

TEST(ShippedProcessors, AreSeventeenAndEachCanBeBuilt) {
  const auto processors = ListProcessors(kProcessorDirectories);
  EXPECT_EQ(processors.size(), 17U);
  for (const NamedProcessor& named : processors) {
    const auto p = ReadProcessor(named.path);
    ASSERT_TRUE(p) << p.error().message;
    EXPECT_EQ(p->name, named.name);
    EXPECT_FALSE(p->about.empty()) << named.name;
    EXPECT_FALSE(p->source.empty()) << named.name;
    EXPECT_TRUE(Core::Make(*p)) << named.name;
    Processor large = *p;
    large.page_bytes = kLargePage;
    EXPECT_EQ(Core::Make(large).has_value(), !named.name.starts_with("cachegrind")) << named.name;
  }
}

TEST(FindProcessor, ADescriptionPrecedesAProfileOfTheSameName) {
  const auto p = FindProcessor("zen2", kProcessorDirectories, kProfileDirectories);
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_TRUE(p->assumed.empty());
  EXPECT_EQ(p->branching.direction, Direction::kTage);
}

TEST(FindProcessor, APathIsReadAsWhatItIs) {
  const auto toml = FindProcessor((kProcessors / "zen2.toml").string(), {}, {});
  ASSERT_TRUE(toml) << toml.error().message;
  EXPECT_TRUE(toml->assumed.empty());
  const auto json = FindProcessor((kMachines / "zen2.json").string(), {}, {});
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_FALSE(json->assumed.empty());
  EXPECT_FALSE(FindProcessor("./nothing.toml", kProcessorDirectories, kProfileDirectories));
}

TEST(FindProcessor, AnUnknownNameGetsTheNearestOrAll) {
  const auto near = FindProcessor("zen3", kProcessorDirectories, kProfileDirectories);
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(near.error().message, "no such processor: 'zen3'; did you mean zen2?");
  const auto far = FindProcessor("abacus", kProcessorDirectories, kProfileDirectories);
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().message, HasSubstr("no such processor: 'abacus'; known: "));
  EXPECT_THAT(far.error().message, HasSubstr("pentium-pro, "));
  EXPECT_THAT(far.error().message, HasSubstr("power3-ii-375, "));
}

TEST(FromProfile, TakesWhatIsKnownAndSaysWhatIsAssumed) {
  const auto p = FindProcessor("textbook-two-level", {}, kProfileDirectories);
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->l1d, (CacheLevel{.bytes = 32768, .ways = 4, .line_bytes = 64}));
  EXPECT_EQ(p->l2, (CacheLevel{.bytes = 1 << 20, .ways = 8, .line_bytes = 64}));
  EXPECT_FALSE(p->l3);
  EXPECT_EQ(p->small_pages.data->entries, 64U);
  EXPECT_THAT(p->assumed, testing::Contains("the L1 instruction cache equals the L1 data cache"));
}

TEST(FromProfile, EveryShippedProfileWithCachesCanBeBuilt) {
  int built = 0;
  for (const auto& named : machine_profile::List(kProfileDirectories)) {
    ASSERT_TRUE(named.profile) << named.reason;
    const auto p = FromProfile(*named.profile);
    if (!p) continue;
    ++built;
    EXPECT_TRUE(Core::Make(*p)) << named.name;
  }
  EXPECT_GE(built, 8);
}

TEST(FromProfile, AMeasuredSizeBecomesOneThatCanBeBuilt) {
  machine_profile::Profile profile;
  profile.name = "measured";
  profile.levels = {{.name = "L1", .bytes = 49000, .line_bytes = 64},
                    {.name = "memory", .bytes = 1 << 30}};
  const auto p = FromProfile(profile);
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->l1d.bytes, 49152U);
  EXPECT_EQ(p->l1d.ways, 6U);
  EXPECT_THAT(p->assumed,
              testing::Contains("L1 has 6 ways and 48 KiB (the profile has 49000 bytes)"));
  profile.levels.clear();
  const auto none = FromProfile(profile);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "machine profile measured has no caches; describe the processor in a TOML file");
}

TEST(EstimateCycles, AddsWhatEachEventCosts) {
  Processor p;
  p.l2 = CacheLevel{};
  p.cycles = {.per_instruction = 0.5,
              .l2_hit = 10,
              .l3_hit = 30,
              .memory = 100,
              .tlb_second = 5,
              .walk = 20,
              .misprediction = 12,
              .overlap = 0.5};
  EventCounts counts;
  EXPECT_EQ(EstimateCycles(p, 1000, counts), 500);
  counts.Add(Event::kL1iMisses, 3);  // one of them from memory
  counts.Add(Event::kL2InstructionMisses, 1);
  EXPECT_EQ(EstimateCycles(p, 0, counts), 2 * 10 + 100);
  counts = {};
  counts.Add(Event::kL1dLoadMisses, 4);  // half of the latency is hidden
  counts.Add(Event::kL2LoadMisses, 2);
  EXPECT_EQ(EstimateCycles(p, 0, counts), (2 * 10 + 2 * 100) / 2);
  p.l3 = CacheLevel{};
  counts.Add(Event::kL3LoadMisses, 1);
  EXPECT_EQ(EstimateCycles(p, 0, counts), (2 * 10 + 30 + 100) / 2);
  counts = {};
  counts.Add(Event::kDtlbStoreMisses, 2);
  counts.Add(Event::kDataWalks, 1);
  counts.Add(Event::kReturnMispredictions, 1);
  EXPECT_EQ(EstimateCycles(p, 0, counts), 5 + 20 + 12);
}

}  // namespace
}  // namespace tare::model
