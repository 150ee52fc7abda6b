// level_field_test.cc: tests parsing of a level's fields as users write them.
#include "machine/profile/level_field.h"

#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

TEST(LevelField, HasNames) {
  EXPECT_EQ(*ParseLevelField("bandwidth"), LevelField::kBandwidth);
  EXPECT_EQ(Name(LevelField::kLine), "line");
  EXPECT_EQ(ParseLevelField("latencies").error().message,
            "a level has no 'latencies'; did you mean latency?");
  EXPECT_EQ(ParseLevelField("colour").error().message,
            "a level has no 'colour'; it has bytes, ways, line, latency, load, store, bandwidth, "
            "parallel");
}

TEST(LevelValue, HasTheUnitOfItsField) {
  EXPECT_DOUBLE_EQ(*ParseLevelValue(LevelField::kBytes, "2MiB"), 2 << 20);
  EXPECT_DOUBLE_EQ(*ParseLevelValue(LevelField::kLatency, "60ns"), 60e-9);
  EXPECT_DOUBLE_EQ(*ParseLevelValue(LevelField::kLoad, "25.6GB/s"), 25.6e9);
  EXPECT_DOUBLE_EQ(*ParseLevelValue(LevelField::kStore, "8 GiB/s"), 8 * 0x1p30);
  EXPECT_DOUBLE_EQ(*ParseLevelValue(LevelField::kWays, "16"), 16);
  EXPECT_DOUBLE_EQ(*ParseLevelValue(LevelField::kParallel, "10.5"), 10.5);
}

TEST(LevelValue, IsAboveZeroAndMakesSense) {
  EXPECT_FALSE(ParseLevelValue(LevelField::kBytes, "0"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kBytes, "-2MiB"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kWays, "2.5"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kWays, "1e300"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kLatency, "60"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kLoad, "30GB"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kLoad, "-30GB/s"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kLoad, "/s"));
  EXPECT_FALSE(ParseLevelValue(LevelField::kParallel, "inf"));
}

TEST(FindLevel, OffersTheNearestName) {
  const auto levels = ExampleLevels();
  EXPECT_EQ(*FindLevel(levels, "L2"), 1u);
  EXPECT_EQ(FindLevel(levels, "L3").error().message, "there is no level 'L3'; did you mean L1?");
  EXPECT_EQ(FindLevel(levels, "disk").error().message,
            "there is no level 'disk'; the levels are L1, L2, memory");
}

TEST(ScaleField, TakesTheIntervalAlong) {
  Level level = ExampleLevels()[2];
  level.latency = Within(80e-9, 70e-9, 90e-9);
  ASSERT_TRUE(ScaleField(level, LevelField::kLatency, 0.5, Origin::kProjected));
  const Measured latency = level.latency.value_or(Measured{});
  EXPECT_DOUBLE_EQ(latency.Value(), 40e-9);
  EXPECT_DOUBLE_EQ(Real(latency.low), 35e-9);
  EXPECT_DOUBLE_EQ(Real(latency.high), 45e-9);
  EXPECT_EQ(OriginOf(latency), Origin::kProjected);
}

TEST(ScaleField, RefusesWhatIsNotThereOrNotWhole) {
  Level level = Cache("L1", 32768, 8);
  EXPECT_EQ(ScaleField(level, LevelField::kLatency, 2, Origin::kProjected).error().message,
            "L1 has no latency to change; set it with tare machine edit first");
  EXPECT_FALSE(ScaleField(level, LevelField::kWays, 0.3, Origin::kProjected));
  EXPECT_TRUE(ScaleField(level, LevelField::kBytes, 2, Origin::kProjected));
  EXPECT_EQ(level.bytes, 65536u);
}

}  // namespace
}  // namespace tare::machine_profile
