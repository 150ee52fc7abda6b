// classes_test.cc: tests metrics of C++: constructors, templates, virtual functions, exceptions,
// coroutines.
#include <gtest/gtest.h>

#include "levels.h"

namespace tare::compiled {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;
using format::ValueOf;

using CountedClasses = AtEachLevel;
TARE_AT_EACH_LEVEL(CountedClasses);

const std::vector<std::string> kClassesSources = {"classes.cc", "classes_elsewhere.cc"};
constexpr const char* kClassesOutput = "*1299 14\n";

InstrumentPlan PlanOf(MetricEvent event, const std::vector<std::string>& names) {
  InstrumentPlan plan;
  for (const std::string& name : names) plan.metrics.push_back(Metric(event, name));
  return plan;
}

// Objects: square, cube, *owned (a Cube) and both.
TEST_P(CountedClasses, CallsAreThoseOfTheSource) {
  const Counts counts = CountsOf(
      kClassesSources,
      PlanOf(MetricEvent::kCall,
             {"geometry::Shape::Shape", "geometry::Square::Square(int)", "geometry::Cube::Cube",
              "geometry::Cube::Area", "Elsewhere", "Elsewhere(geometry::Shape const&)",
              "geometry::Doubled", "geometry::Larger", "geometry::Larger<int>",
              "geometry::Table::Add", "geometry::Table<int>::Add",
              "geometry::Table<unsigned int>::Add(unsigned int)", "Checked", "Caught",
              "std::runtime_error::runtime_error", "__cxa_throw", "_ZN8geometry7DoubledEi"}),
      kClassesOutput);
  EXPECT_EQ(counts.at("geometry::Shape::Shape"), 4);
  EXPECT_EQ(counts.at("geometry::Square::Square(int)"), 4);
  EXPECT_EQ(counts.at("geometry::Cube::Cube"), 2);
  EXPECT_EQ(counts.at("geometry::Cube::Area"), 5 + 1);  // in the loop and Elsewhere, by vtables
  EXPECT_EQ(counts.at("Elsewhere"), 2);
  EXPECT_EQ(counts.at("Elsewhere(geometry::Shape const&)"), 2);
  EXPECT_EQ(counts.at("geometry::Doubled"), 2 + 2);  // in two units
  EXPECT_EQ(counts.at("_ZN8geometry7DoubledEi"), 4);
  EXPECT_EQ(counts.at("geometry::Larger"), 6 + 1);
  EXPECT_EQ(counts.at("geometry::Larger<int>"), 6);
  EXPECT_EQ(counts.at("geometry::Table::Add"), 3 + 5);
  EXPECT_EQ(counts.at("geometry::Table<int>::Add"), 3);
  EXPECT_EQ(counts.at("geometry::Table<unsigned int>::Add(unsigned int)"), 5);
  EXPECT_EQ(counts.at("Checked"), 9 + 1);
  EXPECT_EQ(counts.at("Caught"), 9);
  EXPECT_EQ(counts.at("std::runtime_error::runtime_error"), 3);  // 0, 3, 6
  EXPECT_EQ(counts.at("__cxa_throw"), 3);
}

TEST_P(CountedClasses, VirtualCallsCountOverriders) {
  const Counts counts =
      CountsOf(kClassesSources,
               PlanOf(MetricEvent::kVirtual,
                      {"geometry::Shape::Area", "_ZNK8geometry5Shape4AreaEi",
                       "geometry::Square::Area", "geometry::Cube::Area", "Other::Name"}),
               kClassesOutput);
  EXPECT_EQ(counts.at("geometry::Shape::Area"), 10 + 2 + 1);  // with an int and with a double
  EXPECT_EQ(counts.at("_ZNK8geometry5Shape4AreaEi"), 10 + 2);
  EXPECT_EQ(counts.at("geometry::Square::Area"), 10 + 2);
  EXPECT_EQ(counts.at("geometry::Cube::Area"), 5 + 1);
  EXPECT_EQ(counts.at("Other::Name"), 3);  // through a thunk
}

TEST_P(CountedClasses, UpdatesOfMembersAreFoundInEachInstance) {
  const Counts counts = CountsOf(
      kClassesSources,
      PlanOf(MetricEvent::kUpdate,
             {"geometry::Table::count_", "geometry::Table<int>::count_", "geometry::Square::edge_",
              "geometry::Shape::sides_", "geometry::Shape::made", "Hidden::value"}),
      kClassesOutput);
  EXPECT_EQ(counts.at("geometry::Table::count_"), 2 + 3 + 5);  // two constructors
  EXPECT_EQ(counts.at("geometry::Table<int>::count_"), 1 + 3);
  EXPECT_EQ(counts.at("geometry::Square::edge_"), 4 + 4);
  EXPECT_EQ(counts.at("geometry::Shape::sides_"), 4);
  EXPECT_EQ(counts.at("geometry::Shape::made"), 4 + 1);
  EXPECT_EQ(counts.at("Hidden::value"), 1 + 7);
}

TEST_P(CountedClasses, ResultsOfCallsThatMayThrowAreSeen) {
  InstrumentPlan plan;
  for (const int argument : {ValueOf::kReturn, 1}) {
    auto metric = Metric(MetricEvent::kCall, "fputc");
    metric.name = argument == ValueOf::kReturn ? "result" : "argument";
    metric.value = ValueOf{.argument = argument, .sum = true};
    plan.metrics.push_back(metric);
  }
  auto object = Metric(MetricEvent::kCall, "geometry::Larger<int>");
  object.value = ValueOf{.argument = 1, .is_signed = true, .sum = true};
  plan.metrics.push_back(object);
  auto method = Metric(MetricEvent::kCall, "geometry::Table<int>::Add");
  method.value = ValueOf{.argument = 2, .is_signed = true, .sum = true};
  plan.metrics.push_back(method);
  const Counts counts = CountsOf(kClassesSources, plan, kClassesOutput);
  EXPECT_EQ(counts.at("result sum"), '*');
  EXPECT_EQ(counts.at("argument sum"), '*');
  EXPECT_EQ(counts.at("geometry::Larger<int> sum"), 0 + 1 + 2 + 3 + 4 + 5);
  EXPECT_EQ(counts.at("geometry::Table<int>::Add sum"), 0 + 1 + 2);  // argument 1 is the object
}

TEST_P(CountedClasses, CoroutinesCountInTheMiddle) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kCall, "Count"));
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "resumed"));
  const Counts counts = CountsOf({"coroutine.cc"}, plan, "30 12\n");
  EXPECT_EQ(counts.at("Count"), 3);
  EXPECT_EQ(counts.at("resumed"), 3 * 4);
}

}  // namespace
}  // namespace tare::compiled
