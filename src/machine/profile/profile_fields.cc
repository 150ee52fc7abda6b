// profile_fields.cc: the schema of a profile file.
#include "machine/profile/profile_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare::machine_profile {
namespace {

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
                                {"discovered", &discovery},
                                {"checksum"}}};
  return profile;
}

// The recursion depth is that of the outline, regardless of the file.
Result<void> Require(const JsonValue& value, const Outline& outline) {
  if (value.IsList()) {
    return value.ForEach([&](const JsonValue& item) -> Result<void> {
      if (!item.IsObject()) return {};
      return Require(item, outline);
    });
  }
  for (const char* name : value.FieldNames()) {
    const auto row = std::ranges::find(outline.fields, std::string_view(name), &FieldRow::name);
    if (row == outline.fields.end()) {
      std::vector<std::string_view> names;
      for (const FieldRow& field : outline.fields) names.push_back(field.name);
      return value.Refuse(
          fmt::format("has an unknown field '{}'{}", Printable(name), DidYouMean(name, names)));
    }
    if (row->inside == nullptr) continue;
    TRY(const JsonValue inner, value.Field(name));
    TRY_VOID(Require(inner, *row->inside));
  }
  return {};
}

}  // namespace

Result<void> RequireKnownFields(const JsonValue& root) { return Require(root, ProfileOutline()); }

}  // namespace tare::machine_profile
