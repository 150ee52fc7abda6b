// network.h: the network that messages are replayed on, and its file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/replay/collective.h"

namespace tare::replay {

// docs/formats/network.md specifies the file.
inline constexpr int kNetworkFormat = 1;

// A parameter and how far it can be off; low == high if it is taken as known.
struct Uncertain {
  double value = 0;
  double low = 0;
  double high = 0;

  friend bool operator==(const Uncertain&, const Uncertain&) = default;
};
inline Uncertain Certain(double value) { return {value, value, value}; }

// LogGP: Alexandrov, Ionescu, Schauser and Scheiman, 1995. A message of k bytes occupies the
// sender for `overhead`, its link for max(gap, k / bandwidth), arrives `latency` after its last
// byte was sent, and occupies the receiver for `overhead`.
struct LinkCosts {
  Uncertain latency;    // seconds
  Uncertain bandwidth;  // bytes per second
  Uncertain overhead;   // seconds
  Uncertain gap;        // seconds between messages of one link
  Uncertain handshake;  // seconds beyond latencies, of a message above the eager limit

  friend bool operator==(const LinkCosts&, const LinkCosts&) = default;
};

enum class TopologyKind : std::uint8_t { kFlat, kStar, kBackbone, kFatTree, kTorus, kDragonfly };
std::string_view Name(TopologyKind kind);
std::optional<TopologyKind> ParseTopologyKind(std::string_view name);

struct Topology {
  TopologyKind kind = TopologyKind::kFlat;  // flat: no shared links but those of the nodes
  // Torus: nodes per dimension. Fat tree: children per level, from the nodes up. Dragonfly: groups,
  // chassis per group, routers per chassis, nodes per router.
  std::vector<std::uint32_t> dimensions;
  std::vector<std::uint32_t> parents;  // fat tree: parents per level
  double backbone_bandwidth = 0;       // bytes per second
  double link_latency = 0;             // seconds; 0: so that neighbors have the network's latency

  friend bool operator==(const Topology&, const Topology&) = default;
};

struct Network {
  std::string name;
  std::string source;                 // where the figures come from
  LinkCosts between;                  // between nodes
  LinkCosts within;                   // within a node
  std::uint64_t eager_limit = 65536;  // larger messages wait for their receiver
  std::uint32_t ranks_per_node = 0;   // 0: as recorded on several hosts, otherwise 1
  std::uint32_t cores = 0;            // per node; 0: one for each rank
  Uncertain hand_over;                // seconds until the next rank of a core has it
  Uncertain shared_overhead;    // within a node whose ranks share cores; 0: as within.overhead
  double time_slice = 0;        // seconds that a rank may compute then; 0: until it waits
  std::uint32_t links_out = 1;  // per node; 0: any number of messages at once
  std::uint32_t links_in = 1;   // likewise
  std::uint32_t buses = 0;      // messages between nodes at once; 0: any number
  std::uint32_t nodes = 0;      // that exist; 0: as many as needed; 1: all ranks on it
  double reduction = 0;         // bytes per second that a rank combines; 0: no time
  Topology topology;
  std::array<std::optional<Algorithm>, kCollectives> algorithms;

  friend bool operator==(const Network&, const Network&) = default;
};

Algorithm AlgorithmFor(const Network& network, Collective collective, std::int32_t size,
                       std::uint64_t bytes);

// Networks that are known by name, with typical figures.
std::span<const std::string_view> KnownNetworks();
std::optional<Network> KnownNetwork(std::string_view name);

// `path` is used in messages. kFormat for other versions, unknown keys and impossible figures.
Result<Network> ParseNetwork(std::string_view text, const std::filesystem::path& path);
std::string FormatNetwork(const Network& network);
Result<Network> ReadNetwork(const std::filesystem::path& path);
// A known name, or a file.
Result<Network> FindNetwork(const std::string& word);

// kUsage for a latency of a year, a bandwidth of 0, and so on.
Result<void> CheckNetwork(const Network& network);

// All parameters at the end of their ranges that makes messages fast or slow.
Network AtEnd(const Network& network, bool slow);

// No latency, no overhead, and any bandwidth: what remains is computation and its dependences.
Network IdealNetwork(const Network& network);

// "12.5GB/s", "100Gbit/s" or a plain number: bytes per second.
Result<double> ParseBandwidth(std::string_view text);

// The node of each rank.
Result<std::vector<std::uint32_t>> NodesOf(const Network& network, std::int32_t ranks,
                                           std::span<const std::uint32_t> recorded);

}  // namespace tare::replay
