// figure.h: a number of a profile, and where it comes from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/caveat.h"

namespace tare::machine_profile {

enum class Origin {
  kMeasured,   // on the machine, by this program
  kReported,   // the operating system says so
  kPublished,  // in a document that the profile names
  kGiven,      // by the user
  kProjected,  // computed from other numbers of the profile
};

std::string_view Name(Origin origin);
std::optional<Origin> ParseOrigin(std::string_view name);

// Its unit is that of the place where it stands.
struct Figure {
  double value = 0;
  std::optional<double> low = {};  // of the interval at kConfidence; both or none
  std::optional<double> high = {};
  Origin origin = Origin::kMeasured;
  Verdict verdict = Verdict::kValid;
  std::string reason = {};  // needed unless the verdict is valid

  friend bool operator==(const Figure&, const Figure&) = default;
};

// Value and interval times `factor`, which is above 0.
Figure Scaled(Figure figure, double factor);
// 1 over it: the seconds of a rate. Needs a value and an interval above 0.
Figure Inverse(Figure figure);

// Of all intervals in profiles.
inline constexpr double kConfidence = 0.95;

}  // namespace tare::machine_profile
