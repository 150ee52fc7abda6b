// machine_profile.h: what a machine can do, apart from any program: levels of memory, rates and
// curves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/profile/curve.h"
#include "machine/profile/figure.h"

namespace tare::machine_profile {

// A cache that data passes through, or memory, which is the last one.
struct Level {
  std::string name;                    // "L1", "L2", "memory"
  std::uint64_t bytes = 0;             // capacity
  unsigned line_bytes = 0;             // 0: not known
  unsigned ways = 0;                   // 0: not known; memory has none
  unsigned threads = 0;                // hardware threads that share it; 0: not known
  Origin origin = Origin::kMeasured;   // of the numbers above
  std::optional<Figure> latency = {};  // seconds of one dependent load
  std::optional<Figure> load = {};   // bytes per second of stride-one loads with the widest element
  std::optional<Figure> store = {};  // the same of stores
  // Lines that can be on their way from this level to the core at once.
  std::optional<Figure> parallel = {};

  friend bool operator==(const Level&, const Level&) = default;
};

// Translations of addresses that are kept at hand.
struct Tlb {
  std::string name;  // "TLB 1", "TLB 2"
  std::uint64_t page_bytes = 0;
  std::uint64_t entries = 0;
  Origin origin = Origin::kMeasured;
  std::optional<Figure> miss = {};  // seconds that a miss here adds

  friend bool operator==(const Tlb&, const Tlb&) = default;
};

// A rate that is one number: "fp64 fused vector" at 67e9 "flop/s".
struct Rate {
  std::string name;
  std::string unit;
  Figure figure;
  std::string how;  // in a sentence, how it was measured or where it stands

  friend bool operator==(const Rate&, const Rate&) = default;
};

// A curve over something else than the working set: cores, bandwidth, pages.
struct GraphPoint {
  double x = 0;
  Figure y;

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

// A property of the machine that was found by measuring, beside what the system says of it.
struct Discovery {
  std::string what;  // "L1 capacity"
  std::string unit;
  std::optional<Figure> measured;
  std::string reason = {};  // why there is none
  std::optional<double> reported;

  // Both are there and differ by more than the interval allows.
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
  std::string machine;  // host and model; the model alone when it is not one machine
  std::string model;
  std::string architecture;  // "aarch64", "x86_64"
  Origin origin = Origin::kMeasured;
  std::string source;             // who says so: the version of tare, or the document
  std::string time;               // ISO 8601, UTC; empty when it was not measured
  std::string derived_from = {};  // the profile that this one was made from, and what was changed
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
