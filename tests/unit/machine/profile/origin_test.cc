// origin_test.cc: tests names of origins, and origins as sources of numbers.
#include "machine/profile/origin.h"

#include <gtest/gtest.h>

namespace tare::machine_profile {
namespace {

TEST(Origin, NamesReadBack) {
  for (const Origin origin : {Origin::kMeasured, Origin::kReported, Origin::kPublished,
                              Origin::kGiven, Origin::kProjected}) {
    EXPECT_EQ(ParseOrigin(Name(origin)), origin);
  }
  EXPECT_EQ(ParseOrigin("guessed"), std::nullopt);
}

TEST(Origin, IsTheSourceOfANumber) {
  for (const Origin origin : {Origin::kMeasured, Origin::kReported, Origin::kPublished,
                              Origin::kGiven, Origin::kProjected}) {
    EXPECT_EQ(OriginOf(WithOrigin(origin, Unbounded(4))), origin);
  }
  EXPECT_EQ(WithOrigin(Origin::kPublished, Unbounded(4)).source, "published");
}

TEST(Origin, OfANumberWithoutSourceIsAMeasurement) {
  EXPECT_EQ(OriginOf(Unbounded(4)), Origin::kMeasured);
  const Measured again =
      WithOrigin(Origin::kMeasured, WithOrigin(Origin::kProjected, Unbounded(4)));
  EXPECT_EQ(again, Unbounded(4));
}

}  // namespace
}  // namespace tare::machine_profile
