// figure.cc: names of origins in files.
#include "machine/profile/figure.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tare::machine_profile {
namespace {

constexpr auto kNames = std::to_array<std::pair<Origin, std::string_view>>({
    {Origin::kMeasured, "measured"},
    {Origin::kReported, "reported"},
    {Origin::kPublished, "published"},
    {Origin::kGiven, "given"},
    {Origin::kProjected, "projected"},
});

}  // namespace

std::string_view Name(Origin origin) {
  return std::ranges::find(kNames, origin, [](const auto& row) { return row.first; })->second;
}

std::optional<Origin> ParseOrigin(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, [](const auto& row) { return row.second; });
  if (found == kNames.end()) return std::nullopt;
  return found->first;
}

Figure Scaled(Figure figure, double factor) {
  figure.value *= factor;
  if (figure.low) *figure.low *= factor;
  if (figure.high) *figure.high *= factor;
  return figure;
}

Figure Inverse(Figure figure) {
  figure.value = 1 / figure.value;
  if (figure.low) *figure.low = 1 / *figure.low;
  if (figure.high) *figure.high = 1 / *figure.high;
  std::swap(figure.low, figure.high);
  return figure;
}

}  // namespace tare::machine_profile
