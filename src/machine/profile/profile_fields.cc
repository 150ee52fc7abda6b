// profile_fields.cc: the schema of a profile file.
#include "machine/profile/profile_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare::machine_profile {
namespace {

using nlohmann::json;

struct Outline;

struct FieldRow {
  std::string_view name;
  const Outline* inside = nullptr;  // of the object, or of each object of the list
};

struct Outline {
  std::vector<FieldRow> fields;
};

const Outline& ProfileOutline() {
  static const Outline figure{{{"value"}, {"low"}, {"high"}, {"origin"}, {"verdict"}, {"reason"}}};
  static const Outline topology{
      {{"packages"}, {"cores"}, {"threads"}, {"numa_nodes"}, {"memory_bytes"}}};
  static const Outline level{{{"name"},
                              {"bytes"},
                              {"line_bytes"},
                              {"ways"},
                              {"threads"},
                              {"origin"},
                              {"latency", &figure},
                              {"load", &figure},
                              {"store", &figure},
                              {"parallel", &figure}}};
  static const Outline tlb{{{"name"}, {"page_bytes"}, {"entries"}, {"origin"}, {"miss", &figure}}};
  static const Outline rate{{{"name"}, {"unit"}, {"figure", &figure}, {"how"}}};
  static const Outline point{{{"bytes"}, {"rate", &figure}, {"hits"}}};
  static const Outline curve{
      {{"access"}, {"pattern"}, {"stride"}, {"element_bytes"}, {"points", &point}}};
  static const Outline graph_point{{{"x"}, {"y", &figure}}};
  static const Outline graph{
      {{"name"}, {"x_name"}, {"x_unit"}, {"y_unit"}, {"points", &graph_point}}};
  static const Outline discovery{
      {{"what"}, {"unit"}, {"measured", &figure}, {"reason"}, {"reported"}}};
  static const Outline profile{{{"kind"},
                                {"format"},
                                {"name"},
                                {"machine"},
                                {"model"},
                                {"architecture"},
                                {"origin"},
                                {"source"},
                                {"time"},
                                {"derived_from"},
                                {"topology", &topology},
                                {"conditions"},
                                {"levels", &level},
                                {"tlbs", &tlb},
                                {"rates", &rate},
                                {"curves", &curve},
                                {"graphs", &graph},
                                {"discovered", &discovery}}};
  return profile;
}

// The recursion depth is that of the outline, regardless of the file.
std::string Find(const json& value, const Outline& outline, const std::string& place) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_object()) continue;
      std::string found = Find(value[i], outline, fmt::format("{}[{}]", place, i));
      if (!found.empty()) return found;
    }
    return {};
  }
  if (!value.is_object()) return {};
  for (const auto& [name, inner] : value.items()) {
    const FieldRow* row = nullptr;
    std::vector<std::string_view> names;
    for (const FieldRow& candidate : outline.fields) {
      if (candidate.name == name) row = &candidate;
      names.push_back(candidate.name);
    }
    if (row == nullptr) {
      return fmt::format("{} has an unknown field '{}'{}",
                         place.empty() ? "the top-level object" : place, Printable(name),
                         DidYouMean(name, names));
    }
    if (row->inside == nullptr) continue;
    const std::string below = place.empty() ? name : fmt::format("{}.{}", place, name);
    std::string found = Find(inner, *row->inside, below);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

std::string UnknownField(const json& root) { return Find(root, ProfileOutline(), ""); }

}  // namespace tare::machine_profile
