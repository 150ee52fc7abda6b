// machine_profile.h: the performance of a machine, independent of any program: memory levels, rates
// and curves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/profile/curve.h"
#include "machine/profile/origin.h"

namespace tare::machine_profile {

// A data or unified cache, or memory, which is the last level.
struct Level {
  std::string name;                      // "L1", "L2", "memory"
  std::uint64_t bytes = 0;               // capacity
  unsigned line_bytes = 0;               // 0: unknown
  unsigned ways = 0;                     // 0: unknown; memory has none
  unsigned threads = 0;                  // hardware threads that share it; 0: unknown
  Origin origin = Origin::kMeasured;     // of the numbers above
  std::optional<Measured> latency = {};  // seconds of one dependent load
  std::optional<Measured> load = {};     // bytes per second of stride-1 loads of the widest element
  std::optional<Measured> store = {};    // the same for stores
  // Lines that can be in flight from this level to the core at once.
  std::optional<Measured> parallel = {};

  friend bool operator==(const Level&, const Level&) = default;
};

// A translation lookaside buffer.
struct Tlb {
  std::string name;  // "TLB 1", "TLB 2"
  std::uint64_t page_bytes = 0;
  std::uint64_t entries = 0;
  Origin origin = Origin::kMeasured;
  std::optional<Measured> miss = {};  // seconds that a miss here adds

  friend bool operator==(const Tlb&, const Tlb&) = default;
};

// A rate that is a single number: "fp64 fused vector" at 67e9 "flop/s".
struct Rate {
  std::string name;
  std::string unit;
  Measured figure;
  std::string how;  // in a sentence: how it was measured or where it is published

  friend bool operator==(const Rate&, const Rate&) = default;
};

// A curve over a quantity other than the working-set size: cores, bandwidth, pages.
struct GraphPoint {
  double x = 0;
  Measured y;

  friend bool operator==(const GraphPoint&, const GraphPoint&) = default;
};

struct Graph {
  std::string name;
  std::string x_name;
  std::string x_unit;
  std::string y_unit;
  std::vector<GraphPoint> points;

  friend bool operator==(const Graph&, const Graph&) = default;
};

// A property of the machine that was measured, next to what the system reports.
struct Discovery {
  std::string what;  // "L1 capacity"
  std::string unit;
  std::optional<Measured> measured;
  std::string reason = {};  // why it was not measured
  std::optional<double> reported;

  // Both values exist and differ by more than the interval allows.
  bool Disagrees() const;

  friend bool operator==(const Discovery&, const Discovery&) = default;
};

struct Topology {
  unsigned packages = 0;
  unsigned cores = 0;
  unsigned threads = 0;
  unsigned numa_nodes = 0;
  std::uint64_t memory_bytes = 0;

  friend bool operator==(const Topology&, const Topology&) = default;
};

struct Profile {
  std::string name;     // "neoverse-v1"
  std::string machine;  // host and model; only the model when the profile is not of one machine
  std::string model;
  std::string architecture;  // "aarch64", "x86_64"
  Origin origin = Origin::kMeasured;
  std::string source;             // the version of tare, or the document
  std::string time;               // ISO 8601, UTC; empty when it was not measured
  std::string derived_from = {};  // the profile from which this one was derived, and the changes
  Topology topology;
  std::map<std::string, std::string> conditions;  // pages, core, prefetching, rounds, ...
  std::vector<Level> levels;                      // from the core outwards; memory last
  std::vector<Tlb> tlbs;
  std::vector<Rate> rates;
  std::vector<Curve> curves;
  std::vector<Graph> graphs;
  std::vector<Discovery> discovered;

  const Curve* FindCurve(const CurveKey& key) const;
  const Rate* FindRate(std::string_view name) const;

  friend bool operator==(const Profile&, const Profile&) = default;
};

}  // namespace tare::machine_profile
