// topology.h: packages, cores, hardware threads, caches and memory, as reported by hwloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::host {

enum class CacheKind { kData, kInstruction, kUnified };

std::string_view Name(CacheKind kind);

// All caches with the same properties.
struct Cache {
  unsigned level = 0;
  CacheKind kind = CacheKind::kUnified;
  std::uint64_t bytes = 0;
  unsigned line_bytes = 0;  // 0: unknown
  int ways = 0;             // 0: unknown; -1: fully associative
  unsigned threads = 0;     // hardware threads that share one cache
  unsigned count = 0;       // number of such caches

  friend bool operator==(const Cache&, const Cache&) = default;
};

struct Topology {
  unsigned packages = 0;
  unsigned cores = 0;
  unsigned threads = 0;         // online hardware threads
  unsigned usable_threads = 0;  // those on which this process may run (affinity, cpusets)
  unsigned numa_nodes = 0;
  unsigned core_kinds = 0;  // 1: all alike; 2 or more: performance and efficiency cores; 0: unknown
  std::uint64_t memory_bytes = 0;
  std::vector<Cache> caches;  // by level, then data, instruction, unified, then size
};

Result<Topology> ReadTopology();

// The topology of an hwloc synthetic description such as "package:2 core:4 pu:2".
Result<Topology> TopologyOfSynthetic(const std::string& description);

}  // namespace tare::host
