// survey_state.cc: samples as JSON, one line per point.
#include "machine/survey/survey_state.h"

#include <fmt/format.h>

#include <cmath>

#include "base/file.h"
#include "base/json_value.h"
#include "base/json_writer.h"
#include "machine/profile/curve_json.h"
#include "machine/profile/profile_file.h"

namespace tare::survey {
namespace {

constexpr std::uint64_t kMaxStateBytes = 1 << 28;
constexpr std::string_view kKind = "tare unfinished survey";

// The results of a discovery are parts of a profile, so they are stored as a profile.
machine_profile::Profile AsProfile(const Found& found) {
  machine_profile::Profile profile;
  profile.name = "unfinished";
  profile.levels = found.levels;
  profile.tlbs = found.tlbs;
  profile.discovered = found.discovered;
  profile.graphs = found.graphs;
  profile.rates = found.rates;
  return profile;
}

Found FromProfile(machine_profile::Profile profile) {
  return {std::move(profile.levels), std::move(profile.tlbs), std::move(profile.discovered),
          std::move(profile.graphs), std::move(profile.rates)};
}

void WriteSamples(JsonWriter& out, const Samples& samples) {
  out.Inline(samples.values, [&](double value) { out.Real(value); });
}

void WritePoint(JsonWriter& out, const PointSamples& point) {
  out.Raw("{");
  out.WholeField("bytes", point.bytes);
  out.Key("samples");
  WriteSamples(out, point.samples);
  out.Raw("}");
}

void WriteCurve(JsonWriter& out, const CurveSamples& curve) {
  out.Raw("{");
  machine_profile::WriteKeyFields(out, curve.key);
  out.WholeField("refined", curve.refined);
  out.Key("points");
  out.Lines(curve.points, 4, [&](const PointSamples& point) { WritePoint(out, point); });
  out.Raw("}");
}

Result<Samples> ReadSamples(const JsonValue& place) {
  TRY(auto values, place.List([](const JsonValue& item) -> Result<double> {
    TRY(const double value, item.Real());
    if (!std::isfinite(value) || !(value >= 0)) return item.Refuse("is not a rate");
    return value;
  }));
  return Samples{std::move(values)};
}

Result<PointSamples> ReadPoint(const JsonValue& place) {
  PointSamples point;
  TRY(point.bytes, place.WholeField("bytes"));
  TRY(const JsonValue samples, place.Field("samples"));
  TRY(point.samples, ReadSamples(samples));
  return point;
}

Result<CurveSamples> ReadCurve(const JsonValue& place) {
  CurveSamples curve;
  TRY(curve.key, machine_profile::ReadKeyFields(place));
  TRY(curve.refined, place.NarrowField("refined"));
  TRY(curve.points, place.ListField("points", ReadPoint));
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    if (curve.points[i].bytes <= curve.points[i - 1].bytes) {
      return place.Refuse("has sizes that do not increase");
    }
  }
  return curve;
}

Result<std::pair<std::string, Samples>> ReadNamed(const JsonValue& place) {
  TRY(auto name, place.TextField("name"));
  TRY(const JsonValue values, place.Field("samples"));
  TRY(auto samples, ReadSamples(values));
  return std::pair{std::move(name), std::move(samples)};
}

Result<std::optional<Work>> ReadRoot(const JsonValue& root, std::string_view settings) {
  if (!root.HasText("kind", kKind))
    return root.Refuse(fmt::format("is not of the kind '{}'", kKind));
  TRY_VOID(root.RequireFormat(kWorkFormat));
  TRY(const auto written_for, root.TextField("settings"));
  if (written_for != settings) return std::optional<Work>();
  Work work;
  TRY(work.seconds, root.RealField("seconds"));
  if (root.Has("found")) {
    TRY(const auto text, root.TextField("found"));
    TRY(auto profile, machine_profile::ParseProfile(text));
    work.found = FromProfile(std::move(profile));
  }
  TRY(work.curves, root.ListField("curves", ReadCurve));
  TRY(auto named, root.ListField("named", ReadNamed));
  for (auto& [name, samples] : named) work.named[std::move(name)] = std::move(samples);
  return std::optional<Work>(std::move(work));
}

}  // namespace

std::string FormatWork(const Work& work, std::string_view settings) {
  JsonWriter out;
  out.Raw("{");
  out.TextField("kind", kKind);
  out.LineKey(1, "format");
  out.Whole(kWorkFormat);
  out.LineKey(1, "settings");
  out.Text(settings);
  out.LineKey(1, "seconds");
  out.Real(work.seconds);
  if (work.found) {
    out.LineKey(1, "found");
    out.Text(machine_profile::FormatProfile(AsProfile(*work.found)));
  }
  out.LineKey(1, "curves");
  out.Lines(work.curves, 2, [&](const CurveSamples& curve) { WriteCurve(out, curve); });
  out.LineKey(1, "named");
  out.Lines(work.named, 2, [&](const auto& item) {
    out.Raw("{");
    out.TextField("name", item.first);
    out.Key("samples");
    WriteSamples(out, item.second);
    out.Raw("}");
  });
  out.Raw("}\n");
  return out.Take();
}

Result<std::optional<Work>> ParseWork(std::string_view text, std::string_view settings) {
  TRY(const auto file, JsonFile::Parse(text, "file of an unfinished survey"));
  return ReadRoot(file.Root(), settings);
}

Result<std::optional<Work>> ReadWork(const std::filesystem::path& path, std::string_view settings) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<Work>();
  TRY(const auto text, ReadFile(path, kMaxStateBytes));
  return InFile(path, ParseWork(text, settings));
}

}  // namespace tare::survey
