// energy_source_test.cc: tests energy as channels of a trace.
#include "measure/sample/energy_source.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/private_directory.h"

namespace tare::sample {
namespace {

TEST(EnergySource, HasAChannelForEachZoneAndSensor) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  const host::SystemFiles files{directory->path()};
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(files.Place(path).parent_path());
    std::ofstream(files.Place(path)) << text << '\n';
  };
  write("/sys/class/powercap/intel-rapl:0/name", "package-0");
  write("/sys/class/powercap/intel-rapl:0/energy_uj", "100");
  write("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000");
  write("/sys/class/hwmon/hwmon0/power1_input", "7000000");
  const Source source = EnergySource(files);
  ASSERT_EQ(source.channels.size(), 2U);
  EXPECT_EQ(source.channels[0].name, "energy-package-0");
  EXPECT_EQ(source.channels[0].unit, "µJ");
  EXPECT_EQ(source.channels[1].name, "power-hwmon0-power1");
  EXPECT_EQ(source.channels[1].kind, format::ChannelKind::kLevel);
  EXPECT_TRUE(source.absent.empty());
  std::vector<std::optional<std::int64_t>> values(2);
  write("/sys/class/powercap/intel-rapl:0/energy_uj", "50");
  source.read(values);
  EXPECT_EQ(values[0], 950);
  EXPECT_EQ(values[1], 7000000);
}

TEST(EnergySource, WithoutCountersSaysWhyAndCanBeRead) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  const Source source = EnergySource(host::SystemFiles{directory->path()});
  EXPECT_TRUE(source.channels.empty());
  ASSERT_EQ(source.absent.size(), 1U);
  EXPECT_EQ(source.absent[0].name, "energy");
  source.read({});
}

}  // namespace
}  // namespace tare::sample
