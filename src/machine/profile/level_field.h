// level_field.h: the figures of a level by name, as users write them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

enum class LevelField {
  kBytes,
  kWays,
  kLine,
  kLatency,
  kLoad,
  kStore,
  kBandwidth,  // load and store
  kParallel,
};

std::string_view Name(LevelField field);
// "capacity" and "size" are bytes. The error for an unknown name suggests the nearest one.
Result<LevelField> ParseLevelField(std::string_view name);

// "32MiB" for bytes and lines, "60ns" for a latency, "30GB/s" or "8GiB/s" for rates, plain numbers
// for the rest. Values must be positive and finite.
Result<double> ParseLevelValue(LevelField field, std::string_view text);

// "25.6GB/s" as bytes per second.
Result<double> ParseBandwidth(std::string_view text);

// The error for an unknown level suggests the nearest name.
Result<std::size_t> FindLevel(std::span<const Level> levels, std::string_view name);

// Sets the field and removes its interval.
void SetField(Level& level, LevelField field, double value, Origin origin);

// Multiplies the field and its interval. Fails when the level does not have the field.
Result<void> ScaleField(Level& level, LevelField field, double factor, Origin origin);

}  // namespace tare::machine_profile
