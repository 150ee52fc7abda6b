// levels.h: a fixture that expects the same counts at every optimisation level.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiled_run.h"

namespace tare::compiled {

class AtEachLevel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
  }

  // Compiles at the level with debug information, runs, and returns the counts.
  static Counts CountsOf(std::vector<std::string> sources, format::InstrumentPlan plan,
                         const std::string& output) {
    CompiledProgram program(std::move(sources), std::move(plan));
    const Built built = program.Build({GetParam(), "-g"});
    EXPECT_EQ(built.status, 0) << built.messages;
    EXPECT_EQ(built.messages, "");
    if (built.status != 0) return {};
    EXPECT_EQ(program.Run(), output);
    return program.Counted();
  }
};

inline std::string NameOfLevel(const testing::TestParamInfo<const char*>& level) {
  return level.param + 1;
}

#define TARE_AT_EACH_LEVEL(suite)                                                             \
  INSTANTIATE_TEST_SUITE_P(Levels, suite, testing::Values("-O0", "-O1", "-O2", "-O3", "-Os"), \
                           NameOfLevel)

inline format::PlannedMetric Metric(format::MetricEvent event, std::string what,
                                    format::NameMatch match = format::NameMatch::kExact) {
  format::PlannedMetric metric;
  metric.name = what;
  metric.event = event;
  metric.match = match;
  metric.what = std::move(what);
  return metric;
}

}  // namespace tare::compiled
