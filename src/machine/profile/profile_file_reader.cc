// profile_file_reader.cc: parsing and validating the JSON of a profile.
#include <fmt/format.h>

#include "base/file.h"
#include "base/json_value.h"
#include "machine/profile/curve_json.h"
#include "machine/profile/profile_fields.h"
#include "machine/profile/profile_file.h"
#include "machine/profile/profile_validity.h"

namespace tare::machine_profile {
namespace {

constexpr std::uint64_t kMaxBytes = 1 << 26;

std::unexpected<Error> NotAProfile(std::string_view why) {
  return Fail(ErrorKind::kFormat, fmt::format("not a machine profile: {}", why));
}

Result<std::string> OptionalText(const JsonValue& place, const char* name) {
  if (!place.Has(name)) return std::string();
  return place.TextField(name);
}

Result<std::uint64_t> OptionalWhole(const JsonValue& place, const char* name) {
  if (!place.Has(name)) return std::uint64_t{0};
  return place.WholeField(name);
}

Result<unsigned> OptionalNarrow(const JsonValue& place, const char* name) {
  if (!place.Has(name)) return 0u;
  return place.NarrowField(name);
}

Result<Origin> ReadOrigin(const JsonValue& place) {
  return WordField(place, "origin", ParseOrigin);
}

Result<std::optional<double>> OptionalReal(const JsonValue& place, const char* name) {
  if (!place.Has(name)) return std::optional<double>();
  TRY(const double value, place.RealField(name));
  return std::optional(value);
}

Result<Measured> ReadFigure(const JsonValue& place) {
  Measured figure;
  TRY(figure.value, place.RealField("value"));
  TRY(figure.low, OptionalReal(place, "low"));
  TRY(figure.high, OptionalReal(place, "high"));
  if (figure.low || figure.high) figure.confidence = kConfidence;
  TRY(const Origin origin, ReadOrigin(place));
  if (place.Has("verdict")) {
    TRY(figure.verdict, WordField(place, "verdict", ParseVerdict));
  }
  TRY(figure.reason, OptionalText(place, "reason"));
  return WithOrigin(origin, std::move(figure));
}

Result<Measured> FigureField(const JsonValue& place, const char* name) {
  TRY(const JsonValue field, place.Field(name));
  return ReadFigure(field);
}

Result<std::optional<Measured>> OptionalFigure(const JsonValue& place, const char* name) {
  if (!place.Has(name)) return std::optional<Measured>();
  TRY(const Measured figure, FigureField(place, name));
  return std::optional(figure);
}

Result<Level> ReadLevel(const JsonValue& place) {
  Level level;
  TRY(level.name, place.TextField("name"));
  TRY(level.bytes, OptionalWhole(place, "bytes"));
  TRY(level.line_bytes, OptionalNarrow(place, "line_bytes"));
  TRY(level.ways, OptionalNarrow(place, "ways"));
  TRY(level.threads, OptionalNarrow(place, "threads"));
  TRY(level.origin, ReadOrigin(place));
  TRY(level.latency, OptionalFigure(place, "latency"));
  TRY(level.load, OptionalFigure(place, "load"));
  TRY(level.store, OptionalFigure(place, "store"));
  TRY(level.parallel, OptionalFigure(place, "parallel"));
  return level;
}

Result<Tlb> ReadTlb(const JsonValue& place) {
  Tlb tlb;
  TRY(tlb.name, place.TextField("name"));
  TRY(tlb.page_bytes, place.WholeField("page_bytes"));
  TRY(tlb.entries, place.WholeField("entries"));
  TRY(tlb.origin, ReadOrigin(place));
  TRY(tlb.miss, OptionalFigure(place, "miss"));
  return tlb;
}

Result<Rate> ReadRate(const JsonValue& place) {
  Rate rate;
  TRY(rate.name, place.TextField("name"));
  TRY(rate.unit, place.TextField("unit"));
  TRY(rate.figure, FigureField(place, "figure"));
  TRY(rate.how, OptionalText(place, "how"));
  return rate;
}

Result<CurvePoint> ReadPoint(const JsonValue& place) {
  CurvePoint point;
  TRY(point.bytes, place.WholeField("bytes"));
  TRY(point.rate, FigureField(place, "rate"));
  if (place.Has("hits")) {
    TRY(point.hits, place.ListField("hits", [](const JsonValue& hit) { return hit.Real(); }));
  }
  return point;
}

Result<Curve> ReadCurve(const JsonValue& place) {
  Curve curve;
  TRY(curve.key, ReadKeyFields(place));
  TRY(curve.points, place.ListField("points", ReadPoint));
  return curve;
}

Result<GraphPoint> ReadGraphPoint(const JsonValue& place) {
  GraphPoint point;
  TRY(point.x, place.RealField("x"));
  TRY(point.y, FigureField(place, "y"));
  return point;
}

Result<Graph> ReadGraph(const JsonValue& place) {
  Graph graph;
  TRY(graph.name, place.TextField("name"));
  TRY(graph.x_name, place.TextField("x_name"));
  TRY(graph.x_unit, place.TextField("x_unit"));
  TRY(graph.y_unit, place.TextField("y_unit"));
  TRY(graph.points, place.ListField("points", ReadGraphPoint));
  return graph;
}

Result<Discovery> ReadDiscovery(const JsonValue& place) {
  Discovery discovery;
  TRY(discovery.what, place.TextField("what"));
  TRY(discovery.unit, place.TextField("unit"));
  TRY(discovery.measured, OptionalFigure(place, "measured"));
  TRY(discovery.reason, OptionalText(place, "reason"));
  TRY(discovery.reported, OptionalReal(place, "reported"));
  return discovery;
}

Result<Topology> ReadTopology(const JsonValue& place) {
  Topology topology;
  TRY(topology.packages, OptionalNarrow(place, "packages"));
  TRY(topology.cores, OptionalNarrow(place, "cores"));
  TRY(topology.threads, OptionalNarrow(place, "threads"));
  TRY(topology.numa_nodes, OptionalNarrow(place, "numa_nodes"));
  TRY(topology.memory_bytes, OptionalWhole(place, "memory_bytes"));
  return topology;
}

// A list that may be omitted.
template <typename Read>
auto OptionalList(const JsonValue& place, const char* name, Read read)
    -> decltype(place.ListField(name, read)) {
  if (!place.Has(name)) return {};
  return place.ListField(name, read);
}

Result<void> ReadParts(const JsonValue& place, Profile& profile) {
  if (place.Has("topology")) {
    TRY(const JsonValue topology, place.Field("topology"));
    TRY(profile.topology, ReadTopology(topology));
  }
  if (place.Has("conditions")) {
    TRY(const JsonValue conditions, place.Field("conditions"));
    TRY(profile.conditions, conditions.TextMap());
  }
  TRY(profile.levels, place.ListField("levels", ReadLevel));
  TRY(profile.tlbs, OptionalList(place, "tlbs", ReadTlb));
  TRY(profile.rates, OptionalList(place, "rates", ReadRate));
  TRY(profile.curves, OptionalList(place, "curves", ReadCurve));
  TRY(profile.graphs, OptionalList(place, "graphs", ReadGraph));
  TRY(profile.discovered, OptionalList(place, "discovered", ReadDiscovery));
  return {};
}

Result<Profile> ReadRoot(const JsonValue& place) {
  Profile profile;
  TRY(profile.name, place.TextField("name"));
  TRY(profile.machine, OptionalText(place, "machine"));
  TRY(profile.model, OptionalText(place, "model"));
  TRY(profile.architecture, OptionalText(place, "architecture"));
  TRY(profile.origin, ReadOrigin(place));
  TRY(profile.source, OptionalText(place, "source"));
  TRY(profile.time, OptionalText(place, "time"));
  TRY(profile.derived_from, OptionalText(place, "derived_from"));
  TRY_VOID(ReadParts(place, profile));
  return profile;
}

// Checks the kind of file before its fields.
Result<void> CheckKind(const JsonValue& root) {
  if (!root.IsObject()) return root.Refuse("is not an object");
  if (!root.HasText("kind", kProfileKind)) {
    if (root.Has("tare") && root.Has("blocks")) {
      return NotAProfile(
          "this is the saved output of a tare command; tare machine measure creates profiles");
    }
    return NotAProfile(fmt::format("its kind is not '{}'", kProfileKind));
  }
  const auto format = root.WholeField("format");
  if (!format) return NotAProfile("it has no format number");
  if (*format != kProfileFormat) {
    return Fail(ErrorKind::kFormat,
                fmt::format("the profile has format {}, and this tare reads format {}; measure the "
                            "machine again or use a tare of that version",
                            *format, kProfileFormat));
  }
  return {};
}

}  // namespace

Result<Profile> ParseProfile(std::string_view text) {
  TRY(const auto file, JsonFile::Parse(text, "machine profile"));
  const JsonValue root = file.Root();
  TRY_VOID(CheckKind(root));
  TRY_VOID(RequireKnownFields(root));
  TRY(auto profile, ReadRoot(root));
  if (const auto possible = RequirePossible(profile); !possible) {
    return Fail(ErrorKind::kFormat, fmt::format("invalid profile: {}", possible.error().message));
  }
  return profile;
}

Result<Profile> ReadProfile(const std::filesystem::path& path) {
  TRY(const auto text, ReadFile(path, kMaxBytes));
  return InFile(path, ParseProfile(text));
}

}  // namespace tare::machine_profile
