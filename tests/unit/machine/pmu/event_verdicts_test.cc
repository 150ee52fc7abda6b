// event_verdicts_test.cc: tests the stored results of self-tests.
#include "machine/pmu/event_verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/private_directory.h"

namespace tare::pmu {
namespace {

EventVerdicts Example() {
  return {"host (processor)",
          "Linux 6.1 x86_64",
          "1b4e28ba",
          "2026-01-01T00:00:00Z",
          {{"hardware", "branch-misses", false, "0 instead of 40000 to 60000", "0:5:0:0"},
           {"hardware", "instructions", true, "", "0:1:0:0"},
           {"kernel", "page-faults", false, "2 instead of 1", "1:2:0:0"},
           {"valgrind", "conditional_branches", false, "7 instead of 8"}}};
}

TEST(EventVerdicts, SurviveTheFile) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  const auto path = VerdictsPath(directory->path().string(), std::nullopt, "host (processor)");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->filename(), "self-test-host-processor.json");
  ASSERT_TRUE(WriteVerdicts(*path, Example()));
  const auto read = ReadVerdicts(*path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, Example());
}

TEST(EventVerdicts, OfOtherFormatsAreRefused) {
  std::string text = FormatVerdicts(Example());
  text.replace(text.find("\"format\": 2"), 11, "\"format\": 1");
  EXPECT_FALSE(ParseVerdicts(text));
  EXPECT_FALSE(ParseVerdicts("{}"));
}

TEST(FailedTest, IsOfOneSourceAndOneEvent) {
  const std::array<std::string, 2> counters = {"hardware", "kernel"};
  const std::array<std::string, 1> valgrind = {"valgrind"};
  EXPECT_EQ(FailedTest(Example(), counters, "branch_misses"),
            "branch-misses of hardware counts 0 instead of 40000 to 60000");
  EXPECT_EQ(FailedTest(Example(), counters, "instructions"), std::nullopt);
  EXPECT_EQ(FailedTest(Example(), valgrind, "branch-misses"), std::nullopt);
  EXPECT_NE(FailedTest(Example(), valgrind, "conditional-branches"), std::nullopt);
  EXPECT_NE(FailedTest(Example(), valgrind, "conditional branches"), std::nullopt);
}

TEST(FailedTest, KnowsTheOtherNamesOfAnEvent) {
  const std::array<std::string, 2> counters = {"hardware", "kernel"};
  const std::array<std::string, 1> valgrind = {"valgrind"};
  for (const char* name :
       {"faults", "PERF_COUNT_SW_PAGE_FAULTS", "perf::PAGE-FAULTS", "page-faults:u"}) {
    EXPECT_EQ(FailedTest(Example(), counters, name), "page-faults of kernel counts 2 instead of 1")
        << name;
    EXPECT_EQ(FailedTest(Example(), valgrind, name), std::nullopt) << name;
  }
  EXPECT_NE(FailedTest(Example(), counters, "PERF_COUNT_HW_BRANCH_MISSES"), std::nullopt);
  EXPECT_EQ(FailedTest(Example(), counters, "minor-faults"), std::nullopt);
  EXPECT_EQ(FailedTest(Example(), counters, "no-such-event"), std::nullopt);
}

TEST(FailedTest, OfValgrindCoversTheInstructionsOfTheVirtualPmu) {
  const std::array<std::string, 1> virtual_pmu = {"virtual"};
  EXPECT_NE(FailedTest(Example(), virtual_pmu, "conditional-branches"), std::nullopt);
}

}  // namespace
}  // namespace tare::pmu
