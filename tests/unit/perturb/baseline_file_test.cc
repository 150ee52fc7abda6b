// baseline_file_test.cc: what is written is read again, and damage is told in a sentence.
#include "perturb/baseline_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_folder.h"
#include "made_runs.h"

namespace tare::perturb {
namespace {

using testing::HasSubstr;

TEST(BaselineFile, WhatIsWrittenIsReadAgain) {
  const auto folder = PrivateFolder::MakeOnDisk();
  ASSERT_TRUE(folder);
  stats::Generator random(1);
  StoredBaseline stored;
  stored.machine = "two-levels";
  stored.metrics = {"m0", "m2"};
  stored.runs = MadeRuns(3, {.records = 20}, random);
  stored.runs[1].signals[0].values[3] = 1e15;
  stored.runs[1].signals[0].values[4] = -7;
  const auto file = folder->path() / "baseline";
  ASSERT_TRUE(WriteBaseline(file, stored));
  const auto read = ReadBaseline(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->machine, stored.machine);
  EXPECT_EQ(read->metrics, stored.metrics);
  ASSERT_EQ(read->runs.size(), 3U);
  for (std::size_t run = 0; run < 3; ++run) {
    EXPECT_EQ(read->runs[run].program, stored.runs[run].program);
    EXPECT_EQ(read->runs[run].clock, stored.runs[run].clock);
    ASSERT_EQ(read->runs[run].signals.size(), stored.runs[run].signals.size());
    for (std::size_t i = 0; i < stored.runs[run].signals.size(); ++i) {
      EXPECT_EQ(read->runs[run].signals[i].name, stored.runs[run].signals[i].name);
      EXPECT_EQ(read->runs[run].signals[i].group, stored.runs[run].signals[i].group);
      EXPECT_EQ(read->runs[run].signals[i].values, stored.runs[run].signals[i].values);
    }
  }
}

std::string Refusal(const std::string& text) {
  const auto read = ParseBaseline(text, "b");
  return read ? "accepted" : read.error().message;
}

std::string WithSignals(const std::string& signals) {
  return R"({"kind": "tare baseline", "format": 1, "machine": "m", "metrics": [], "runs": [{"name": "run 1",
    "program": "p", "clock": "ns", "signals": [)" +
         signals + "]}]}";
}

TEST(BaselineFile, DamageIsToldInASentence) {
  EXPECT_EQ(Refusal("no json"), "b: it is no baseline of tare perturb");
  EXPECT_EQ(Refusal(R"({"kind": "tare machine profile"})"), "b: it is no baseline of tare perturb");
  EXPECT_EQ(Refusal(R"({"kind": "tare baseline", "format": 2})"),
            "b: it has format 2 and this program reads format 1");
  EXPECT_EQ(
      Refusal(
          R"({"kind": "tare baseline", "format": 1, "machine": "m", "metrics": [], "runs": 3})"),
      "b: runs is no list");
  EXPECT_EQ(Refusal(WithSignals(R"({"name": "a", "group": "g", "values": [1, "two"]})")),
            "b: the signal a has a value that is no number");
  EXPECT_EQ(Refusal(WithSignals(R"({"name": "a", "group": "g", "values": [1, 2]})")),
            "b: run 1 has too few records");
  EXPECT_THAT(Refusal(WithSignals(R"({"name": "a", "group": "g", "values": [1, 2]},
                                     {"name": "b", "group": "g", "values": [1, 2, 3]})")),
              HasSubstr("the signals of run 1 have different lengths"));
}

}  // namespace
}  // namespace tare::perturb
