// origin.h: where the numbers of a profile come from.
#pragma once

#include <optional>
#include <string_view>

#include "base/measured.h"

namespace tare::machine_profile {

enum class Origin {
  kMeasured,   // on the machine, by this program
  kReported,   // by the operating system
  kPublished,  // in a document that the profile names
  kGiven,      // by the user
  kProjected,  // computed from other numbers of the profile
};

std::string_view Name(Origin origin);
std::optional<Origin> ParseOrigin(std::string_view name);

// The numbers of a profile are Measured; the containing field defines the unit, and the source is
// the name of the origin. A number without source has origin kMeasured.
Origin OriginOf(const Measured& number);
// The number with another origin.
Measured WithOrigin(Origin origin, Measured number);

// The confidence level of all intervals in profiles.
inline constexpr double kConfidence = 0.95;

}  // namespace tare::machine_profile
