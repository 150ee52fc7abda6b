// clock_rates_test.cc: tests clock rates from cycles and time, and the study's own table of them.
#include "analysis/explain/clock_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tare::explain {
namespace {

Program Ran(const std::string& name, const std::string& machine, double seconds, double cycles) {
  Program program{name, machine, {}, {}};
  program.causes[{CauseKind::kEvent, std::string(kSeconds)}] = seconds;
  if (cycles > 0) program.causes[{CauseKind::kEvent, std::string(kCycles)}] = cycles;
  return program;
}

struct Published {
  const char* machine;
  double stated;
  double derived;
  double error;
};

// Table 4: stated MHz, derived mean MHz and error in percent, each rounded as printed.
constexpr Published kTable4[] = {
    {"Pentium Pro", 199, 196, 1.2},   {"Pentium II", 401, 397, 0.9},
    {"Pentium III", 547, 541, 1.2},   {"Pentium 4", 2800, 2760, 1.4},
    {"Pentium D", 3467, 3435, 0.9},   {"Athlon XP", 1665, 1645, 1.2},
    {"Phenom 9500", 2200, 2111, 4.1}, {"Core Duo", 1663, 1635, 1.7},
    {"Core2 Q6600", 2400, 2353, 1.9},
};

TEST(ClockError, IsThatOfThePublishedTableAsFarAsItsRoundingAllows) {
  for (const Published& row : kTable4) {
    // The extremes over all values that round to the printed frequencies.
    double low = 100;
    double high = 0;
    for (const double stated : {row.stated - 0.5, row.stated + 0.5}) {
      for (const double derived : {row.derived - 0.5, row.derived + 0.5}) {
        low = std::min(low, ClockError(stated, derived));
        high = std::max(high, ClockError(stated, derived));
      }
    }
    EXPECT_LE(row.error - 0.05, high) << row.machine;
    EXPECT_GE(row.error + 0.05, low) << row.machine;
  }
}

TEST(ClockError, OfThePrintedNumbersDiffersFromThePrintedErrorInFiveRows) {
  std::string differing;
  for (const Published& row : kTable4) {
    const double printed = std::round(10 * ClockError(row.stated, row.derived)) / 10;
    if (std::abs(printed - row.error) > 0.01) differing += std::string(row.machine) + ";";
  }
  EXPECT_EQ(differing, "Pentium Pro;Pentium II;Pentium III;Phenom 9500;Core2 Q6600;");
}

TEST(ClockRows, GiveMeanAndDeviationOverThePrograms) {
  std::vector<Program> programs = {Ran("a", "m", 2, 4.0e9), Ran("b", "m", 1, 2.2e9)};
  programs[0].causes[{CauseKind::kEvent, std::string(kStatedMhz)}] = 2000;
  const auto rows = ClockRows(programs, 0.95);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].programs, 2u);
  EXPECT_NEAR(rows[0].mhz->Value(), 2100, 1e-9);
  EXPECT_NEAR(*rows[0].deviation, 100 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(*rows[0].error, 5, 1e-9);
}

TEST(ClockRows, WithoutCyclesAreAbsentAndNotZero) {
  const std::vector<Program> programs = {Ran("a", "m", 2, 0), Ran("b", "m", 1, 0)};
  const auto rows = ClockRows(programs, 0.95);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].mhz);
  EXPECT_EQ(rows[0].absence, "no program has cycle counts");
}

TEST(ClockRows, AreOnePerMachine) {
  const std::vector<Program> programs = {Ran("a", "one", 2, 2e9), Ran("a", "two", 1, 3e9)};
  const auto rows = ClockRows(programs, 0.95);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0].mhz->Value(), 1000, 1e-9);
  EXPECT_NEAR(rows[1].mhz->Value(), 3000, 1e-9);
  EXPECT_FALSE(rows[0].deviation);
}

}  // namespace
}  // namespace tare::explain
