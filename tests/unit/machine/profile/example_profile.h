// example_profile.h: a synthetic machine with two caches for tests.
#pragma once

#include <limits>
#include <string>

#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

inline Measured Plain(double value, Origin origin = Origin::kMeasured) {
  return WithOrigin(origin, Unbounded(value));
}

inline Measured Within(double value, double low, double high) {
  return Between(value, low, high, kConfidence);
}

// NaN, which compares unequal to everything, for a missing value.
inline double Real(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}
inline double Real(const std::optional<Measured>& figure) {
  return figure ? figure->Value() : std::numeric_limits<double>::quiet_NaN();
}

inline Level Cache(std::string name, std::uint64_t bytes, unsigned ways) {
  Level level;
  level.name = std::move(name);
  level.bytes = bytes;
  level.line_bytes = 64;
  level.ways = ways;
  return level;
}

inline Level Memory() {
  Level level;
  level.name = "memory";
  level.bytes = std::uint64_t{1} << 34;
  return level;
}

// 64 GB/s, 32 GB/s and 8 GB/s for loads, half of that for stores, 1, 5 and 80 ns, ten lines in
// flight.
inline std::vector<Level> ExampleLevels() {
  std::vector<Level> levels = {Cache("L1", 32 << 10, 8), Cache("L2", 1 << 20, 16), Memory()};
  const double bandwidth[] = {64e9, 32e9, 8e9};
  const double latency[] = {1e-9, 5e-9, 80e-9};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].latency = Plain(latency[i]);
    levels[i].load = Plain(bandwidth[i]);
    levels[i].store = Plain(bandwidth[i] / 2);
    levels[i].parallel = Plain(10);
  }
  return levels;
}

// A profile with every kind of entry.
inline Profile ExampleProfile() {
  Profile profile;
  profile.name = "example";
  profile.machine = "host (processor)";
  profile.model = "processor";
  profile.architecture = "aarch64";
  profile.source = "tare 0.1.0";
  profile.time = "2024-05-01T12:00:00Z";
  profile.topology = {1, 2, 4, 1, std::uint64_t{1} << 34};
  profile.conditions = {{"pages", "huge"}, {"core", "1"}};
  profile.levels = ExampleLevels();
  profile.tlbs = {{"TLB 1", 4096, 64, Origin::kMeasured, Plain(3e-9)},
                  {"TLB 2", 4096, 1024, Origin::kReported, std::nullopt}};
  profile.rates = {{"fp64 fused vector", "flop/s", Within(67e9, 66e9, 68e9), "eight chains"},
                   {"triad", "B/s", Plain(9e9), ""},
                   {"branch misprediction", "s", Plain(4e-9), ""}};
  Measured noisy = Within(1e9, 0.5e9, 2e9);
  noisy.verdict = Verdict::kDoubtful;
  noisy.reason = "the interval is wide";
  profile.curves = {{{Access::kLoad, Pattern::kStrided, 1, 8},
                     {{4096, Within(2e9, 1.9e9, 2.1e9), {1, 1}}, {1 << 22, noisy, {0.875, 0.875}}}},
                    {{Access::kUpdate, Pattern::kRandom, 1, 16}, {{4096, Plain(1e9), {}}}}};
  profile.graphs = {{"latency under load", "bandwidth", "B/s", "s", {{1e9, Plain(80e-9)}}}};
  profile.discovered = {{"L1 capacity", "B", Plain(32768), "", 32768.0},
                        {"L2 ways", "", std::nullopt, "the curve has no step", 16.0}};
  return profile;
}

}  // namespace tare::machine_profile
