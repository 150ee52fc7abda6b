// network_change.cc: parses changes and applies them.
#include "predict/replay/network_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/near_match.h"
#include "base/plain_decimal.h"
#include "base/printable.h"
#include "base/units.h"

namespace tare::replay {
namespace {

enum class ValueKind { kTime, kRate, kBytes, kCount, kFactor, kWord };

struct Parameter {
  std::string_view name;
  ValueKind kind;
  Uncertain LinkCosts::* cost = nullptr;  // of both, or of the node alone
  bool node = false;
  std::uint32_t Network::* count = nullptr;
};

constexpr auto kParameters = std::to_array<Parameter>({
    {"latency", ValueKind::kTime, &LinkCosts::latency},
    {"bandwidth", ValueKind::kRate, &LinkCosts::bandwidth},
    {"overhead", ValueKind::kTime, &LinkCosts::overhead},
    {"gap", ValueKind::kTime, &LinkCosts::gap},
    {"node.latency", ValueKind::kTime, &LinkCosts::latency, true},
    {"node.bandwidth", ValueKind::kRate, &LinkCosts::bandwidth, true},
    {"node.overhead", ValueKind::kTime, &LinkCosts::overhead, true},
    {"eager_limit", ValueKind::kBytes},
    {"ranks_per_node", ValueKind::kCount, nullptr, false, &Network::ranks_per_node},
    {"cores", ValueKind::kCount, nullptr, false, &Network::cores},
    {"links_in", ValueKind::kCount, nullptr, false, &Network::links_in},
    {"links_out", ValueKind::kCount, nullptr, false, &Network::links_out},
    {"buses", ValueKind::kCount, nullptr, false, &Network::buses},
    {"cpu", ValueKind::kFactor},
    {"network", ValueKind::kWord},
    {"topology", ValueKind::kWord},
});

struct Value {
  double number = 0;
  bool factor = false;  // "x2"
};

struct ParsedChange {
  const Parameter* parameter = nullptr;
  std::string word;
  Value low;
  std::optional<Value> high;
};

Result<double> PlainNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is not a number", Printable(text)));
  }
  return number;
}

constexpr double kMaxFactor = 1e9;
constexpr double kMaxChangedCount = 1e8;

Result<Value> ParseFactor(std::string_view text) {
  TRY(const double factor, PlainNumber(text.starts_with('x') ? text.substr(1) : text));
  if (!(factor >= 1 / kMaxFactor && factor <= kMaxFactor)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': a factor must be between 1e-9 and 1e9", Printable(text)));
  }
  return Value{factor, true};
}

Result<Value> ParseValue(const Parameter& parameter, std::string_view text) {
  if (text.starts_with('x')) return ParseFactor(text);
  switch (parameter.kind) {
    case ValueKind::kTime: {
      if (text == "0") return Value{};
      TRY(const double seconds, ParseDuration(text));
      return Value{seconds, false};
    }
    case ValueKind::kRate: {
      TRY(const double rate, ParseBandwidth(text));
      return Value{rate, false};
    }
    case ValueKind::kBytes: {
      TRY(const auto bytes, ParseBytes(text));
      return Value{static_cast<double>(bytes), false};
    }
    case ValueKind::kCount: {
      TRY(const double count, PlainNumber(text));
      if (!(count >= 0 && count <= kMaxChangedCount) || std::floor(count) != count) {
        return Fail(ErrorKind::kUsage, fmt::format("'{}': expected a whole number from 0 to {:.0f}",
                                                   Printable(text), kMaxChangedCount));
      }
      return Value{count, false};
    }
    case ValueKind::kFactor:
    case ValueKind::kWord:
      break;
  }
  return ParseFactor(text);
}

