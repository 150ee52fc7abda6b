// topology.cc: counting hwloc's objects.
#include "machine/host/topology.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tare::host {
namespace {

using TopologyHandle =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;
using BitmapHandle =
    std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)>;

std::unexpected<Error> NoTopology(std::string_view why) {
  return Fail(ErrorKind::kUnsupported, fmt::format("the topology cannot be read: {}", why));
}

unsigned Count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? static_cast<unsigned>(count) : 0;
}

unsigned Weight(hwloc_const_bitmap_t set) {
  const int weight = set == nullptr ? 0 : hwloc_bitmap_weight(set);
  return weight > 0 ? static_cast<unsigned>(weight) : 0;
}

CacheKind Kind(hwloc_obj_cache_type_t type) {
  switch (type) {
    case HWLOC_OBJ_CACHE_DATA:
      return CacheKind::kData;
    case HWLOC_OBJ_CACHE_INSTRUCTION:
      return CacheKind::kInstruction;
    case HWLOC_OBJ_CACHE_UNIFIED:
      return CacheKind::kUnified;
  }
  return CacheKind::kUnified;
}

std::vector<Cache> Caches(hwloc_topology_t topology) {
  std::vector<Cache> caches;
  for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; ++type) {
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, static_cast<hwloc_obj_type_t>(type),
                                                object)) != nullptr) {
      const auto& found = object->attr->cache;
      Cache cache{.level = found.depth,
                  .kind = Kind(found.type),
                  .bytes = found.size,
                  .line_bytes = found.linesize,
                  .ways = found.associativity,
                  .threads = Weight(object->cpuset),
                  .count = 0};
      const auto same = std::ranges::find_if(caches, [&](Cache other) {
        other.count = 0;
        return other == cache;
      });
      auto& counted = same != caches.end() ? *same : caches.emplace_back(cache);
      ++counted.count;
    }
  }
  std::ranges::sort(caches, {}, [](const Cache& cache) {
    return std::tuple(cache.level, cache.kind, cache.bytes, cache.threads);
  });
  return caches;
}

// Memory that was added to a virtual machine after its start belongs to no node (hwloc's source).
std::uint64_t MemoryOfSystem() {
  struct sysinfo system = {};
  if (sysinfo(&system) != 0) return 0;
  return std::uint64_t{system.totalram} * system.mem_unit;
}

// `choose_source` sets what the new topology describes and returns 0 on success.
template <typename ChooseSource>
Result<Topology> LoadTopology(ChooseSource choose_source, bool this_machine) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return NoTopology("hwloc cannot be initialized");
  const TopologyHandle handle(raw, &hwloc_topology_destroy);
  if (choose_source(raw) != 0) return NoTopology("hwloc cannot read the description");
  // Without this flag hwloc omits objects that this process may not use.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return NoTopology("hwloc found no topology");

  Topology topology;
  topology.packages = Count(raw, HWLOC_OBJ_PACKAGE);
  topology.cores = Count(raw, HWLOC_OBJ_CORE);
  topology.threads = Count(raw, HWLOC_OBJ_PU);
  topology.numa_nodes = Count(raw, HWLOC_OBJ_NUMANODE);
  topology.memory_bytes = hwloc_get_root_obj(raw)->total_memory;
  const int kinds = hwloc_cpukinds_get_nr(raw, 0);
  topology.core_kinds = kinds > 0 ? static_cast<unsigned>(kinds) : 0;
  topology.caches = Caches(raw);
  topology.usable_threads = Weight(hwloc_topology_get_allowed_cpuset(raw));
  if (this_machine) {
    topology.memory_bytes = std::max(topology.memory_bytes, MemoryOfSystem());
    const BitmapHandle bound(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
    if (bound != nullptr && hwloc_get_cpubind(raw, bound.get(), HWLOC_CPUBIND_THREAD) == 0 &&
        Weight(bound.get()) > 0) {
      topology.usable_threads = std::min(topology.usable_threads, Weight(bound.get()));
    }
  }
  return topology;
}

}  // namespace

std::string_view Name(CacheKind kind) {
  switch (kind) {
    case CacheKind::kData:
      return "data";
    case CacheKind::kInstruction:
      return "instruction";
    case CacheKind::kUnified:
      return "unified";
  }
  return "unified";
}

Result<Topology> ReadTopology() {
  return LoadTopology([](hwloc_topology_t) { return 0; }, true);
}

Result<Topology> TopologyOfSynthetic(const std::string& description) {
  return LoadTopology(
      [&](hwloc_topology_t topology) {
        return hwloc_topology_set_synthetic(topology, description.c_str());
      },
      false);
}

}  // namespace tare::host
