// energy_test.cc: tests energy counters on files written by hand, and counters that restart.
#include "machine/host/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/host/written_files.h"

namespace tare::host {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class EnergyTest : public WrittenFiles {
 protected:
  void Zone(const std::string& entry, const std::string& name, const std::string& energy) const {
    const std::string directory = "/sys/class/powercap/" + entry;
    WriteLine(directory + "/name", name);
    WriteLine(directory + "/energy_uj", energy);
    WriteLine(directory + "/max_energy_range_uj", "262143328850");
  }
};

TEST_F(EnergyTest, ZonesOfPowercapAreNamedAfterTheirPackage) {
  WriteLine("/sys/class/powercap/intel-rapl/enabled", "1");
  Zone("intel-rapl:0", "package-0", "1000");
  Zone("intel-rapl:0:0", "dram", "10");
  Zone("intel-rapl:1", "package-1", "2000");
  Zone("intel-rapl-mmio:0", "package-0", "1000");
  const EnergyCounters counters = FindEnergyCounters(files_);
  ASSERT_EQ(counters.zones.size(), 3U);
  EXPECT_EQ(counters.zones[0].name, "package-0");
  EXPECT_EQ(counters.zones[0].range, 262143328850U);
  EXPECT_EQ(counters.zones[1].name, "package-0-dram");
  EXPECT_EQ(counters.zones[2].name, "package-1");
  EXPECT_EQ(counters.absence, "");
}

TEST_F(EnergyTest, SensorsOfHwmonAreCountersOrPowers) {
  WriteLine("/sys/class/hwmon/hwmon2/name", "amd_energy");
  WriteLine("/sys/class/hwmon/hwmon2/energy1_input", "5000");
  WriteLine("/sys/class/hwmon/hwmon2/energy1_label", "Esocket0");
  WriteLine("/sys/class/hwmon/hwmon2/power1_input", "45000000");
  WriteLine("/sys/class/hwmon/hwmon2/temp1_input", "45000");
  const EnergyCounters counters = FindEnergyCounters(files_);
  ASSERT_EQ(counters.zones.size(), 1U);
  EXPECT_EQ(counters.zones[0].name, "amd_energy-Esocket0");
  EXPECT_EQ(counters.zones[0].range, 0U);
  ASSERT_EQ(counters.sensors.size(), 1U);
  EXPECT_EQ(counters.sensors[0].name, "amd_energy-power1");
}

TEST_F(EnergyTest, NoneIsAbsentWithTheReason) {
  EXPECT_THAT(FindEnergyCounters(files_).absence, HasSubstr("exposes no energy counter"));
  Zone("intel-rapl:0", "package-0", "not a number");
  const EnergyCounters counters = FindEnergyCounters(files_);
  EXPECT_THAT(counters.zones, IsEmpty());
  EXPECT_THAT(counters.absence, HasSubstr("only root"));
}

TEST_F(EnergyTest, AMeterAddsUpOverRestartsOfTheCounter) {
  Zone("intel-rapl:0", "package-0", "262143328000");
  EnergyMeter meter(files_, FindEnergyCounters(files_).zones);
  Zone("intel-rapl:0", "package-0", "262143328800");
  EXPECT_THAT(meter.Read().at(0), Optional(800U));
  Zone("intel-rapl:0", "package-0", "150");  // 50 up to the range, then 150
  EXPECT_THAT(meter.Read().at(0), Optional(1000U));
  Zone("intel-rapl:0", "package-0", "gone");
  EXPECT_EQ(meter.Read().at(0), std::nullopt);
}

TEST(EnergyBetween, NeedsARangeToGoBack) {
  EXPECT_THAT(EnergyBetween(5, 7, 0), Optional(2U));
  EXPECT_EQ(EnergyBetween(7, 5, 0), std::nullopt);
  EXPECT_THAT(EnergyBetween(90, 5, 100), Optional(15U));
  EXPECT_EQ(EnergyBetween(101, 5, 100), std::nullopt);
}

}  // namespace
}  // namespace tare::host
