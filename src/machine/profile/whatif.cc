// whatif.cc: splits changes, and expands a range to single values.
#include "machine/profile/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/plain_decimal.h"
#include "base/printable.h"
#include "base/split.h"
#include "machine/profile/level_field.h"

namespace tare::machine_profile {
namespace {

constexpr std::string_view kRange = "..";
constexpr std::size_t kMaxMachines = 64;

struct Range {
  Change low;
  Change high;
  std::string name;  // "L2.bytes"
};

Result<std::optional<Range>> ParseRange(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find(kRange, equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || dots == std::string_view::npos) return std::nullopt;
  const std::string name(text.substr(0, equals + 1));
  const std::string low(text.substr(equals + 1, dots - equals - 1));
  const std::string high(text.substr(dots + kRange.size()));
  TRY(Change first, ParseChange(name + low));
  TRY(Change last, ParseChange(name + high));
  if (first.kind != last.kind) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}': both ends of a range must be values, or both factors", Printable(text)));
  }
  if (!(first.value < last.value)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': a range goes from a lower to a higher value", Printable(text)));
  }
  // Steps at equal ratios never leave 0.
  if (!(first.value > 0)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}': a range starts above 0", Printable(text)));
  }
  return Range{std::move(first), std::move(last), std::string(text.substr(0, equals))};
}

bool Doubles(const Change& change) {
  if (change.kind == Change::Kind::kTlb) return change.tlb_field != TlbField::kMiss;
  return change.kind == Change::Kind::kSet &&
         (change.field == LevelField::kBytes || change.field == LevelField::kWays ||
          change.field == LevelField::kLine);
}

std::string UnitOf(const Change& change) {
  if (change.kind == Change::Kind::kTlb) {
    if (change.tlb_field == TlbField::kMiss) return "s";
    return change.tlb_field == TlbField::kPage ? "B" : "";
  }
  if (change.kind != Change::Kind::kSet) return "";
  switch (change.field) {
    case LevelField::kBytes:
    case LevelField::kLine:
      return "B";
    case LevelField::kLatency:
      return "s";
    case LevelField::kLoad:
    case LevelField::kStore:
    case LevelField::kBandwidth:
      return "B/s";
    default:
      return "";
  }
}

// As a user would write it.
std::string ValueText(const Change& change, double value) {
  const bool factor = change.kind == Change::Kind::kScale || change.kind == Change::Kind::kClock;
  const std::string unit = UnitOf(change);
  if (unit == "B/s") return fmt::format("{}GB/s", PlainDecimal(value * 1e-9));
  if (unit == "s") return fmt::format("{}ns", PlainDecimal(value * 1e9));
  if (unit != "B") return fmt::format("{}{}{}", factor ? "x" : "", PlainDecimal(value), unit);
  constexpr double kKiB = 1024;
  constexpr double kMiB = 1024 * kKiB;
  if (std::fmod(value, kMiB) == 0) return fmt::format("{:.0f}MiB", value / kMiB);
  if (std::fmod(value, kKiB) == 0) return fmt::format("{:.0f}KiB", value / kKiB);
  return fmt::format("{:.0f}", value);
}

std::vector<Change> Expand(const Range& range) {
  std::vector<double> values;
  const double low = range.low.value;
  const double high = range.high.value;
  if (Doubles(range.low)) {
    for (double value = low; value < high && values.size() < kMaxMachines; value *= 2) {
      values.push_back(value);
    }
  } else {
    for (int step = 0; step + 1 < kSteps; ++step) {
      values.push_back(low * std::pow(high / low, step / (kSteps - 1.0)));
    }
  }
  values.push_back(high);
  std::vector<Change> changes;
  for (const double value : values) {
    Change change = range.low;
    change.value = value;
    change.text = fmt::format("{}={}", range.name, ValueText(change, value));
    changes.push_back(std::move(change));
  }
  changes.front().text = range.low.text;
  changes.back().text = range.high.text;
  return changes;
}

WhatIf MachineOf(std::vector<Change> changes, double x) {
  WhatIf machine;
  machine.x = x;
  for (const Change& change : changes) {
    machine.text += fmt::format("{}{}", machine.text.empty() ? "" : ", ", change.text);
  }
  machine.changes = std::move(changes);
  return machine;
}

}  // namespace

Result<WhatIfSeries> ParseWhatIf(std::string_view text) {
  WhatIfSeries series;
  std::vector<Change> changes;
  std::optional<Range> range;
  std::size_t place = 0;
  for (const std::string_view piece : Split(text, ',')) {
    TRY(auto parsed, ParseRange(piece));
    if (!parsed) {
      TRY(Change change, ParseChange(piece));
      changes.push_back(std::move(change));
      continue;
    }
    if (range) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' has more than one range; give one at a time", Printable(text)));
    }
    range = std::move(*parsed);
    place = changes.size();
  }
  if (!range) {
    series.machines.push_back(MachineOf(std::move(changes), 0));
    return series;
  }
  series.ranged = range->name;
  series.unit = UnitOf(range->low);
  for (Change& value : Expand(*range)) {
    std::vector<Change> all = changes;
    const double x = value.value;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), std::move(value));
    series.machines.push_back(MachineOf(std::move(all), x));
  }
  return series;
}

}  // namespace tare::machine_profile
