// energy.cc: lists the zones of powercap and the sensors of hwmon.
#include "machine/host/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"

namespace tare::host {
namespace {

constexpr std::string_view kPowercap = "/sys/class/powercap";
constexpr std::string_view kHwmon = "/sys/class/hwmon";

// Names of RAPL zones: "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. The same zones
// appear again as "intel-rapl-mmio:0".
bool IsRaplZone(std::string_view name) { return name.starts_with("intel-rapl:"); }

void AddPowercap(const SystemFiles& files, EnergyCounters& counters, std::string& refused) {
  for (const std::string& entry : files.Names(kPowercap)) {
    if (!IsRaplZone(entry)) continue;
    const std::string directory = fmt::format("{}/{}", kPowercap, entry);
    const std::string file = directory + "/energy_uj";
    if (!files.Has(file)) continue;
    if (const auto now = files.Whole(file); !now) {
      refused = now.error();
      continue;
    }
    std::string name = files.Line(directory + "/name").value_or(entry);
    // A part is named after its package, because each package has the same parts.
    if (const auto part = entry.rfind(':'); entry.find(':') != part) {
      const std::string package = fmt::format("{}/{}/name", kPowercap, entry.substr(0, part));
      name = fmt::format("{}-{}", files.Line(package).value_or(entry.substr(0, part)), name);
    }
    const std::uint64_t range = files.Whole(directory + "/max_energy_range_uj").value_or(0);
    counters.zones.push_back({Printable(name), file, range, "powercap"});
  }
}

// "energy1" for "energy1_input" with the prefix "energy"; empty for other names.
std::string_view SensorOf(std::string_view name, std::string_view prefix) {
  constexpr std::string_view kInput = "_input";
  if (!name.starts_with(prefix) || !name.ends_with(kInput)) return {};
  return name.substr(0, name.size() - kInput.size());
}

void AddHwmon(const SystemFiles& files, EnergyCounters& counters, std::string& refused) {
  for (const std::string& entry : files.Names(kHwmon)) {
    const std::string directory = fmt::format("{}/{}", kHwmon, entry);
    const std::string chip = files.Line(directory + "/name").value_or(entry);
    for (const std::string& name : files.Names(directory)) {
      const std::string file = fmt::format("{}/{}", directory, name);
      const bool energy = !SensorOf(name, "energy").empty();
      const std::string_view sensor = SensorOf(name, energy ? "energy" : "power");
      if (sensor.empty()) continue;
      if (const auto now = files.Whole(file); !now) {
        if (energy) refused = now.error();
        continue;
      }
      const std::string label =
          files.Line(fmt::format("{}/{}_label", directory, sensor)).value_or(std::string(sensor));
      std::string full = Printable(fmt::format("{}-{}", chip, label));
      if (energy) {
        counters.zones.push_back({std::move(full), file, 0, "hwmon"});
      } else {
        counters.sensors.push_back({std::move(full), file});
      }
    }
  }
}

// Names must be unique, because they become channels of a trace.
void NumberDuplicates(std::vector<EnergyZone>& zones) {
  for (std::size_t i = 1; i < zones.size(); ++i) {
    const auto same = std::count_if(
        zones.begin(), zones.begin() + static_cast<std::ptrdiff_t>(i), [&](const EnergyZone& zone) {
          return zone.name == zones[i].name || zone.name.starts_with(zones[i].name + "#");
        });
    if (same > 0) zones[i].name += fmt::format("#{}", same + 1);
  }
}

}  // namespace

EnergyCounters FindEnergyCounters(const SystemFiles& files) {
  EnergyCounters counters;
  std::string refused;
  AddPowercap(files, counters, refused);
  AddHwmon(files, counters, refused);
  NumberDuplicates(counters.zones);
  if (!counters.zones.empty()) return counters;
  counters.absence =
      refused.empty()
          ? "this machine exposes no energy counter (RAPL in /sys/class/powercap, or "
            "/sys/class/hwmon)"
          : fmt::format(
                "{}; the kernel lets only root read energy counters, unless their mode is "
                "changed",
                refused);
  return counters;
}

std::optional<std::uint64_t> EnergyBetween(std::uint64_t before, std::uint64_t now,
                                           std::uint64_t range) {
  if (now >= before) return now - before;
  if (range == 0 || before > range) return std::nullopt;
  return range - before + now;
}

EnergyMeter::EnergyMeter(SystemFiles files, std::vector<EnergyZone> zones)
    : files_(std::move(files)), zones_(std::move(zones)) {
  for (const EnergyZone& zone : zones_) {
    const auto now = files_.Whole(zone.file);
    sums_.push_back({now ? std::optional(*now) : std::nullopt, 0});
  }
}

std::vector<std::optional<std::uint64_t>> EnergyMeter::Read() {
  std::vector<std::optional<std::uint64_t>> energies;
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    Sum& sum = sums_[i];
    const auto now = files_.Whole(zones_[i].file);
    const auto more = now && sum.last ? EnergyBetween(*sum.last, *now, zones_[i].range)
                                      : std::optional<std::uint64_t>();
    if (more) sum.total += *more;
    sum.last = more ? std::optional(*now) : std::nullopt;
    energies.push_back(more ? std::optional(sum.total) : std::nullopt);
  }
  return energies;
}

}  // namespace tare::host
