// survey_state.h: the completed work of a survey, and the file that stores it when the survey is
// interrupted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/profile/curve.h"
#include "machine/survey/discover.h"
#include "machine/survey/sampler.h"

namespace tare::survey {

struct PointSamples {
  std::uint64_t bytes = 0;
  Samples samples;

  friend bool operator==(const PointSamples&, const PointSamples&) = default;
};

struct CurveSamples {
  machine_profile::CurveKey key;
  std::vector<PointSamples> points;  // in ascending order of size
  unsigned refined = 0;              // how often points were added around its steps

  friend bool operator==(const CurveSamples&, const CurveSamples&) = default;
};

struct Work {
  double seconds = 0;          // elapsed so far
  std::optional<Found> found;  // once the discovery has finished
  std::vector<CurveSamples> curves;
  std::map<std::string, Samples> named;  // rates, and points of graphs
};

// The version of the file format.
inline constexpr int kWorkFormat = 1;

// `settings` identifies the machine and every option on which the samples depend.
std::string FormatWork(const Work& work, std::string_view settings);

// Rejects (kFormat) other files and versions; returns nothing for work with other settings.
Result<std::optional<Work>> ParseWork(std::string_view text, std::string_view settings);

// Nothing when there is no file.
Result<std::optional<Work>> ReadWork(const std::filesystem::path& path, std::string_view settings);

}  // namespace tare::survey
