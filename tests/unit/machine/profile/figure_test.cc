// figure_test.cc: tests names of origins.
#include "machine/profile/figure.h"

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

TEST(Figure, IsScaledWithItsInterval) {
  EXPECT_EQ(Scaled({.value = 4, .low = 2, .high = 8}, 3),
            (Figure{.value = 12, .low = 6, .high = 24}));
  EXPECT_EQ(Scaled({.value = 4}, 3), (Figure{.value = 12}));
}

TEST(Figure, InverseKeepsItsBoundsInOrder) {
  EXPECT_EQ(Inverse({.value = 4, .low = 2, .high = 8}),
            (Figure{.value = 0.25, .low = 0.125, .high = 0.5}));
}

}  // namespace
}  // namespace tare::machine_profile
