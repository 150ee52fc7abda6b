// network.cc: known networks, checks, and the placement of ranks.
#include "predict/replay/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/printable.h"

namespace tare::replay {
namespace {

constexpr std::array<std::string_view, 6> kTopologyNames = {"flat",     "star",  "backbone",
                                                            "fat-tree", "torus", "dragonfly"};

constexpr auto kKnownNames = std::to_array<std::string_view>(
    {"ideal", "shared-memory", "ethernet-1g", "ethernet-10g", "ethernet-100g", "infiniband-hdr"});

LinkCosts Costs(double latency, double bandwidth, double overhead) {
  return {Certain(latency), Certain(bandwidth), Certain(overhead), Certain(0), Certain(0)};
}

// Two processes of one node: two copies through a segment of shared memory.
LinkCosts SharedMemory() { return Costs(0.3e-6, 5e9, 0.1e-6); }

Result<void> CheckSeconds(const Uncertain& time, std::string_view where, std::string_view what) {
  constexpr double kMaxSeconds = 10;
  for (const double value : {time.value, time.low, time.high}) {
    if (!(value >= 0) || value > kMaxSeconds) {
      return Fail(ErrorKind::kUsage, fmt::format("the {}{} must be between 0 and 10 s, not {:g} s",
                                                 where, what, value));
    }
  }
  return {};
}

Result<void> CheckCosts(const LinkCosts& costs, std::string_view where) {
  TRY_VOID(CheckSeconds(costs.latency, where, "latency"));
  TRY_VOID(CheckSeconds(costs.overhead, where, "overhead"));
  TRY_VOID(CheckSeconds(costs.gap, where, "gap"));
  TRY_VOID(CheckSeconds(costs.handshake, where, "handshake"));
  for (const double value : {costs.bandwidth.value, costs.bandwidth.low, costs.bandwidth.high}) {
    if (!(value >= 1) || value > 1e18) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("the {}bandwidth must be between 1 B/s and 1e18 B/s, not {:g} B/s",
                              where, value));
    }
  }
  return {};
}

Uncertain EndOf(const Uncertain& time, bool slow) { return Certain(slow ? time.high : time.low); }

LinkCosts EndOf(const LinkCosts& costs, bool slow) {
  return {EndOf(costs.latency, slow), Certain(slow ? costs.bandwidth.low : costs.bandwidth.high),
          EndOf(costs.overhead, slow), EndOf(costs.gap, slow), EndOf(costs.handshake, slow)};
}

std::uint64_t Product(std::span<const std::uint32_t> factors) {
  std::uint64_t product = 1;
  for (const std::uint32_t factor : factors) {
    product = std::min<std::uint64_t>(product * factor, UINT32_MAX);
  }
  return product;
}

}  // namespace

std::string_view Name(TopologyKind kind) { return kTopologyNames[static_cast<std::size_t>(kind)]; }

std::optional<TopologyKind> ParseTopologyKind(std::string_view name) {
  const auto at = std::ranges::find(kTopologyNames, name);
  if (at == kTopologyNames.end()) return std::nullopt;
  return static_cast<TopologyKind>(at - kTopologyNames.begin());
}

Algorithm AlgorithmFor(const Network& network, Collective collective, std::int32_t size,
                       std::uint64_t bytes) {
  const auto& chosen = network.algorithms[static_cast<std::size_t>(collective)];
  return chosen ? *chosen : ChooseAlgorithm(collective, size, bytes);
}

std::span<const std::string_view> KnownNetworks() { return kKnownNames; }

std::optional<Network> KnownNetwork(std::string_view name) {
  Network network;
  network.name = name;
  network.source = "typical figures";
  network.within = SharedMemory();
  // Linux with 250 ticks per second; matters only if nodes have `cores`.
  network.hand_over = Certain(1e-6);
  network.time_slice = 4e-3;
  if (name == "ideal") return IdealNetwork(network);
  if (name == "shared-memory") {
    network.between = SharedMemory();
    network.eager_limit = 4096;
  } else if (name == "ethernet-1g") {
    network.between = Costs(25e-6, 117e6, 3e-6);
  } else if (name == "ethernet-10g") {
    network.between = Costs(10e-6, 1.15e9, 2e-6);
  } else if (name == "ethernet-100g") {
    network.between = Costs(3e-6, 11.5e9, 1e-6);
  } else if (name == "infiniband-hdr") {
    network.between = Costs(0.8e-6, 24e9, 0.2e-6);
    network.eager_limit = 8192;
  } else {
    return std::nullopt;
  }
  return network;
}

