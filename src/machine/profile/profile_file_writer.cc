// profile_file_writer.cc: converting a profile to JSON.
#include <fmt/format.h>

#include <system_error>

#include "base/file.h"
#include "base/json_checksum.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "machine/profile/curve_json.h"
#include "machine/profile/profile_file.h"
#include "machine/profile/profile_validity.h"

namespace tare::machine_profile {
namespace {

class Writer : private JsonWriter {
 public:
  std::string Write(const Profile& profile);

 private:
  void TextUnlessEmpty(std::string_view name, std::string_view text) {
    if (!text.empty()) TextField(name, text);
  }
  void FigureField(std::string_view name, const std::optional<Measured>& figure) {
    if (!figure) return;
    Key(name);
    Value(*figure);
  }
  void List(std::string_view name, const auto& items) {
    LineKey(2, name);
    Lines(items, 2, [this](const auto& item) { this->Value(item); });
  }

  void Value(const Measured& figure);
  void Value(const Level& level);
  void Value(const Tlb& tlb);
  void Value(const Rate& rate);
  void Value(const CurvePoint& point);
  void Value(const Curve& curve);
  void Value(const GraphPoint& point);
  void Value(const Graph& graph);
  void Value(const Discovery& discovery);
  void Value(const Topology& topology);
  void Head(const Profile& profile);
};

void Writer::Value(const Measured& figure) {
  Raw("{");
  Key("value");
  Real(figure.Value());
  if (figure.HasInterval()) {
    Key("low");
    Real(*figure.low);
    Key("high");
    Real(*figure.high);
  }
  TextField("origin", Name(OriginOf(figure)));
  if (figure.verdict != Verdict::kValid) TextField("verdict", tare::Name(figure.verdict));
  TextUnlessEmpty("reason", figure.reason);
  Raw("}");
}

void Writer::Value(const Level& level) {
  Raw("{");
  TextField("name", level.name);
  if (level.bytes != 0) WholeField("bytes", level.bytes);
  if (level.line_bytes != 0) WholeField("line_bytes", level.line_bytes);
  if (level.ways != 0) WholeField("ways", level.ways);
  if (level.threads != 0) WholeField("threads", level.threads);
  TextField("origin", Name(level.origin));
  FigureField("latency", level.latency);
  FigureField("load", level.load);
  FigureField("store", level.store);
  FigureField("parallel", level.parallel);
  Raw("}");
}

void Writer::Value(const Tlb& tlb) {
  Raw("{");
  TextField("name", tlb.name);
  WholeField("page_bytes", tlb.page_bytes);
  WholeField("entries", tlb.entries);
  TextField("origin", Name(tlb.origin));
  FigureField("miss", tlb.miss);
  Raw("}");
}

void Writer::Value(const Rate& rate) {
  Raw("{");
  TextField("name", rate.name);
  TextField("unit", rate.unit);
  FigureField("figure", rate.figure);
  TextUnlessEmpty("how", rate.how);
  Raw("}");
}

void Writer::Value(const CurvePoint& point) {
  Raw("{");
  WholeField("bytes", point.bytes);
  FigureField("rate", point.rate);
  if (!point.hits.empty()) {
    Key("hits");
    Inline(point.hits, [this](double hit) { Real(hit); });
  }
  Raw("}");
}

void Writer::Value(const Curve& curve) {
  Raw("{");
  WriteKeyFields(*this, curve.key);
  Key("points");
  Lines(curve.points, 4, [this](const CurvePoint& point) { Value(point); });
  Raw("}");
}

void Writer::Value(const GraphPoint& point) {
  Raw("{");
  Key("x");
  Real(point.x);
  FigureField("y", point.y);
  Raw("}");
}

void Writer::Value(const Graph& graph) {
  Raw("{");
  TextField("name", graph.name);
  TextField("x_name", graph.x_name);
  TextField("x_unit", graph.x_unit);
  TextField("y_unit", graph.y_unit);
  Key("points");
  Lines(graph.points, 4, [this](const GraphPoint& point) { Value(point); });
  Raw("}");
}

void Writer::Value(const Discovery& discovery) {
  Raw("{");
  TextField("what", discovery.what);
  TextField("unit", discovery.unit);
  FigureField("measured", discovery.measured);
  TextUnlessEmpty("reason", discovery.reason);
  if (discovery.reported) {
    Key("reported");
    Real(*discovery.reported);
  }
  Raw("}");
}

void Writer::Value(const Topology& topology) {
  Raw("{");
  if (topology.packages != 0) WholeField("packages", topology.packages);
  if (topology.cores != 0) WholeField("cores", topology.cores);
  if (topology.threads != 0) WholeField("threads", topology.threads);
  if (topology.numa_nodes != 0) WholeField("numa_nodes", topology.numa_nodes);
  if (topology.memory_bytes != 0) WholeField("memory_bytes", topology.memory_bytes);
  Raw("}");
}

void Writer::Head(const Profile& profile) {
  const auto line = [this](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    LineKey(2, name);
    Text(text);
  };
  Raw("{");
  NewLine(2);
  Raw("\"kind\": ");
  Text(kProfileKind);
  LineKey(2, "format");
  Whole(kProfileFormat);
  line("name", profile.name);
  line("machine", profile.machine);
  line("model", profile.model);
  line("architecture", profile.architecture);
  line("origin", Name(profile.origin));
  line("source", profile.source);
  line("time", profile.time);
  line("derived_from", profile.derived_from);
  LineKey(2, "topology");
  Value(profile.topology);
  LineKey(2, "conditions");
  Raw("{");
  for (const auto& [key, text] : profile.conditions) {
    if (&key != &profile.conditions.begin()->first) Raw(", ");
    Text(key);
    Raw(": ");
    Text(text);
  }
  Raw("}");
}

std::string Writer::Write(const Profile& profile) {
  Head(profile);
  List("levels", profile.levels);
  List("tlbs", profile.tlbs);
  List("rates", profile.rates);
  List("curves", profile.curves);
  List("graphs", profile.graphs);
  List("discovered", profile.discovered);
  NewLine(0);
  Raw("}\n");
  return Take();
}

}  // namespace

std::string FormatProfile(const Profile& profile) { return Writer().Write(profile); }

Result<void> WriteProfile(const std::filesystem::path& path, const Profile& profile) {
  if (const auto possible = RequirePossible(profile); !possible) {
    return Fail(possible.error().kind, fmt::format("cannot write {}: {}", Printable(path.string()),
                                                   possible.error().message));
  }
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return std::unexpected(SystemError("create", path.parent_path(), error.value()));
  return WriteFileAtomically(path, WithChecksum(FormatProfile(profile)));
}

}  // namespace tare::machine_profile
