// network_file.cc: reads and writes networks as TOML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/printable.h"
#include "base/toml_table.h"
#include "base/units.h"
#include "predict/replay/network.h"

namespace tare::replay {
namespace {

constexpr auto kRootKeys = std::to_array<std::string_view>(
    {"format", "name", "source", "latency", "bandwidth", "overhead", "gap", "handshake",
     "eager_limit", "ranks_per_node", "nodes", "links_in", "links_out", "buses", "reduction",
     "node", "topology", "collectives"});
constexpr auto kNodeKeys =
    std::to_array<std::string_view>({"latency", "bandwidth", "overhead", "gap", "handshake",
                                     "cores", "hand_over", "shared_overhead", "time_slice"});
constexpr auto kTopologyKeys = std::to_array<std::string_view>(
    {"kind", "dimensions", "parents", "backbone_bandwidth", "link_latency"});

constexpr std::uint64_t kMaxFileBytes = 1 << 20;

using QuantityParser = Result<double> (*)(std::string_view);

Result<double> DurationOrZero(std::string_view text) {
  if (text == "0") return 0.0;
  return ParseDuration(text);
}

// A text such as "1.5us", or a list of the value and the ends of its range.
Result<std::optional<Uncertain>> QuantityAt(const TomlTable& table, std::string_view key,
                                            QuantityParser parse) {
  if (!table.Has(key)) return std::nullopt;
  TRY(const auto texts, table.Texts(key));
  if (texts.size() != 1 && texts.size() != 3) {
    return table.FailAtKey(
        key, fmt::format("{} is one quantity, or a list of value, low and high", key));
  }
  std::array<double, 3> values = {};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto value = parse(texts[i]);
    if (!value) return table.FailAtKey(key, value.error().message);
    values[i] = *value;
  }
  if (texts.size() == 1) return Certain(values[0]);
  if (values[1] > values[0] || values[0] > values[2]) {
    return table.FailAtKey(key, fmt::format("{}: the value must be within its range", key));
  }
  return Uncertain{values[0], values[1], values[2]};
}

Result<void> ReadCosts(const TomlTable& table, LinkCosts& costs) {
  TRY(const auto latency, QuantityAt(table, "latency", DurationOrZero));
  if (latency) costs.latency = *latency;
  TRY(const auto bandwidth, QuantityAt(table, "bandwidth", ParseBandwidth));
  if (bandwidth) costs.bandwidth = *bandwidth;
  TRY(const auto overhead, QuantityAt(table, "overhead", DurationOrZero));
  if (overhead) costs.overhead = *overhead;
  TRY(const auto gap, QuantityAt(table, "gap", DurationOrZero));
  if (gap) costs.gap = *gap;
  TRY(const auto handshake, QuantityAt(table, "handshake", DurationOrZero));
  if (handshake) costs.handshake = *handshake;
  return {};
}

Result<std::uint32_t> CountAt(const TomlTable& table, std::string_view key,
                              std::uint32_t otherwise) {
  constexpr std::uint64_t kMaxCount = 100'000'000;
  TRY(const auto number, table.Number(key, 0));
  if (!number) return otherwise;
  if (*number > kMaxCount) return table.FailAtKey(key, fmt::format("{} is too large", key));
  return static_cast<std::uint32_t>(*number);
}

Result<std::vector<std::uint32_t>> CountsAt(const TomlTable& table, std::string_view key) {
  std::vector<std::uint32_t> counts;
  if (!table.Has(key)) return counts;
  TRY(const auto texts, table.Texts(key));
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const std::size_t x = rest.find('x');
      const std::string_view word = rest.substr(0, x);
      const auto count = ParseBytes(word);
      if (!count || *count == 0 || *count > 1'000'000) {
        return table.FailAtKey(key,
                               fmt::format("{} are numbers joined by x, such as \"4x4x2\"", key));
      }
      counts.push_back(static_cast<std::uint32_t>(*count));
      if (x == std::string_view::npos) break;
      rest.remove_prefix(x + 1);
    }
  }
  return counts;
}

Result<void> ReadTopology(const TomlTable& table, Topology& topology) {
  TRY_VOID(table.OnlyKeys(kTopologyKeys));
  TRY(const auto kind, table.Text("kind"));
  if (!kind) return table.FailHere("a topology needs a kind");
  const auto parsed = ParseTopologyKind(*kind);
  if (!parsed) {
    return table.FailAtKey("kind",
                           fmt::format("'{}' is no topology; there are flat, star, backbone, "
                                       "fat-tree, torus and dragonfly",
                                       Printable(*kind)));
  }
  topology.kind = *parsed;
  TRY(topology.dimensions, CountsAt(table, "dimensions"));
  TRY(topology.parents, CountsAt(table, "parents"));
  TRY(const auto backbone, QuantityAt(table, "backbone_bandwidth", ParseBandwidth));
  if (backbone) topology.backbone_bandwidth = backbone->value;
  TRY(const auto latency, QuantityAt(table, "link_latency", DurationOrZero));
  if (latency) topology.link_latency = latency->value;
  return {};
}

