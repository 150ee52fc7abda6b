// errors_test.cc: tests that a metric that cannot be counted fails the compilation with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "levels.h"

namespace tare::compiled {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;
using format::PlannedMetric;
using format::ValueOf;
using testing::HasSubstr;

class MetricErrors : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
  }

  static std::string MessageOf(const std::string& source, const PlannedMetric& metric,
                               const std::string& debug = "-g") {
    InstrumentPlan plan;
    plan.metrics.push_back(metric);
    CompiledProgram program({source}, plan);
    const Built built = program.Build({"-c", debug});
    EXPECT_EQ(built.status, 1) << built.messages;
    EXPECT_FALSE(std::filesystem::exists(program.Executable()));
    EXPECT_THAT(built.messages, HasSubstr("error: metric \"" + metric.name + "\": "));
    return built.messages;
  }
};

PlannedMetric InFile(PlannedMetric metric, const std::string& file) {
  metric.file = file;
  return metric;
}

PlannedMetric WithValue(PlannedMetric metric, int argument) {
  metric.value = ValueOf{.argument = argument, .sum = true};
  return metric;
}

TEST_F(MetricErrors, NameWhatIsNear) {
  EXPECT_THAT(
      MessageOf("calls.c", InFile(Metric(MetricEvent::kCall, "fibonaci"), "compiled/calls.c")),
      HasSubstr("nothing in compiled/calls.c is fibonaci; did you mean fibonacci?"));
  EXPECT_THAT(
      MessageOf("updates.c", InFile(Metric(MetricEvent::kUpdate, "State::frist"), "updates.c")),
      HasSubstr("did you mean State::first?"));
}

TEST_F(MetricErrors, ComeOnlyWhereTheFileIsMeant) {
  InstrumentPlan plan;
  plan.metrics.push_back(InFile(Metric(MetricEvent::kCall, "fibonaci"), "other.c"));
  plan.metrics.push_back(Metric(MetricEvent::kCall, "nothing like that"));
  CompiledProgram program({"calls.c"}, plan);
  EXPECT_EQ(program.Build({"-c"}).status, 0);
}

TEST_F(MetricErrors, NameAutomaticVariables) {
  EXPECT_THAT(MessageOf("calls.c", Metric(MetricEvent::kUpdate, "main.sum")),
              HasSubstr("main.sum is an automatic variable"));
}

TEST_F(MetricErrors, NameTheTypeOfValues) {
  const PlannedMetric half = Metric(MetricEvent::kCall, "half");
  EXPECT_THAT(MessageOf("calls.c", WithValue(half, 1)),
              HasSubstr("half: argument 1 has the type double, which is neither"));
  EXPECT_THAT(MessageOf("calls.c", WithValue(half, ValueOf::kReturn)),
              HasSubstr("half: its result has the type double"));
  EXPECT_THAT(MessageOf("calls.c", WithValue(half, 2)), HasSubstr("half: it has no argument 2"));
  EXPECT_THAT(MessageOf("calls.c", WithValue(Metric(MetricEvent::kCall, "free"), ValueOf::kReturn)),
              HasSubstr("free: "));
  EXPECT_THAT(MessageOf("calls.c", WithValue(half, 1), "-g0"),
              HasSubstr("half: argument 1 has the type double"));
}

TEST_F(MetricErrors, NameTheBlocksOfAFunction) {
  EXPECT_THAT(MessageOf("calls.c", Metric(MetricEvent::kBlock, "half:7")),
              HasSubstr("half has the blocks 0 to 0"));
}

TEST_F(MetricErrors, RequestDebugInformation) {
  EXPECT_THAT(
      MessageOf("classes.cc", Metric(MetricEvent::kVirtual, "geometry::Square::Area"), "-g0"),
      HasSubstr("compile with -g"));
}

TEST_F(MetricErrors, RefuseAPlanOfOthers) {
  const Built built = Shell("TARE_PLAN=nonsense " + CompilerCommand() + " -c " +
                            SourceFile("calls.c").string() + " -o /dev/null");
  EXPECT_EQ(built.status, 1);
  EXPECT_THAT(built.messages, HasSubstr("TARE_PLAN is not a plan"));
}

}  // namespace
}  // namespace tare::compiled