Result<ParsedChange> ParseOneChange(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  ParsedChange change;
  for (const Parameter& parameter : kParameters) {
    if (parameter.name == name) change.parameter = &parameter;
  }
  if (change.parameter == nullptr || equals == std::string_view::npos) {
    std::string names;
    for (const Parameter& parameter : kParameters) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
    }
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' changes nothing that is known; write NAME=VALUE with one of {}",
                            Printable(text), names));
  }
  const std::string_view value = text.substr(equals + 1);
  if (change.parameter->kind == ValueKind::kWord) {
    change.word = value;
    return change;
  }
  const std::size_t dots = value.find("..");
  TRY(change.low, ParseValue(*change.parameter, value.substr(0, dots)));
  if (dots == std::string_view::npos) return change;
  TRY(change.high, ParseValue(*change.parameter, value.substr(dots + 2)));
  if (change.low.factor != change.high->factor) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}': both ends of a range must be values, or both factors", Printable(text)));
  }
  if (!(change.low.number < change.high->number) || !(change.low.number > 0)) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}': a range goes from a lower to a higher value, above 0", Printable(text)));
  }
  return change;
}

void Apply(Uncertain& quantity, const Value& value) {
  if (value.factor) {
    quantity = {quantity.value * value.number, quantity.low * value.number,
                quantity.high * value.number};
  } else {
    quantity = Certain(value.number);
  }
}

// "fat-tree:8x2:1x2", "torus:4x4", "star"
Result<void> ApplyTopology(Network& network, const std::string& word) {
  std::string text = fmt::format(
      "format = {}\nlatency = \"1us\"\nbandwidth = \"1GB/s\"\n[topology]\n", kNetworkFormat);
  std::string_view rest = word;
  for (const std::string_view key : {"kind", "dimensions", "parents"}) {
    const std::size_t colon = rest.find(':');
    const std::string_view part = rest.substr(0, colon);
    if (part.find_first_of("\"\\\n") != std::string_view::npos) break;
    text += fmt::format("{} = \"{}\"\n", key, part);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  const auto parsed = ParseNetwork(text, "topology");
  if (!parsed) {
    return Fail(ErrorKind::kUsage,
                fmt::format("topology={}: write KIND[:DIMENSIONS[:PARENTS]], such as torus:4x4 or "
                            "fat-tree:8x2:1x2",
                            Printable(word)));
  }
  network.topology = parsed->topology;
  return {};
}

Result<void> ApplyCount(const Parameter& parameter, const Value& value, Network& network) {
  auto& count = network.*parameter.count;
  const double changed = value.factor ? std::round(value.number * count) : value.number;
  if (value.factor && count == 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{0}=x{1} has no number to multiply; write {0}=N",
                                               parameter.name, PlainDecimal(value.number)));
  }
  if (changed > kMaxChangedCount) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} must be {:.0f} or less", parameter.name, kMaxChangedCount));
  }
  count = static_cast<std::uint32_t>(changed);
  if (parameter.count == &Network::ranks_per_node) {
    if (count == 0) return Fail(ErrorKind::kUsage, "ranks_per_node must be at least 1");
    if (network.nodes == 1) network.nodes = 0;  // as many as the ranks need
  }
  return {};
}

Result<void> ApplyChange(const ParsedChange& change, const Value& value, Machine& machine) {
  const Parameter& parameter = *change.parameter;
  Network& network = machine.network;
  if (parameter.cost != nullptr) {
    if (!parameter.node) Apply(network.between.*parameter.cost, value);
    if (parameter.node || machine.one_node) Apply(network.within.*parameter.cost, value);
    if (parameter.cost == &LinkCosts::overhead && (parameter.node || machine.one_node)) {
      Apply(network.shared_overhead, value);
    }
  } else if (parameter.count != nullptr) {
    TRY_VOID(ApplyCount(parameter, value, network));
  } else if (parameter.kind == ValueKind::kBytes) {
    const double bytes =
        value.factor ? value.number * static_cast<double>(network.eager_limit) : value.number;
    network.eager_limit = static_cast<std::uint64_t>(std::min(bytes, 1e18));
  } else if (parameter.kind == ValueKind::kFactor) {
    machine.cpu *= value.number;
  } else if (parameter.name == "network") {
    TRY(Network other, FindNetwork(change.word));
    if (other.ranks_per_node == 0) other.ranks_per_node = network.ranks_per_node;
    if (other.cores == 0) {
      other.cores = network.cores;
      other.hand_over = network.hand_over;
      other.shared_overhead = network.shared_overhead;
      other.time_slice = network.time_slice;
    }
    network = std::move(other);
  } else {
    TRY_VOID(ApplyTopology(network, change.word));
  }
  return CheckNetwork(network);
}

