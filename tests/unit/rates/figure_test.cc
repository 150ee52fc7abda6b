// figure_test.cc: names of origins.
#include "rates/figure.h"

#include <gtest/gtest.h>

namespace tare::rates {
namespace {

TEST(Origin, NamesReadBack) {
  for (const Origin origin : {Origin::kMeasured, Origin::kReported, Origin::kPublished,
                              Origin::kGiven, Origin::kProjected}) {
    EXPECT_EQ(ParseOrigin(Name(origin)), origin);
  }
  EXPECT_EQ(ParseOrigin("guessed"), std::nullopt);
}

}  // namespace
}  // namespace tare::rates
