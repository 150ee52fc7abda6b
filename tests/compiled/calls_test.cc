// calls_test.cc: tests counts of calls of the program's own and of library functions, and their
// values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "levels.h"

namespace tare::compiled {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;
using format::NameMatch;
using format::PlannedMetric;
using format::ValueOf;

const std::vector<std::string> kCallsSources = {"calls.c", "calls_elsewhere.c"};
// fibonacci(10) = 55; small: 1 to 5 = 15; elsewhere: 1; memory: 1 to 4 = 10; results: the even of
// -2, 0, 2, 4 = 4, the odd negated, 3 + 1 - 1 - 3 - 5 = -5; "path" = 4.
constexpr const char* kCallsOutput = "84 7 0.5\n";

PlannedMetric WithValue(PlannedMetric metric, int argument, bool is_signed) {
  metric.value = ValueOf{.argument = argument,
                         .is_signed = is_signed,
                         .sum = true,
                         .minimum = true,
                         .maximum = true,
                         .histogram = true};
  return metric;
}

using CountedCalls = AtEachLevel;
TARE_AT_EACH_LEVEL(CountedCalls);

TEST_P(CountedCalls, AreThoseOfTheSource) {
  InstrumentPlan plan;
  for (const char* name : {"fibonacci", "pointed", "small", "elsewhere", "malloc", "free", "memset",
                           "strlen", "exit", "main", "half"}) {
    plan.metrics.push_back(Metric(MetricEvent::kCall, name));
  }
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_EQ(counts.at("fibonacci"), 177);  // 2 F(11) - 1, F(11) = 89
  EXPECT_EQ(counts.at("pointed"), 7);      // only through a pointer
  EXPECT_EQ(counts.at("small"), 6);        // 5 in one unit, 1 in the other
  EXPECT_EQ(counts.at("malloc"), 4);
  EXPECT_EQ(counts.at("free"), 4);
  EXPECT_EQ(counts.at("memset"), 4);
  EXPECT_EQ(counts.at("strlen"), 1);
  EXPECT_EQ(counts.at("exit"), 1);  // never returns
  EXPECT_EQ(counts.at("main"), 1);
  EXPECT_EQ(counts.at("half"), 1);
}

TEST_P(CountedCalls, OfAFunctionOfAnotherUnitCountOnce) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kCall, "elsewhere"));
  // elsewhere(3), (2), (1), (0)
  EXPECT_EQ(CountsOf(kCallsSources, plan, kCallsOutput).at("elsewhere"), 4);
}

TEST_P(CountedCalls, OfAFunctionThatIsHereForInliningOnlyCountOnce) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kCall, "twice"));
  EXPECT_EQ(CountsOf(kCallsSources, plan, kCallsOutput).at("twice"), 6);
  plan.metrics = {Metric(MetricEvent::kUpdate, "uses_of_twice")};
  EXPECT_EQ(CountsOf(kCallsSources, plan, kCallsOutput).at("uses_of_twice"), 6) << "inlined or not";
}

TEST_P(CountedCalls, MatchGlobsAndRegularExpressions) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kCall, "m?lloc*", NameMatch::kGlob));
  plan.metrics.push_back(Metric(MetricEvent::kCall, "fib.*|pointed", NameMatch::kRegex));
  plan.metrics.push_back(Metric(MetricEvent::kCall, "fibo|ointed", NameMatch::kRegex));
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_EQ(counts.at("m?lloc*"), 4);
  EXPECT_EQ(counts.at("fib.*|pointed"), 177 + 7);
  EXPECT_FALSE(counts.contains("fibo|ointed")) << "the whole name must match";
}

TEST_P(CountedCalls, CanBeThoseOfOneFile) {
  InstrumentPlan plan;
  const auto in = [](PlannedMetric metric, const std::string& name, const std::string& file) {
    metric.name = name;
    metric.file = file;
    return metric;
  };
  const PlannedMetric small = Metric(MetricEvent::kCall, "small");
  plan.metrics.push_back(in(small, "in the header", "compiled/calls.h"));
  plan.metrics.push_back(in(small, "not in this one", "*/calls_else*.c"));
  plan.metrics.push_back(in(Metric(MetricEvent::kCall, "elsewhere"), "from here", "calls.c"));
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_EQ(counts.at("in the header"), 6);
  EXPECT_FALSE(counts.contains("not in this one"));
  EXPECT_EQ(counts.at("from here"), 1) << "where it is called: the file that defines it is another";
}

