// processor_change_test.cc: changes of caches, ranges of them, and what cannot be.
#include "model/core/processor_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tare::model {
namespace {

using testing::HasSubstr;

Processor TwoLevels() {
  Processor processor;
  processor.name = "two";
  processor.l1i = {.bytes = 32 << 10, .ways = 8};
  processor.l1d = {.bytes = 32 << 10, .ways = 8};
  processor.l2 = CacheLevel{.bytes = 1 << 20, .ways = 16};
  return processor;
}

TEST(ProcessorChange, ARangeDoubles) {
  const auto range = ChangesOf("L2.bytes=512KiB..4MiB", TwoLevels());
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(range->ranged, "L2.bytes");
  EXPECT_EQ(range->unit, "B");
  ASSERT_EQ(range->processors.size(), 4u);
  EXPECT_EQ(range->processors[0].text, "L2.bytes=512KiB");
  EXPECT_EQ(range->processors[0].processor.l2->bytes, 512u << 10);
  EXPECT_EQ(range->processors[3].text, "L2.bytes=4MiB");
  EXPECT_EQ(range->processors[3].x, 4.0 * (1 << 20));
  EXPECT_EQ(range->processors[3].processor.l1d.bytes, 32u << 10);
}

TEST(ProcessorChange, SeveralChangesApplyTogether) {
  const auto range = ChangesOf("l1d.capacity=64KiB,L2.ways=8", TwoLevels());
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(range->ranged, "");
  ASSERT_EQ(range->processors.size(), 1u);
  EXPECT_EQ(range->processors[0].processor.l1d.bytes, 64u << 10);
  EXPECT_EQ(range->processors[0].processor.l2->ways, 8u);
}

TEST(ProcessorChange, FactorsScale) {
  const auto range = ChangesOf("L2.bytes=x2", TwoLevels());
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(range->processors.at(0).processor.l2->bytes, 2u << 20);
}

TEST(ProcessorChange, WhatCannotBeIsRefused) {
  const auto message = [](const char* text) {
    const auto range = ChangesOf(text, TwoLevels());
    return range ? std::string("accepted") : range.error().message;
  };
  EXPECT_THAT(message("L3.bytes=1MiB"), HasSubstr("has no such level"));
  EXPECT_THAT(message("L4.bytes=1MiB"), HasSubstr("no such level; there are"));
  EXPECT_THAT(message("L2.bites=1MiB"), HasSubstr("did you mean bytes?"));
  EXPECT_THAT(message("L2.latency=3ns"), HasSubstr("tare predict --whatif"));
  EXPECT_THAT(message("remove L2"), HasSubstr("only bytes, ways and line"));
  EXPECT_THAT(message("L2.bytes=1MiB..4MiB,L2.ways=1..4"), HasSubstr("more than one range"));
  EXPECT_THAT(message("L2.ways=0"), HasSubstr("invalid value for ways"));
  EXPECT_NE(message("L2.bytes=100"), "accepted");
}

}  // namespace
}  // namespace tare::model
