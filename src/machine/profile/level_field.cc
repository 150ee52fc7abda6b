// level_field.cc: finding, parsing and changing the figures of a level.
#include "machine/profile/level_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"

namespace tare::machine_profile {
namespace {

constexpr auto kFields = std::to_array<std::pair<LevelField, std::string_view>>({
    {LevelField::kBytes, "bytes"},
    {LevelField::kWays, "ways"},
    {LevelField::kLine, "line"},
    {LevelField::kLatency, "latency"},
    {LevelField::kLoad, "load"},
    {LevelField::kStore, "store"},
    {LevelField::kBandwidth, "bandwidth"},
    {LevelField::kParallel, "parallel"},
});

bool IsWhole(LevelField field) {
  return field == LevelField::kBytes || field == LevelField::kWays || field == LevelField::kLine;
}

// The largest number of bytes that a double represents exactly.
constexpr double kMaxWhole = 0x1p53;

Result<double> ParsePlain(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is not a number", Printable(text)));
  }
  return value;
}

Result<double> ParseAny(LevelField field, std::string_view text) {
  switch (field) {
    case LevelField::kBytes:
    case LevelField::kLine: {
      TRY(const std::uint64_t bytes, ParseBytes(text));
      return static_cast<double>(bytes);
    }
    case LevelField::kLatency:
      return ParseDuration(text);
    case LevelField::kLoad:
    case LevelField::kStore:
    case LevelField::kBandwidth:
      return ParseBandwidth(text);
    case LevelField::kWays:
    case LevelField::kParallel:
      return ParsePlain(text);
  }
  return 0;
}

// The figures of a field.
std::vector<std::optional<Measured>*> FiguresOf(Level& level, LevelField field) {
  switch (field) {
    case LevelField::kLatency:
      return {&level.latency};
    case LevelField::kLoad:
      return {&level.load};
    case LevelField::kStore:
      return {&level.store};
    case LevelField::kBandwidth:
      return {&level.load, &level.store};
    case LevelField::kParallel:
      return {&level.parallel};
    default:
      return {};
  }
}

void SetWhole(Level& level, LevelField field, double value, Origin origin) {
  CHECK(value >= 0 && value <= kMaxWhole);
  const auto whole = static_cast<std::uint64_t>(std::llround(value));
  if (field == LevelField::kBytes) level.bytes = whole;
  if (field == LevelField::kWays) level.ways = static_cast<unsigned>(whole);
  if (field == LevelField::kLine) level.line_bytes = static_cast<unsigned>(whole);
  level.origin = origin;
}

double WholeOf(const Level& level, LevelField field) {
  if (field == LevelField::kBytes) return static_cast<double>(level.bytes);
  return field == LevelField::kWays ? level.ways : level.line_bytes;
}

std::unexpected<Error> Missing(const Level& level, LevelField field) {
  return Fail(ErrorKind::kUsage,
              fmt::format("{} has no {} to change; set it with tare machine edit first",
                          Printable(level.name), Name(field)));
}

}  // namespace

std::string_view Name(LevelField field) {
  return std::ranges::find(kFields, field, [](const auto& row) { return row.first; })->second;
}

Result<LevelField> ParseLevelField(std::string_view name) {
  if (name == "capacity" || name == "size") return LevelField::kBytes;
  std::vector<std::string_view> names;
  for (const auto& [field, field_name] : kFields) {
    if (field_name == name) return field;
    names.push_back(field_name);
  }
  return Fail(ErrorKind::kUsage, fmt::format("a level has no '{}'{}", Printable(name),
                                             DidYouMeanOrAll(name, names, "it has")));
}

Result<double> ParseBandwidth(std::string_view text) {
  constexpr std::string_view kPerSecond = "/s";
  if (!text.ends_with(kPerSecond)) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}' is not a bandwidth; write it as 25.6GB/s or 8GiB/s", Printable(text)));
  }
  text.remove_suffix(kPerSecond.size());
  // ParseBytes accepts only whole bytes, and a bandwidth may have a fraction.
  const std::size_t unit = std::min(text.find_first_not_of("0123456789.+-e"), text.size());
  TRY(const double value, ParsePlain(text.substr(0, unit)));
  TRY(const std::uint64_t one, ParseBytes(fmt::format("1{}", Printable(text.substr(unit)))));
  return value * static_cast<double>(one);
}

Result<double> ParseLevelValue(LevelField field, std::string_view text) {
  TRY(const double value, ParseAny(field, text));
  const bool fits = !IsWhole(field) || (value == std::floor(value) &&
                                        value <= (field == LevelField::kBytes ? kMaxWhole : 1e9));
  if (!std::isfinite(value) || value <= 0 || !fits) {
    return Fail(ErrorKind::kUsage,
                fmt::format("invalid value for {}: '{}'", Name(field), Printable(text)));
  }
  return value;
}

Result<std::size_t> FindLevel(std::span<const Level> levels, std::string_view name) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].name == name) return i;
    names.push_back(levels[i].name);
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("there is no level '{}'{}", Printable(name),
                          Printable(DidYouMeanOrAll(name, names, "the levels are"))));
}

void SetField(Level& level, LevelField field, double value, Origin origin) {
  if (IsWhole(field)) return SetWhole(level, field, value, origin);
  for (std::optional<Measured>* figure : FiguresOf(level, field)) {
    *figure = WithOrigin(origin, Unbounded(value));
  }
}

Result<void> ScaleField(Level& level, LevelField field, double factor, Origin origin) {
  if (IsWhole(field)) {
    const double scaled = WholeOf(level, field) * factor;
    if (scaled == 0) return Missing(level, field);
    if (scaled != std::floor(scaled) || scaled > (field == LevelField::kBytes ? kMaxWhole : 1e9)) {
      return Fail(ErrorKind::kUsage, fmt::format("{} times {} is not a whole number ({})", factor,
                                                 WholeOf(level, field), Name(field)));
    }
    SetWhole(level, field, scaled, origin);
    return {};
  }
  bool found = false;
  for (std::optional<Measured>* figure : FiguresOf(level, field)) {
    if (!*figure) continue;
    found = true;
    *figure = WithOrigin(origin, Scaled(**figure, factor));
  }
  if (!found) return Missing(level, field);
  return {};
}

}  // namespace tare::machine_profile
