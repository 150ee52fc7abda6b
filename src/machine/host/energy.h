// energy.h: the machine's energy counters, and the energy between two readings of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/system_files.h"

namespace tare::host {

// A counter of microjoules. It covers a part of the machine, whatever runs there.
struct EnergyZone {
  std::string name;         // "package-0", "package-0-dram", "amd_energy-socket0"
  std::string file;         // of the counter, below the root
  std::uint64_t range = 0;  // the counter restarts from 0 above this; 0: it never does
  std::string source;       // "powercap", "hwmon"
};

// A sensor of microwatts at the moment.
struct PowerSensor {
  std::string name;
  std::string file;
};

struct EnergyCounters {
  std::vector<EnergyZone> zones;
  std::vector<PowerSensor> sensors;
  std::string absence;  // why there are no zones; empty if there are
};

// RAPL by /sys/class/powercap, energyN_input and powerN_input of /sys/class/hwmon. Counters that
// only root may read are left out.
EnergyCounters FindEnergyCounters(const SystemFiles& files);

// The energy from `before` to `now`, both readings of the counter. Absent if a counter without
// range went back.
std::optional<std::uint64_t> EnergyBetween(std::uint64_t before, std::uint64_t now,
                                           std::uint64_t range);

// Adds up the energy since its construction. A counter that restarts twice between two readings
// is not noticed: RAPL's 32-bit counters restart after a minute or more at full load.
class EnergyMeter {
 public:
  EnergyMeter(SystemFiles files, std::vector<EnergyZone> zones);

  const std::vector<EnergyZone>& Zones() const { return zones_; }
  // Microjoules of each zone since the construction; absent once a counter could not be read.
  std::vector<std::optional<std::uint64_t>> Read();

 private:
  struct Sum {
    std::optional<std::uint64_t> last;
    std::uint64_t total = 0;
  };

  SystemFiles files_;
  std::vector<EnergyZone> zones_;
  std::vector<Sum> sums_;
};

}  // namespace tare::host
