// processor_change.cc: parses changes and applies them to a description.
#include "model/core/processor_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"

namespace tare::model {
namespace {

constexpr std::size_t kMaxSteps = 64;

enum class Quantity { kBytes, kWays, kLine };

struct QuantityName {
  std::string_view name;
  Quantity quantity;
};
constexpr auto kQuantities = std::to_array<QuantityName>({{"bytes", Quantity::kBytes},
                                                          {"capacity", Quantity::kBytes},
                                                          {"size", Quantity::kBytes},
                                                          {"ways", Quantity::kWays},
                                                          {"line", Quantity::kLine}});
constexpr auto kLevels = std::to_array<std::string_view>({"l1d", "l1i", "l2", "l3", "l1"});

struct Change {
  std::string name;  // "L2.bytes"
  std::string level;
  Quantity quantity = Quantity::kBytes;
  std::uint64_t low = 0;
  std::uint64_t high = 0;  // as low unless it is a range
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

Result<std::uint64_t> ValueOf(std::string_view word, Quantity quantity, std::string_view change) {
  if (quantity != Quantity::kWays) {
    if (auto bytes = ParseBytes(word); bytes && *bytes > 0) return *bytes;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size() && value > 0) return value;
  return Fail(
      ErrorKind::kUsage,
      fmt::format("{}: '{}' is not {}", Printable(change), Printable(word),
                  quantity == Quantity::kWays ? "a number of ways" : "a size such as 1MiB"));
}

Result<Change> ParseOne(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t dot = text.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no change; write LEVEL.QUANTITY=VALUE, such as L2.bytes=1MiB",
                            Printable(text)));
  }
  Change change;
  change.level = Lower(text.substr(0, dot));
  if (std::ranges::find(kLevels, change.level) == kLevels.end()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: no such level; there are L1d, L1i, L2 and L3", Printable(text)));
  }
  if (change.level == "l1") change.level = "l1d";
  const std::string quantity = Lower(text.substr(dot + 1, equals - dot - 1));
  const auto found = std::ranges::find(kQuantities, quantity, &QuantityName::name);
  if (found == kQuantities.end()) {
    std::vector<std::string_view> names;
    for (const QuantityName& known : kQuantities) names.push_back(known.name);
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: no such quantity; there are bytes, ways and line{}",
                            Printable(text), DidYouMean(quantity, names)));
  }
  change.quantity = found->quantity;
  change.name = std::string(text.substr(0, equals));
  const std::string_view value = text.substr(equals + 1);
  const std::size_t dots = value.find("..");
  TRY(change.low, ValueOf(value.substr(0, dots), change.quantity, text));
  change.high = change.low;
  if (dots == std::string_view::npos) return change;
  TRY(change.high, ValueOf(value.substr(dots + 2), change.quantity, text));
  if (change.high > change.low) return change;
  return Fail(ErrorKind::kUsage, fmt::format("{}: the range is empty", Printable(text)));
}

Result<void> Apply(const Change& change, std::uint64_t value, Processor& processor) {
  CacheLevel* level = nullptr;
  if (change.level == "l1d") level = &processor.l1d;
  if (change.level == "l1i") level = &processor.l1i;
  if (change.level == "l2" && processor.l2) level = &*processor.l2;
  if (change.level == "l3" && processor.l3) level = &*processor.l3;
  if (level == nullptr) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {} has no such level", Printable(change.name),
                                               Printable(processor.name)));
  }
  switch (change.quantity) {
    case Quantity::kBytes:
      level->bytes = value;
      break;
    case Quantity::kWays:
      level->ways = static_cast<unsigned>(std::min<std::uint64_t>(value, 1 << 20));
      break;
    case Quantity::kLine:
      level->line_bytes = static_cast<unsigned>(std::min<std::uint64_t>(value, 1 << 20));
      break;
  }
  return {};
}

std::string Written(const Change& change, std::uint64_t value) {
  if (change.quantity == Quantity::kWays) return fmt::format("{}={}", change.name, value);
  constexpr auto kUnits = std::to_array<std::pair<std::uint64_t, std::string_view>>(
      {{std::uint64_t{1} << 30, "GiB"}, {std::uint64_t{1} << 20, "MiB"}, {1 << 10, "KiB"}});
  for (const auto& [size, unit] : kUnits) {
    if (value % size == 0) return fmt::format("{}={}{}", change.name, value / size, unit);
  }
  return fmt::format("{}={}B", change.name, value);
}

}  // namespace

Result<ProcessorRange> ChangesOf(std::string_view text, const Processor& processor) {
  std::vector<Change> changes;
  std::optional<std::size_t> ranged;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    TRY(auto change, ParseOne(rest.substr(0, comma)));
    if (change.high > change.low) {
      if (ranged) return Fail(ErrorKind::kUsage, "only one range at a time");
      ranged = changes.size();
    }
    changes.push_back(std::move(change));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (changes.empty()) return Fail(ErrorKind::kUsage, "no change is given");
  ProcessorRange range;
  const Change& varied = changes[ranged.value_or(0)];
  if (ranged) {
    range.ranged = varied.name;
    range.unit = varied.quantity == Quantity::kWays ? "" : "B";
  }
  for (std::uint64_t value = varied.low;
       value <= varied.high && range.processors.size() < kMaxSteps; value *= 2) {
    ChangedProcessor changed{"", static_cast<double>(value), processor};
    for (const Change& change : changes) {
      const std::uint64_t own = &change == &varied ? value : change.low;
      TRY_VOID(Apply(change, own, changed.processor));
      changed.text += fmt::format("{}{}", changed.text.empty() ? "" : ",", Written(change, own));
    }
    TRY_VOID(Validate(changed.processor));
    changed.processor.name = fmt::format("{} {}", processor.name, changed.text);
    range.processors.push_back(std::move(changed));
  }
  return range;
}

}  // namespace tare::model