Result<void> CheckNetwork(const Network& network) {
  TRY_VOID(CheckCosts(network.between, ""));
  TRY_VOID(CheckCosts(network.within, "node's "));
  TRY_VOID(CheckSeconds(network.hand_over, "", "hand_over"));
  TRY_VOID(CheckSeconds(network.shared_overhead, "", "shared_overhead"));
  TRY_VOID(CheckSeconds(Certain(network.time_slice), "", "time_slice"));
  // Kernels give more, and each slice takes the replay a step.
  constexpr double kMinSlice = 10e-6;
  if (network.time_slice > 0 && network.time_slice < kMinSlice) {
    return Fail(ErrorKind::kUsage, "time_slice must be 0 or at least 10 us");
  }
  if (network.reduction < 0 || !std::isfinite(network.reduction)) {
    return Fail(ErrorKind::kUsage, "the rate of reductions must not be negative");
  }
  const Topology& topology = network.topology;
  const auto missing = [&](std::string_view what) {
    return Fail(ErrorKind::kUsage, fmt::format("topology {} needs {}", Name(topology.kind), what));
  };
  if (std::ranges::any_of(topology.dimensions, [](std::uint32_t n) { return n == 0; }) ||
      std::ranges::any_of(topology.parents, [](std::uint32_t n) { return n == 0; })) {
    return missing("dimensions of at least 1");
  }
  switch (topology.kind) {
    case TopologyKind::kFlat:
    case TopologyKind::kStar:
      break;
    case TopologyKind::kBackbone:
      if (!(topology.backbone_bandwidth >= 1)) return missing("backbone_bandwidth");
      break;
    case TopologyKind::kFatTree:
      if (topology.dimensions.empty() || topology.parents.size() != topology.dimensions.size()) {
        return missing("dimensions (children per level) and as many parents");
      }
      break;
    case TopologyKind::kTorus:
      if (topology.dimensions.empty()) return missing("dimensions, such as [4, 4, 4]");
      break;
    case TopologyKind::kDragonfly:
      if (topology.dimensions.size() != 4) {
        return missing("four dimensions: groups, chassis, routers per chassis, nodes per router");
      }
      // SimGrid 3.32 reads beyond its tables otherwise.
      if (topology.dimensions[2] < topology.dimensions[0]) {
        return missing("at least as many routers per chassis as groups");
      }
      break;
  }
  return {};
}

Network AtEnd(const Network& network, bool slow) {
  Network end = network;
  end.between = EndOf(network.between, slow);
  end.within = EndOf(network.within, slow);
  end.hand_over = EndOf(network.hand_over, slow);
  end.shared_overhead = EndOf(network.shared_overhead, slow);
  return end;
}

Network IdealNetwork(const Network& network) {
  Network ideal = network;
  ideal.between = Costs(0, 1e17, 0);
  ideal.within = ideal.between;
  ideal.hand_over = Certain(0);
  ideal.shared_overhead = Certain(0);
  ideal.links_in = 0;
  ideal.links_out = 0;
  ideal.buses = 0;
  ideal.reduction = 0;
  ideal.topology = {};
  return ideal;
}

Result<double> ParseBandwidth(std::string_view text) {
  const auto malformed = [&] {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not a bandwidth; write 12.5GB/s, 800MiB/s or 100Gbit/s",
                            Printable(text)));
  };
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return malformed();
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty()) return value;
  if (!unit.ends_with("/s")) return malformed();
  unit.remove_suffix(2);
  double bits = 1;
  if (unit.ends_with("bit")) {
    bits = 0.125;
    unit.remove_suffix(3);
  } else if (unit.ends_with("B")) {
    unit.remove_suffix(1);
  } else {
    return malformed();
  }
  struct Prefix {
    std::string_view name;
    double factor;
  };
  constexpr std::array<Prefix, 10> kPrefixes = {{{"", 1},
                                                 {"k", 1e3},
                                                 {"K", 1e3},
                                                 {"M", 1e6},
                                                 {"G", 1e9},
                                                 {"T", 1e12},
                                                 {"Ki", 1024.0},
                                                 {"Mi", 1024.0 * 1024},
                                                 {"Gi", 1024.0 * 1024 * 1024},
                                                 {"Ti", 1024.0 * 1024 * 1024 * 1024}}};
  for (const Prefix& prefix : kPrefixes) {
    if (unit == prefix.name) return value * prefix.factor * bits;
  }
  return malformed();
}

Result<std::vector<std::uint32_t>> NodesOf(const Network& network, std::int32_t ranks,
                                           std::span<const std::uint32_t> recorded) {
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::uint32_t> nodes(count);
  const bool several =
      std::ranges::any_of(recorded, [&](std::uint32_t node) { return node != recorded[0]; });
  if (network.nodes == 1 && network.ranks_per_node == 0) {
    return nodes;  // all on one
  }
  if (network.ranks_per_node > 0) {
    for (std::size_t rank = 0; rank < count; ++rank) {
      nodes[rank] = static_cast<std::uint32_t>(rank / network.ranks_per_node);
    }
  } else if (several && recorded.size() == count) {
    std::ranges::copy(recorded, nodes.begin());
  } else {
    for (std::size_t rank = 0; rank < count; ++rank) nodes[rank] = static_cast<std::uint32_t>(rank);
  }
  const std::uint64_t needed = count == 0 ? 0 : std::uint64_t{*std::ranges::max_element(nodes)} + 1;
  std::uint64_t available = network.nodes;
  if (network.topology.kind >= TopologyKind::kFatTree) {
    const std::uint64_t places = Product(network.topology.dimensions);
    available = available == 0 ? places : std::min(available, places);
  }
  if (available > 0 && needed > available) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} ranks need {} nodes, but network {} has {}; set ranks_per_node or "
                            "enlarge the topology",
                            ranks, needed, Printable(network.name), available));
  }
  return nodes;
}

}  // namespace tare::replay