Result<void> ReadAlgorithms(const TomlTable& table, Network& network) {
  std::array<std::string_view, kCollectives> names = {};
  for (std::size_t i = 0; i < kCollectives; ++i) names[i] = Name(static_cast<Collective>(i));
  TRY_VOID(table.OnlyKeys(names));
  for (std::size_t i = 0; i < kCollectives; ++i) {
    TRY(const auto text, table.Text(names[i]));
    if (!text) continue;
    const auto algorithm = ParseAlgorithm(*text);
    const auto known = AlgorithmsOf(static_cast<Collective>(i));
    if (!algorithm || std::ranges::find(known, *algorithm) == known.end()) {
      std::string list;
      for (const Algorithm each : known)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", Name(each));
      return table.FailAtKey(names[i], fmt::format("'{}' is no algorithm for {}; there are: {}",
                                                   Printable(*text), names[i], list));
    }
    network.algorithms[i] = algorithm;
  }
  return {};
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Digits(double value) { return fmt::format("{:.6g}", value); }

std::string QuantityText(const Uncertain& of, double factor, std::string_view unit) {
  const auto one = [&](double value) {
    return fmt::format("\"{}{}\"", Digits(value * factor), unit);
  };
  if (of.low == of.value && of.high == of.value) return one(of.value);
  return fmt::format("[{}, {}, {}]", one(of.value), one(of.low), one(of.high));
}

// Leaves out what is 0, and is so by default.
std::string CostsText(const LinkCosts& costs, const LinkCosts& defaults) {
  constexpr double kMicro = 1e6;
  std::string text = fmt::format(
      "latency = {}\nbandwidth = {}\noverhead = {}\n", QuantityText(costs.latency, kMicro, "us"),
      QuantityText(costs.bandwidth, 1e-6, "MB/s"), QuantityText(costs.overhead, kMicro, "us"));
  if (costs.gap.high > 0 || defaults.gap.high > 0) {
    text += fmt::format("gap = {}\n", QuantityText(costs.gap, kMicro, "us"));
  }
  if (costs.handshake.high > 0 || defaults.handshake.high > 0) {
    text += fmt::format("handshake = {}\n", QuantityText(costs.handshake, kMicro, "us"));
  }
  return text;
}

std::string Joined(std::span<const std::uint32_t> counts) {
  return fmt::format("\"{}\"", fmt::join(counts, "x"));
}

}  // namespace

Result<Network> ParseNetwork(std::string_view text, const std::filesystem::path& path) {
  TRY(const auto file, TomlFile::Parse(text, path));
  const TomlTable root = file.Root();
  TRY(const auto format, root.Number("format", 0));
  if (!format) {
    return root.FailHere(fmt::format("not a network file: it needs 'format = {}'", kNetworkFormat));
  }
  if (*format != kNetworkFormat) {
    return root.FailAtKey("format", fmt::format("the network file has format {}; this tare reads "
                                                "format {}",
                                                *format, kNetworkFormat));
  }
  TRY_VOID(root.OnlyKeys(kRootKeys));
  Network network;
  TRY(const auto name, root.Text("name"));
  network.name = name.value_or(path.stem().string());
  TRY(const auto source, root.Text("source"));
  network.source = source.value_or("given");
  for (const std::string_view needed : {"latency", "bandwidth"}) {
    if (!root.Has(needed)) return root.FailHere(fmt::format("a network needs a {}", needed));
  }
  network.between.overhead = Certain(0);
  TRY_VOID(ReadCosts(root, network.between));
  network.within = network.between;
  TRY(const auto eager, root.Text("eager_limit"));
  if (eager) {
    const auto bytes = ParseBytes(*eager);
    if (!bytes) return root.FailAtKey("eager_limit", bytes.error().message);
    network.eager_limit = *bytes;
  }
  TRY(network.ranks_per_node, CountAt(root, "ranks_per_node", 0));
  TRY(network.nodes, CountAt(root, "nodes", 0));
  TRY(network.links_in, CountAt(root, "links_in", 1));
  TRY(network.links_out, CountAt(root, "links_out", 1));
  TRY(network.buses, CountAt(root, "buses", 0));
  TRY(const auto reduction, QuantityAt(root, "reduction", ParseBandwidth));
  if (reduction) network.reduction = reduction->value;
  TRY(const auto node, root.Table("node"));
  if (node) {
    TRY_VOID(node->OnlyKeys(kNodeKeys));
    TRY_VOID(ReadCosts(*node, network.within));
    TRY(network.cores, CountAt(*node, "cores", 0));
    TRY(const auto hand_over, QuantityAt(*node, "hand_over", DurationOrZero));
    if (hand_over) network.hand_over = *hand_over;
    TRY(const auto overhead, QuantityAt(*node, "shared_overhead", DurationOrZero));
    if (overhead) network.shared_overhead = *overhead;
    TRY(const auto slice, QuantityAt(*node, "time_slice", DurationOrZero));
    if (slice) network.time_slice = slice->value;
  }
  TRY(const auto topology, root.Table("topology"));
  if (topology) TRY_VOID(ReadTopology(*topology, network.topology));
  TRY(const auto collectives, root.Table("collectives"));
  if (collectives) TRY_VOID(ReadAlgorithms(*collectives, network));
  if (const auto checked = CheckNetwork(network); !checked) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: {}", Printable(path.string()), checked.error().message));
  }
  return network;
}

