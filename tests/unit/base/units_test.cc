// units_test.cc: tests parsing and printing of quantities with units.
#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tare {
namespace {

TEST(ParseDuration, TakesEveryUnit) {
  EXPECT_DOUBLE_EQ(*ParseDuration("40us"), 40e-6);
  EXPECT_DOUBLE_EQ(*ParseDuration("40 µs"), 40e-6);
  EXPECT_DOUBLE_EQ(*ParseDuration("7ns"), 7e-9);
  EXPECT_DOUBLE_EQ(*ParseDuration("1.5ms"), 1.5e-3);
  EXPECT_DOUBLE_EQ(*ParseDuration("2s"), 2.0);
  EXPECT_DOUBLE_EQ(*ParseDuration("3min"), 180.0);
  EXPECT_DOUBLE_EQ(*ParseDuration("1h"), 3600.0);
  EXPECT_EQ(ParseWrittenDuration("40µs")->unit, "us");
}

TEST(ParseDuration, RefusesInvalidDurations) {
  for (const char* text : {"", "40", "us", "-1s", "-0s", "nan s", "inf s", "1e999s", "4 0us",
                           "40us ", "40usx", "40 kg", "0x10s", "１s"}) {
    const auto parsed = ParseDuration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::kUsage);
  }
}

TEST(ParseBytes, KnowsPowersOfTwoAndOfTen) {
  EXPECT_EQ(*ParseBytes("4096"), 4096u);
  EXPECT_EQ(*ParseBytes("64KiB"), 65536u);
  EXPECT_EQ(*ParseBytes("64 KB"), 64000u);
  EXPECT_EQ(*ParseBytes("0.5MiB"), 524288u);
}

TEST(ParseBytes, RefusesPartsOfABytesAndWhatDoesNotFit) {
  for (const char* text : {"", "0.3B", "-1", "1e30", "9223372036854775808", "12 furlongs"}) {
    EXPECT_FALSE(ParseBytes(text)) << text;
  }
}

TEST(SecondsPer, IsZeroForWhatIsNotATime) {
  EXPECT_DOUBLE_EQ(SecondsPer("us"), 1e-6);
  EXPECT_EQ(SecondsPer("instructions"), 0.0);
}

TEST(ReadableUnit, ScalesOperationsPerSecond) {
  EXPECT_EQ(ReadableUnit(67e9, "flop/s").symbol, "Gflop/s");
  EXPECT_EQ(ReadableUnit(2.5e6, "op/s").symbol, "Mop/s");
  EXPECT_DOUBLE_EQ(ReadableUnit(67e9, "flop/s").factor, 1e-9);
}

TEST(ReadableUnit, UsesLargerUnitsForLargerValues) {
  EXPECT_EQ(ReadableUnit(3.2e-6, "s").symbol, "µs");
  EXPECT_DOUBLE_EQ(ReadableUnit(3.2e-6, "s").factor, 1e6);
  EXPECT_EQ(ReadableUnit(65536, "B").symbol, "KiB");
  EXPECT_EQ(ReadableUnit(2.1e9, "Hz").symbol, "GHz");
  EXPECT_EQ(ReadableUnit(3.25, "us").symbol, "µs");
  EXPECT_EQ(ReadableUnit(1e-12, "s").symbol, "ns");
  EXPECT_EQ(ReadableUnit(5, "instructions").symbol, "instructions");
  EXPECT_EQ(ReadableUnit(5000, "s").symbol, "s");
  EXPECT_EQ(ReadableUnit(1e9, "s").symbol, "years");
}

TEST(ReadableUnit, ZeroAndWhatIsNotANumberStayAsTheyAre) {
  EXPECT_EQ(ReadableUnit(0, "s").symbol, "s");
  EXPECT_EQ(ReadableUnit(std::nan(""), "s").symbol, "s");
}

TEST(ReadableUnit, WhatRoundsUpReadsInTheNextUnit) {
  EXPECT_EQ(ReadableUnit(999.6e-9, "s").symbol, "µs");
  EXPECT_EQ(ReadableUnit(999.4e-9, "s").symbol, "ns");
}

TEST(Rounded, SignificantDigitsWithoutExponent) {
  EXPECT_EQ(Rounded(0, 3), "0");
  EXPECT_EQ(Rounded(150, 2), "150");
  EXPECT_EQ(Rounded(1.5, 3), "1.5");
  EXPECT_EQ(Rounded(99.96, 3), "100");
  EXPECT_EQ(Rounded(0.09996, 3), "0.1");
  EXPECT_EQ(Rounded(0.000012345, 3), "0.0000123");
  EXPECT_EQ(Rounded(6'891'234'567, 3), "6,890,000,000");
  EXPECT_EQ(Rounded(12'345, 4), "12,350");
  EXPECT_EQ(Rounded(-1234, 4), "-1,234");
  EXPECT_EQ(Rounded(std::numeric_limits<double>::infinity(), 3), "-");
}

TEST(LongDuration, ThreeDigitsInTheLargestUnitThatFits) {
  EXPECT_EQ(LongDuration(655.36e-6), "655 µs");
  EXPECT_EQ(LongDuration(42.949), "42.9 s");
  EXPECT_EQ(LongDuration(429.49), "7.16 min");
  EXPECT_EQ(LongDuration(281474976710656e-8), "32.6 days");
}

}  // namespace
}  // namespace tare
