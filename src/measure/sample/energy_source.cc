// energy_source.cc: a meter that is read at each record.
#include "measure/sample/energy_source.h"

#include <memory>

namespace tare::sample {
namespace {

constexpr const char* kSystemGroup = "system";

format::Channel SystemChannel(std::string name, const char* unit, std::string source,
                              format::ChannelKind kind) {
  return {std::move(name), kSystemGroup, unit, std::move(source), kind, false};
}

}  // namespace

Source EnergySource(const host::SystemFiles& files) {
  Source source;
  const auto counters = host::FindEnergyCounters(files);
  if (!counters.absence.empty()) {
    source.absent.push_back({"energy", kSystemGroup, counters.absence});
  }
  for (const host::EnergyZone& zone : counters.zones) {
    source.channels.push_back(
        SystemChannel("energy-" + zone.name, "µJ", zone.file, format::ChannelKind::kTotal));
  }
  for (const host::PowerSensor& sensor : counters.sensors) {
    source.channels.push_back(
        SystemChannel("power-" + sensor.name, "µW", sensor.file, format::ChannelKind::kLevel));
  }
  source.read = [](Values) {};
  if (source.channels.empty()) return source;
  const auto meter = std::make_shared<host::EnergyMeter>(files, counters.zones);
  source.read = [meter, files, sensors = counters.sensors](Values values) {
    const auto energies = meter->Read();
    for (std::size_t i = 0; i < energies.size(); ++i) {
      if (energies[i]) values[i] = static_cast<std::int64_t>(*energies[i]);
    }
    for (std::size_t i = 0; i < sensors.size(); ++i) {
      const auto power = files.Whole(sensors[i].file);
      if (power) values[energies.size() + i] = static_cast<std::int64_t>(*power);
    }
  };
  source.read_at_end = source.read;
  return source;
}

}  // namespace tare::sample
