// profile_edit.cc: applying FIELD=VALUE to a profile.
#include "machine/profile/profile_edit.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"
#include "machine/profile/level_field.h"
#include "machine/profile/profile_validity.h"

namespace tare::machine_profile {
namespace {

struct TextRow {
  std::string_view name;
  std::string Profile::* text;
};
constexpr TextRow kTexts[] = {
    {"name", &Profile::name},     {"machine", &Profile::machine},
    {"model", &Profile::model},   {"architecture", &Profile::architecture},
    {"source", &Profile::source}, {"time", &Profile::time},
};

struct CountRow {
  std::string_view name;
  unsigned Topology::* count;
};
constexpr CountRow kCounts[] = {
    {"packages", &Topology::packages},
    {"cores", &Topology::cores},
    {"threads", &Topology::threads},
    {"numa_nodes", &Topology::numa_nodes},
};

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorKind::kUsage, std::move(message));
}

Result<void> EditTopology(Topology& topology, std::string_view field, std::string_view value) {
  if (field == "memory") {
    TRY(topology.memory_bytes, ParseBytes(value));
    return {};
  }
  std::vector<std::string_view> names = {"memory"};
  for (const CountRow& row : kCounts) {
    names.push_back(row.name);
    if (row.name != field) continue;
    unsigned count = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (error != std::errc() || end != value.data() + value.size() || count == 0) {
      return Bad(fmt::format("invalid value for topology.{}: '{}'", field, Printable(value)));
    }
    topology.*row.count = count;
    return {};
  }
  return Bad(fmt::format("the topology has no '{}'{}", Printable(field), DidYouMean(field, names)));
}

Result<void> AddRate(Profile& profile, std::string_view name, double value, std::string unit) {
  if (unit.empty()) {
    std::vector<std::string_view> names;
    for (const Rate& rate : profile.rates) names.push_back(rate.name);
    const std::string nearest = DidYouMean(name, names);
    return Bad(fmt::format(
        "there is no rate '{}'{}", Printable(name),
        nearest.empty() ? "; a new one needs its unit, such as 67e9 flop/s" : Printable(nearest)));
  }
  profile.rates.push_back({std::string(name), std::move(unit),
                           WithOrigin(Origin::kGiven, Unbounded(value)),
                           "set by tare machine edit"});
  return {};
}

Result<void> EditRate(Profile& profile, std::string_view name, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error != std::errc() || !std::isfinite(value) || !(value > 0)) {
    return Bad(
        fmt::format("invalid value for the rate '{}': '{}'", Printable(name), Printable(text)));
  }
  for (Rate& rate : profile.rates) {
    if (rate.name != name) continue;
    if (!unit.empty() && unit != rate.unit) {
      return Bad(fmt::format("the rate '{}' is in {}, not in {}", Printable(name),
                             Printable(rate.unit), Printable(unit)));
    }
    rate.figure = WithOrigin(Origin::kGiven, Unbounded(value));
    rate.how = "set by tare machine edit";
    return {};
  }
  return AddRate(profile, name, value, std::string(unit));
}

Result<void> EditLevel(Profile& profile, std::string_view level, std::string_view field,
                       std::string_view text) {
  TRY(const std::size_t index, FindLevel(profile.levels, level));
  TRY(const LevelField parsed, ParseLevelField(field));
  TRY(const double value, ParseLevelValue(parsed, text));
  SetField(profile.levels[index], parsed, value, Origin::kGiven);
  return {};
}

Result<void> EditText(Profile& profile, std::string_view field, std::string_view value) {
  std::vector<std::string_view> names;
  for (const TextRow& row : kTexts) {
    names.push_back(row.name);
    if (row.name != field) continue;
    profile.*row.text = value;
    return {};
  }
  const std::string nearest = DidYouMean(field, names);
  return Bad(fmt::format(
      "a profile has no '{}'{}", Printable(field),
      nearest.empty() ? "; it has name, source, LEVEL.FIELD, topology.FIELD, conditions.KEY and "
                        "rate.NAME"
                      : nearest));
}

Result<void> Apply(Profile& profile, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return Bad(fmt::format("'{}' is not FIELD=VALUE", Printable(assignment)));
  }
  const std::string_view field = assignment.substr(0, equals);
  const std::string_view value = assignment.substr(equals + 1);
  const std::size_t dot = field.find('.');
  if (dot == std::string_view::npos) return EditText(profile, field, value);
  const std::string_view part = field.substr(0, dot);
  const std::string_view inner = field.substr(dot + 1);
  if (part == "topology") return EditTopology(profile.topology, inner, value);
  if (part == "rate") return EditRate(profile, inner, value);
  if (part != "conditions") return EditLevel(profile, part, inner, value);
  if (value.empty()) {
    profile.conditions.erase(std::string(inner));
  } else {
    profile.conditions[std::string(inner)] = value;
  }
  return {};
}

}  // namespace

Result<Profile> Edit(const Profile& profile, std::span<const std::string> assignments) {
  Profile edited = profile;
  for (const std::string& assignment : assignments) TRY_VOID(Apply(edited, assignment));
  if (const auto possible = RequirePossible(edited); !possible) {
    return Bad(fmt::format("the edited profile is invalid: {}", possible.error().message));
  }
  return edited;
}

}  // namespace tare::machine_profile