std::string FormatNetwork(const Network& network) {
  std::string text = fmt::format("format = {}\nname = \"{}\"\nsource = \"{}\"\n", kNetworkFormat,
                                 Escaped(network.name), Escaped(network.source));
  text += CostsText(network.between, {});
  text += fmt::format("eager_limit = \"{}B\"\n", network.eager_limit);
  if (network.ranks_per_node > 0)
    text += fmt::format("ranks_per_node = {}\n", network.ranks_per_node);
  if (network.nodes > 0) text += fmt::format("nodes = {}\n", network.nodes);
  text += fmt::format("links_in = {}\nlinks_out = {}\nbuses = {}\n", network.links_in,
                      network.links_out, network.buses);
  if (network.reduction > 0) {
    text += fmt::format("reduction = \"{}MB/s\"\n", Digits(network.reduction * 1e-6));
  }
  text += "\n[node]\n" + CostsText(network.within, network.between);
  if (network.cores > 0) text += fmt::format("cores = {}\n", network.cores);
  if (network.hand_over.high > 0) {
    text += fmt::format("hand_over = {}\n", QuantityText(network.hand_over, 1e6, "us"));
  }
  if (network.shared_overhead.high > 0) {
    text += fmt::format("shared_overhead = {}\n", QuantityText(network.shared_overhead, 1e6, "us"));
  }
  if (network.time_slice > 0) {
    text += fmt::format("time_slice = \"{}ms\"\n", Digits(network.time_slice * 1e3));
  }
  const Topology& topology = network.topology;
  if (topology.kind != TopologyKind::kFlat) {
    text += fmt::format("\n[topology]\nkind = \"{}\"\n", Name(topology.kind));
    if (!topology.dimensions.empty()) {
      text += fmt::format("dimensions = {}\n", Joined(topology.dimensions));
    }
    if (!topology.parents.empty()) text += fmt::format("parents = {}\n", Joined(topology.parents));
    if (topology.backbone_bandwidth > 0) {
      text += fmt::format("backbone_bandwidth = \"{}MB/s\"\n",
                          Digits(topology.backbone_bandwidth * 1e-6));
    }
    if (topology.link_latency > 0) {
      text += fmt::format("link_latency = \"{}us\"\n", Digits(topology.link_latency * 1e6));
    }
  }
  bool opened = false;
  for (std::size_t i = 0; i < kCollectives; ++i) {
    if (!network.algorithms[i]) continue;
    if (!opened) text += "\n[collectives]\n";
    opened = true;
    text += fmt::format("{} = \"{}\"\n", Name(static_cast<Collective>(i)),
                        Name(*network.algorithms[i]));
  }
  return text;
}

Result<Network> ReadNetwork(const std::filesystem::path& path) {
  TRY(const auto text, ReadFile(path, kMaxFileBytes));
  return ParseNetwork(text, path);
}

Result<Network> FindNetwork(const std::string& word) {
  if (auto known = KnownNetwork(word)) return *std::move(known);
  std::error_code error;
  if (word.find('/') == std::string::npos && !std::filesystem::exists(word, error)) {
    std::string names;
    for (const std::string_view name : KnownNetworks()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    return Fail(ErrorKind::kUsage,
                fmt::format("no network '{}': there is no such file, and the known "
                            "networks are {}",
                            Printable(word), names));
  }
  return ReadNetwork(word);
}

}  // namespace tare::replay
