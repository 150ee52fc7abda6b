// figure.h: a number of a profile, with its interval, origin and verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/caveat.h"

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

// The containing field defines the unit.
struct Figure {
  double value = 0;
  std::optional<double> low = {};  // of the interval at kConfidence; both or neither
  std::optional<double> high = {};
  Origin origin = Origin::kMeasured;
  Verdict verdict = Verdict::kValid;
  std::string reason = {};  // required unless the verdict is valid

  friend bool operator==(const Figure&, const Figure&) = default;
};

// Multiplies value and interval by `factor`, which must be positive.
Figure Scaled(Figure figure, double factor);
// The reciprocal, for example the seconds of a rate. Value and interval must be positive.
Figure Inverse(Figure figure);

// The confidence level of all intervals in profiles.
inline constexpr double kConfidence = 0.95;

}  // namespace tare::machine_profile
