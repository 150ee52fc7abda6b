// survey_state.h: what a survey has measured so far, and the file that keeps it when the survey is
// stopped.
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
  std::vector<PointSamples> points;  // by rising size
  unsigned refined = 0;              // how often points were added around its steps

  friend bool operator==(const CurveSamples&, const CurveSamples&) = default;
};

struct Work {
  double seconds = 0;          // that it took so far
  std::optional<Found> found;  // once the discovery has ended
  std::vector<CurveSamples> curves;
  std::map<std::string, Samples> named;  // rates, and points of graphs
};

// The version of the file.
inline constexpr int kWorkFormat = 1;

// `settings` names the machine and every choice that the samples depend on.
std::string FormatWork(const Work& work, std::string_view settings);

// Refuses (kFormat) what is not such a file, and other versions; nothing for work of other
// settings.
Result<std::optional<Work>> ParseWork(std::string_view text, std::string_view settings);

// Nothing when there is no file.
Result<std::optional<Work>> ReadWork(const std::filesystem::path& path, std::string_view settings);

}  // namespace tare::survey