std::string UnitOfParameter(const Parameter& parameter, bool factor) {
  if (factor) return "";
  switch (parameter.kind) {
    case ValueKind::kTime:
      return "s";
    case ValueKind::kRate:
      return "B/s";
    case ValueKind::kBytes:
      return "B";
    default:
      return "";
  }
}

std::string TextOf(const ParsedChange& change, const Value& value) {
  const std::string_view name = change.parameter->name;
  if (change.parameter->kind == ValueKind::kWord) return fmt::format("{}={}", name, change.word);
  if (value.factor) return fmt::format("{}=x{}", name, PlainDecimal(value.number));
  const std::string unit = UnitOfParameter(*change.parameter, false);
  const ScaledUnit scaled = ReadableUnit(value.number, unit);
  return fmt::format("{}={}{}", name, PlainDecimal(value.number * scaled.factor), scaled.symbol);
}

// Another network replaces all of the old one, so it comes before what changes a part.
bool IsNetwork(const ParsedChange& change) { return change.parameter->name == "network"; }

// Links, buses and topologies join nodes.
bool IsBetweenNodes(const ParsedChange& change) {
  const auto count = change.parameter->count;
  return change.parameter->name == "topology" || count == &Network::links_in ||
         count == &Network::links_out || count == &Network::buses;
}

constexpr int kRangeSteps = 9;

}  // namespace

Result<ChangeSeries> ChangesOf(std::string_view text, const Machine& machine) {
  std::vector<ParsedChange> changes;
  std::optional<std::size_t> ranged;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    TRY(ParsedChange change, ParseOneChange(rest.substr(0, comma)));
    if (change.high) {
      if (ranged) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("'{}' has more than one range; give one, and the "
                                "others in another --whatif",
                                Printable(text)));
      }
      ranged = changes.size();
    }
    changes.push_back(std::move(change));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  ChangeSeries series;
  std::vector<Value> values = {Value{}};
  if (ranged) {
    const ParsedChange& range = changes[*ranged];
    series.ranged = range.parameter->name;
    series.unit = UnitOfParameter(*range.parameter, range.low.factor);
    values.clear();
    const Value high = range.high.value_or(range.low);
    for (int step = 0; step < kRangeSteps; ++step) {
      const double at = step / (kRangeSteps - 1.0);
      double number = range.low.number * std::pow(high.number / range.low.number, at);
      if (range.parameter->kind == ValueKind::kCount) number = std::round(number);
      if (!values.empty() && values.back().number == number) continue;
      values.push_back({number, range.low.factor});
    }
  }
  for (const Value& value : values) {
    ChangedMachine changed;
    changed.machine = machine;
    changed.x = value.number;
    for (const ParsedChange& change : changes) {
      if (IsNetwork(change)) TRY_VOID(ApplyChange(change, change.low, changed.machine));
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const Value& applied = ranged && *ranged == i ? value : changes[i].low;
      if (!IsNetwork(changes[i])) TRY_VOID(ApplyChange(changes[i], applied, changed.machine));
      changed.text += fmt::format("{}{}", i == 0 ? "" : ", ", TextOf(changes[i], applied));
    }
    const auto between = std::ranges::find_if(changes, IsBetweenNodes);
    if (between != changes.end() && machine.one_node && changed.machine.network.nodes == 1) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' has no effect, because all ranks are on one node; add "
                              "network=NAME or ranks_per_node=N",
                              Printable(text)));
    }
    series.machines.push_back(std::move(changed));
  }
  return series;
}

}  // namespace tare::replay