TEST_P(CountedCalls, HaveValues) {
  InstrumentPlan plan;
  plan.metrics.push_back(WithValue(Metric(MetricEvent::kCall, "malloc"), 1, false));
  plan.metrics.push_back(
      WithValue(Metric(MetricEvent::kCall, "signed_result"), ValueOf::kReturn, true));
  plan.metrics.push_back(WithValue(Metric(MetricEvent::kCall, "fibonacci"), 1, true));
  plan.metrics.push_back(WithValue(Metric(MetricEvent::kCall, "strlen"), ValueOf::kReturn, false));
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_EQ(counts.at("malloc"), 4);
  EXPECT_EQ(counts.at("malloc sum"), 100 + 200 + 300 + 400);
  EXPECT_EQ(counts.at("malloc minimum"), 100);
  EXPECT_EQ(counts.at("malloc maximum"), 400);
  EXPECT_EQ(counts.at("malloc histogram 7"), 1);  // 64 to 127
  EXPECT_EQ(counts.at("malloc histogram 8"), 1);  // 128 to 255
  EXPECT_EQ(counts.at("malloc histogram 9"), 2);  // 256 to 511
  // -3 to 5 give 3, -2, 1, 0, -1, 2, -3, 4, -5
  EXPECT_EQ(counts.at("signed_result"), 9);
  EXPECT_EQ(counts.at("signed_result sum"), -1);
  EXPECT_EQ(counts.at("signed_result minimum"), -5);
  EXPECT_EQ(counts.at("signed_result maximum"), 4);
  EXPECT_EQ(counts.at("signed_result histogram 0"), 1);
  EXPECT_EQ(counts.at("signed_result histogram 1"), 1);   // 1
  EXPECT_EQ(counts.at("signed_result histogram 2"), 2);   // 2, 3
  EXPECT_EQ(counts.at("signed_result histogram 3"), 1);   // 4
  EXPECT_EQ(counts.at("signed_result histogram 64"), 4);  // below 0
  // Calls with n = 10 down to 0: 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 34; their n add up to
  // 10 + 9 + 16 + 21 + 30 + 40 + 52 + 63 + 68 + 55.
  EXPECT_EQ(counts.at("fibonacci sum"), 364);
  EXPECT_EQ(counts.at("fibonacci minimum"), 0);
  EXPECT_EQ(counts.at("fibonacci maximum"), 10);
  EXPECT_EQ(counts.at("strlen sum"), 4);
}

TEST_P(CountedCalls, OfThreadsAddUp) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kCall, "step"));
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "together"));
  plan.metrics.push_back(Metric(MetricEvent::kCall, "pthread_create"));
  const Counts counts = CountsOf({"threads.c"}, plan, "160000\n");
  EXPECT_EQ(counts.at("step"), 8 * 20000);
  EXPECT_EQ(counts.at("together"), 8 * 20000);
  EXPECT_EQ(counts.at("pthread_create"), 8);
}

TEST_P(CountedCalls, CanBeAtomic) {
  InstrumentPlan plan;
  plan.atomic = true;
  plan.metrics.push_back(WithValue(Metric(MetricEvent::kCall, "fibonacci"), 1, true));
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_EQ(counts.at("fibonacci"), 177);
  EXPECT_EQ(counts.at("fibonacci sum"), 364);
  EXPECT_EQ(counts.at("fibonacci minimum"), 0);
  EXPECT_EQ(counts.at("fibonacci maximum"), 10);
}

TEST_P(CountedCalls, OfOddFunctionsAreRightOrLeftOut) {
  InstrumentPlan plan;
  for (const char* name :
       {"last", "tail", "pasted", "both_ways", "original", "renamed", "jump", "asked", "thrown",
        "bare", "chosen_one", "choose", "longjmp", "_setjmp", "sized"}) {
    plan.metrics.push_back(Metric(MetricEvent::kCall, name));
  }
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "counter"));
  const Counts counts = CountsOf({"oddities.c"}, plan, "65 3 17\n");
  EXPECT_EQ(counts.at("last"), 4);
  EXPECT_EQ(counts.at("tail"), 4);    // ends in a musttail call
  EXPECT_EQ(counts.at("pasted"), 4);  // always inlined, so it has no body
  EXPECT_EQ(counts.at("both_ways"), 5);
  EXPECT_EQ(counts.at("original"), 2 + 2);  // also through its alias
  EXPECT_FALSE(counts.contains("renamed"));
  EXPECT_EQ(counts.at("jump"), 4);
  EXPECT_EQ(counts.at("asked"), 4);
  EXPECT_EQ(counts.at("thrown"), 3);
  EXPECT_EQ(counts.at("longjmp"), 3);
  EXPECT_EQ(counts.at("_setjmp"), 1);  // called once, returns four times
  EXPECT_EQ(counts.at("bare"), 1);     // naked: counted at its calls
  EXPECT_EQ(counts.at("chosen_one"), 1);
  EXPECT_FALSE(counts.contains("choose"));  // a resolver: no TLS yet
  EXPECT_EQ(counts.at("sized"), 4);
  EXPECT_EQ(counts.at("counter"), 4 + 4 + 4 + 3);  // last, jump, asked, thrown
}

TEST_P(CountedCalls, OfSelectedFunctionsHaveACounterEach) {
  InstrumentPlan plan;
  plan.functions.emplace();
  plan.functions->names = {"*"};
  plan.functions->not_names = {"ma?n", "twice"};
  plan.functions->too_often = {"pointed"};
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_THAT(counts, testing::UnorderedElementsAre(testing::Pair("function fibonacci", 177),
                                                    testing::Pair("function signed_result", 9),
                                                    testing::Pair("function half", 1),
                                                    testing::Pair("function small", 6),
                                                    testing::Pair("function elsewhere", 4)));
}

TEST_P(CountedCalls, OfSmallFunctionsCanBeLeftOut) {
  InstrumentPlan plan;
  plan.functions.emplace();
  plan.functions->min_instructions = 40;
  plan.functions->files = {"calls.*"};
  const Counts counts = CountsOf(kCallsSources, plan, kCallsOutput);
  EXPECT_THAT(counts, testing::UnorderedElementsAre(testing::Pair("function main", 1)));
}

}  // namespace
}  // namespace tare::compiled
