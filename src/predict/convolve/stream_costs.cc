// stream_costs.cc: solves copy and triad for a loaded and a stored line.
#include "predict/convolve/stream_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "predict/convolve/default_costs.h"

namespace tare::convolve {

// A line of each array of a copy is one loaded and one stored line; a triad loads one more. The
// difference is a line of several streams that are loaded together.
void SetStreams(const machine_profile::Profile& profile, std::string_view level,
                LevelCosts& costs) {
  costs.streams = costs.stream;
  costs.filled = costs.stream + costs.write;
  const auto at = std::ranges::find(profile.levels, level, &machine_profile::Level::name);
  const machine_profile::Rate* copy = profile.FindRate(fmt::format("copy {}", level));
  const machine_profile::Rate* triad = profile.FindRate(fmt::format("triad {}", level));
  if (copy == nullptr || triad == nullptr || at == profile.levels.end() || !at->load) return;
  const double one = 1 / at->load->Value();
  const double two = 2 / copy->figure.Value();
  const double three = 3 / triad->figure.Value();
  const double more = std::clamp((three - two) / one, kMinStreams, 1.0);
  costs.streams = costs.stream * more;
  costs.filled = costs.stream * std::max(three / one - 2 * more, 0.0);
}

}  // namespace tare::convolve
