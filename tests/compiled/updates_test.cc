// updates_test.cc: tests metrics of variables and members.
#include <gtest/gtest.h>

#include "levels.h"

namespace tare::compiled {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;
using format::NameMatch;

using CountedUpdates = AtEachLevel;
TARE_AT_EACH_LEVEL(CountedUpdates);

InstrumentPlan PlanOf(const std::vector<std::string>& names) {
  InstrumentPlan plan;
  for (const std::string& name : names) plan.metrics.push_back(Metric(MetricEvent::kUpdate, name));
  return plan;
}

constexpr const char* kUpdatesOutput = "45 3 1 5 10\n";

TEST_P(CountedUpdates, OfVariablesCountStoresToAnyPart) {
  const Counts counts = CountsOf({"updates.c"},
                                 PlanOf({"total", "hidden", "next.calls", "calls", "origin",
                                         "state", "shared", "own", "outer", "outer_point"}),
                                 kUpdatesOutput);
  EXPECT_EQ(counts.at("total"), 10);
  EXPECT_EQ(counts.at("hidden"), 11);  // 10 elements and a memset
  EXPECT_EQ(counts.at("next.calls"), 3);
  EXPECT_EQ(counts.at("calls"), 3);
  EXPECT_EQ(counts.at("origin"), 4);  // x, y, x, the whole
  EXPECT_EQ(counts.at("state"), 4);   // first, high, text, the whole; not through pointers
  EXPECT_EQ(counts.at("shared"), 2);  // an addition and the successful exchange
  EXPECT_EQ(counts.at("own"), 2);
  EXPECT_EQ(counts.at("outer"), 1);
  EXPECT_EQ(counts.at("outer_point"), 1);
}

// The memset of `local` and the assignment of it to `state` write all of State: the "2" below.
TEST_P(CountedUpdates, OfMembersCountStoresThroughTheirType) {
  const Counts counts =
      CountsOf({"updates.c"},
               PlanOf({"Point::x", "Point::y", "State::first", "State::place", "State::corners",
                       "State::low", "State::high", "State::number", "Number::real",
                       "Number::whole", "State::as_long", "State::as_double", "State::inner",
                       "State::inner.deep", "State::text"}),
               kUpdatesOutput);
  // origin.x twice, copy and origin as a whole, 6 corners, place.x and corners[].x in the 2.
  EXPECT_EQ(counts.at("Point::x"), 2 + 2 + 6 + 2);
  // origin.y, copy and origin as a whole, 6 times place.y, the 2, outer_point.y.
  EXPECT_EQ(counts.at("Point::y"), 1 + 2 + 6 + 2 + 1);
  EXPECT_EQ(counts.at("State::first"), 6 + 1 + 1 + 2);  // through a pointer, state, local
  EXPECT_EQ(counts.at("State::place"), 6 + 2);
  EXPECT_EQ(counts.at("State::corners"), 6 + 2);
  EXPECT_EQ(counts.at("State::low"), 6 + 2);
  EXPECT_EQ(counts.at("State::high"), 6 + 1 + 2);
  EXPECT_EQ(counts.at("State::number"), 6 + 2);
  EXPECT_EQ(counts.at("Number::real"), 6 + 2);
  EXPECT_EQ(counts.at("Number::whole"), 6 + 2);
  EXPECT_EQ(counts.at("State::as_long"), 6 + 2);
  EXPECT_EQ(counts.at("State::as_double"), 2);
  EXPECT_EQ(counts.at("State::inner"), 6 + 2);
  EXPECT_EQ(counts.at("State::inner.deep"), 6 + 2);
  EXPECT_EQ(counts.at("State::text"), 1 + 2);
}

TEST_P(CountedUpdates, MatchPatterns) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "outer*", NameMatch::kGlob));
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "State::(low|high)", NameMatch::kRegex));
  const Counts counts = CountsOf({"updates.c"}, plan, kUpdatesOutput);
  EXPECT_EQ(counts.at("outer*"), 2);
  EXPECT_EQ(counts.at("State::(low|high)"), 6 + 6 + 1 + 2) << "the 2 are one store each";
}

}  // namespace
}  // namespace tare::compiled
