// model_event_test.cc: tests that event names are unique, and tests sums.
#include "model/core/model_event.h"
#include "model/core/modelled_events.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace tare::model {
namespace {

TEST(Events, EveryNameIsItsOwnAndEveryEventIsShownSomewhere) {
  std::set<std::string_view> names;
  std::set<Event> shown;
  for (const EventText& text : EventTable()) {
    EXPECT_TRUE(names.insert(text.id).second) << text.id;
    shown.insert(text.events.begin(), text.events.end());
  }
  EXPECT_EQ(shown.size(), kEvents);
}

TEST(Events, ASumTakesItsEventsOnly) {
  EventCounts counts;
  counts.Add(Event::kL1dLoadMisses, 3);
  counts.Add(Event::kL1dStoreMisses, 4);
  counts.Add(Event::kL1iMisses, 100);
  for (const EventText& text : EventTable()) {
    if (text.id == "l1d-misses") {
      EXPECT_EQ(Sum(counts, text), 7U);
    }
    if (text.id == "l1i-misses") {
      EXPECT_EQ(Sum(counts, text), 100U);
    }
  }
}

TEST(Events, WithoutCodeThereAreNoEventsOfCode) {
  EXPECT_FALSE(IsModelled(Event::kL1iMisses, ModelInputs::kData));
  EXPECT_FALSE(IsModelled(Event::kReturnMispredictions, ModelInputs::kData));
  EXPECT_TRUE(IsModelled(Event::kL1dLoadMisses, ModelInputs::kData));
  EXPECT_TRUE(IsModelled(Event::kL1iMisses, ModelInputs::kAll));
  Processor processor;
  processor.l2.emplace();
  for (const EventText& text : EventTable()) {
    const bool data = text.id == "l2-data-misses" || text.id == "l1d-misses";
    const bool both = text.id == "l2-misses";  // of code and data together
    if (data) {
      EXPECT_EQ(WhyAbsent(processor, text, ModelInputs::kData), "");
    }
    if (both) {
      EXPECT_NE(WhyAbsent(processor, text, ModelInputs::kData), "");
    }
    if (both) {
      EXPECT_EQ(WhyAbsent(processor, text), "");
    }
  }
}

}  // namespace
}  // namespace tare::model
