// origin.cc: names of origins in files and as sources of numbers.
#include "machine/profile/origin.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/check.h"

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

Origin OriginOf(const Measured& number) {
  if (number.source.empty()) return Origin::kMeasured;
  const auto origin = ParseOrigin(number.source);
  CHECK(origin.has_value());
  return *origin;
}

Measured WithOrigin(Origin origin, Measured number) {
  return WithSource(origin == Origin::kMeasured ? "" : std::string(Name(origin)),
                    std::move(number));
}

}  // namespace tare::machine_profile
