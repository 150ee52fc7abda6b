// baseline_file_test.cc: tests that baselines survive a round trip, and that damage gives an error
// message.
#include "analysis/perturb/baseline_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_directory.h"
#include "synthetic_runs.h"

namespace tare::perturb {
namespace {

using testing::HasSubstr;

TEST(BaselineFile, WhatIsWrittenIsReadAgain) {
  const auto directory = PrivateDirectory::MakeOnDisk();
  ASSERT_TRUE(directory);
  stats::Generator random(1);
  StoredBaseline stored;
  stored.machine = "two-levels";
  stored.metrics = {"m0", "m2"};
  stored.runs = SyntheticRuns(3, {.records = 20}, random);
  stored.runs[1].signals[0].values[3] = 1e15;
  stored.runs[1].signals[0].values[4] = -7;
  stored.runs[1].signals[0].total = false;
  stored.runs[1].signals[0].unit = "bytes";
  stored.varied = true;
  stored.code_moved = true;
  const auto file = directory->path() / "baseline";
  ASSERT_TRUE(WriteBaseline(file, stored));
  const auto read = ReadBaseline(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->machine, stored.machine);
  EXPECT_EQ(read->metrics, stored.metrics);
  EXPECT_TRUE(read->varied);
  EXPECT_TRUE(read->code_moved);
  ASSERT_EQ(read->runs.size(), 3U);
  for (std::size_t run = 0; run < 3; ++run) {
    EXPECT_EQ(read->runs[run].program, stored.runs[run].program);
    EXPECT_EQ(read->runs[run].clock, stored.runs[run].clock);
    EXPECT_EQ(read->runs[run].machine, stored.machine);
    EXPECT_EQ(read->runs[run].interval, 1000U);
    EXPECT_EQ(read->runs[run].times, stored.runs[run].times);
    ASSERT_EQ(read->runs[run].signals.size(), stored.runs[run].signals.size());
    for (std::size_t i = 0; i < stored.runs[run].signals.size(); ++i) {
      EXPECT_EQ(read->runs[run].signals[i].name, stored.runs[run].signals[i].name);
      EXPECT_EQ(read->runs[run].signals[i].group, stored.runs[run].signals[i].group);
      EXPECT_EQ(read->runs[run].signals[i].total, stored.runs[run].signals[i].total);
      EXPECT_EQ(read->runs[run].signals[i].unit, stored.runs[run].signals[i].unit);
      EXPECT_EQ(read->runs[run].signals[i].values, stored.runs[run].signals[i].values);
    }
  }
}

std::string Refusal(const std::string& text) {
  const auto read = ParseBaseline(text);
  return read ? "accepted" : read.error().message;
}

std::string WithSignals(const std::string& signals, const std::string& times = "[]") {
  return R"({"kind": "tare baseline", "format": 3, "machine": "m", "varied": false, "code_moved": false, "metrics": [],
    "runs": [{"name": "run 1", "program": "p", "clock": "ns", "interval": 5, "times": )" +
         times + R"(, "signals": [)" + signals + "]}]}";
}

std::string OfValues(const std::string& values) {
  return R"({"name": "a", "group": "g", "kind": "total", "unit": "", "exact": true, "values": [)" +
         values + "]}";
}

TEST(BaselineFile, DamageIsReportedInASentence) {
  EXPECT_EQ(Refusal("no json"), "not a baseline of tare perturb: line 1 is not JSON");
  EXPECT_EQ(
      Refusal(R"({"kind": "tare machine profile"})"),
      "not a baseline of tare perturb: the top-level value is not of the kind 'tare baseline'");
  EXPECT_EQ(Refusal(R"({"kind": "tare baseline", "format": 1})"),
            "the baseline of tare perturb has format 1, and this tare reads format 3");
  EXPECT_EQ(Refusal(R"({"kind": "tare baseline", "format": 3, "machine": "m"})"),
            "not a baseline of tare perturb: the top-level value has no field 'varied'");
  EXPECT_EQ(
      Refusal(
          R"({"kind": "tare baseline", "format": 3, "machine": "m", "varied": true, "code_moved": false,
                        "metrics": [], "runs": 3})"),
      "not a baseline of tare perturb: runs is not a list");
  EXPECT_EQ(Refusal(WithSignals(OfValues(R"(1, "two")"))),
            "not a baseline of tare perturb: runs[0].signals[0].values[1] is not a number");
  EXPECT_EQ(Refusal(WithSignals(R"({"name": "a", "group": "g", "kind": "rate"})")),
            "not a baseline of tare perturb: runs[0].signals[0].kind is neither total nor level");
  EXPECT_EQ(Refusal(WithSignals(OfValues("1, 2"))),
            "not a baseline of tare perturb: runs[0] has too few records");
  EXPECT_THAT(Refusal(WithSignals(OfValues("1, 2") + "," + OfValues("1, 2, 3"))),
              HasSubstr("runs[0] has signals of different lengths"));
}

TEST(BaselineFile, TimesMustIncreaseAndBelongToValues) {
  const std::string eight = OfValues("1, 2, 3, 4, 5, 6, 7, 8");
  EXPECT_EQ(Refusal(WithSignals(eight, "[1, 2, 3, 4, 5, 6, 7, 8]")), "accepted");
  EXPECT_EQ(Refusal(WithSignals(eight, "[1, 2, 3, 4]")),
            "not a baseline of tare perturb: runs[0] has a different number of times and values");
  EXPECT_EQ(Refusal(WithSignals(eight, "[1, 2, 3, 4, 5, 6, 8, 7]")),
            "not a baseline of tare perturb: runs[0].times is not in increasing order");
  EXPECT_EQ(
      Refusal(WithSignals(eight, "[-1, 2, 3, 4, 5, 6, 7, 8]")),
      "not a baseline of tare perturb: runs[0].times[0] is not a whole number from 0 to 2^64 - 1");
}

}  // namespace
}  // namespace tare::perturb
