// json_reader.cc: parses untrusted JSON into a document.
#include <fmt/format.h>

#include "base/json_value.h"
#include "base/printable.h"
#include "report/json.h"
#include "report/names.h"

namespace tare::report {
namespace {

// Each level of a tree is an object and a list; the rest is for the values around the tree and in a
// cell.
constexpr std::size_t kDeepestNesting = 2 * kDeepestTree + 8;

Result<std::optional<double>> ReadMaybe(const JsonValue& parent, const char* name) {
  TRY(const JsonValue place, parent.Field(name));
  if (place.IsNull()) return std::nullopt;
  TRY(const double value, place.Real());
  return value;
}

// A field that is present only if it says something.
Result<std::string> ReadOptional(const JsonValue& parent, const char* name) {
  if (!parent.Has(name)) return std::string();
  return parent.TextField(name);
}

Result<bool> ReadSwitch(const JsonValue& parent, const char* name) {
  if (!parent.Has(name)) return false;
  TRY(const JsonValue place, parent.Field(name));
  return place.Truth();
}

Result<Verdict> ReadVerdict(const JsonValue& parent) {
  TRY(const JsonValue place, parent.Field("verdict"));
  TRY(const std::string name, place.Text());
  const auto verdict = ParseVerdict(name);
  if (!verdict) return place.Refuse("is not valid, doubtful or refused");
  return *verdict;
}

Result<Measured> ReadMeasured(const JsonValue& place) {
  Measured measured;
  TRY(const JsonValue value, place.Field("value"));
  if (!value.IsNull()) {
    TRY(measured.value, value.Figure());
  }
  TRY(measured.low, ReadMaybe(place, "low"));
  TRY(measured.high, ReadMaybe(place, "high"));
  if (measured.low && measured.high && *measured.low > *measured.high) {
    return place.Refuse("has a low above its high");
  }
  TRY(const JsonValue exact, place.Field("exact"));
  TRY(measured.exact, exact.Truth());
  if (place.Has("confidence")) {
    TRY(measured.confidence, ReadMaybe(place, "confidence"));
    if (measured.confidence && (*measured.confidence < 0 || *measured.confidence > 1)) {
      return place.Refuse("has a confidence outside 0 to 1");
    }
  }
  TRY(measured.unit, ReadOptional(place, "unit"));
  TRY(measured.source, ReadOptional(place, "source"));
  TRY(measured.verdict, ReadVerdict(place));
  TRY(const JsonValue reason, place.Field("reason"));
  if (!reason.IsNull()) {
    TRY(measured.reason, reason.Text());
  }
  return measured;
}

Result<Cell> ReadCell(const JsonValue& place) {
  if (place.IsNull()) return Cell();
  if (place.IsText()) {
    TRY(std::string text, place.Text());
    return Cell(std::move(text));
  }
  if (place.IsNumber()) {
    TRY(const Number number, place.Figure());
    return Cell(number);
  }
  TRY(Measured measured, ReadMeasured(place));
  return Cell(std::move(measured));
}

Result<Column> ReadColumn(const JsonValue& place) {
  Column column;
  TRY(column.name, place.TextField("name"));
  TRY(column.unit, place.TextField("unit"));
  TRY(column.below, ReadSwitch(place, "below"));
  TRY(column.symbol, ReadSwitch(place, "symbol"));
  TRY(column.source, ReadOptional(place, "source"));
  return column;
}

// Files do not state which columns are named after something in the data.
Result<Column> ReadNamedColumn(const JsonValue& place) {
  TRY(Column column, ReadColumn(place));
  column.thing = !IsIdWord(column.name);
  return column;
}

Result<std::vector<Cell>> ReadCells(const JsonValue& place, std::size_t columns) {
  TRY(std::vector<Cell> cells, place.List(ReadCell));
  if (cells.size() != columns) {
    return place.Refuse(fmt::format("has {} cells for {} columns", cells.size(), columns));
  }
  return cells;
}

Result<Table> ReadTable(const JsonValue& place) {
  Table table;
  TRY(table.id, place.TextField("id"));
  TRY(table.title, place.TextField("title"));
  TRY(table.source, ReadOptional(place, "source"));
  TRY(table.columns, place.ListField("columns", ReadNamedColumn));
  const auto read_row = [&](const JsonValue& row) { return ReadCells(row, table.columns.size()); };
  TRY(table.rows, place.ListField("rows", read_row));
  return table;
}

Result<Line> ReadLine(const JsonValue& place) {
  const auto real = [](const JsonValue& item) { return item.RealOrGap(); };
  Line line;
  TRY(line.name, place.TextField("name"));
  TRY(line.unit, place.TextField("unit"));
  TRY(line.x, place.ListField("x", real));
  TRY(line.y, place.ListField("y", real));
  TRY(line.low, place.ListField("low", real));
  TRY(line.high, place.ListField("high", real));
  if (line.x.size() != line.y.size()) return place.Refuse("has x and y of different lengths");
  for (const auto* bound : {&line.low, &line.high}) {
    if (!bound->empty() && bound->size() != line.y.size()) {
      return place.Refuse("has bounds that are not as many as its y");
    }
  }
  if (line.low.size() != line.high.size()) return place.Refuse("has low without high or reverse");
  for (std::size_t i = 0; i < line.low.size(); ++i) {
    if (line.low[i] > line.high[i]) return place.Refuse("has a low above its high");
  }
  TRY(line.points, ReadSwitch(place, "points"));
  if (place.Has("verdict")) {
    TRY(line.verdict, ReadVerdict(place));
  }
  TRY(line.reason, ReadOptional(place, "reason"));
  TRY(line.source, ReadOptional(place, "source"));
  return line;
}

Result<Mark> ReadMark(const JsonValue& place) {
  Mark mark{};
  TRY(const JsonValue x, place.Field("x"));
  TRY(mark.x, x.Real());
  TRY(mark.label, place.TextField("label"));
  return mark;
}

Result<Series> ReadSeries(const JsonValue& place) {
  Series series;
  TRY(series.id, place.TextField("id"));
  TRY(series.title, place.TextField("title"));
  TRY(series.source, ReadOptional(place, "source"));
  TRY(const JsonValue axis, place.Field("axis"));
  TRY(series.axis, ReadColumn(axis));
  TRY(const JsonValue log_axis, place.Field("log_axis"));
  TRY(series.log_axis, log_axis.Truth());
  TRY(series.lines, place.ListField("lines", ReadLine));
  TRY(series.log_values, ReadSwitch(place, "log_values"));
  if (place.Has("marks")) {
    TRY(series.marks, place.ListField("marks", ReadMark));
  }
  return series;
}

Result<TreeNode> ReadNode(const JsonValue& place, std::size_t columns) {
  TreeNode node;
  TRY(node.label, place.TextField("label"));
  TRY(const JsonValue cells, place.Field("cells"));
  TRY(node.cells, ReadCells(cells, columns));
  const auto read_child = [&](const JsonValue& child) { return ReadNode(child, columns); };
  TRY(node.children, place.ListField("children", read_child));
  return node;
}

Result<Tree> ReadTree(const JsonValue& place) {
  Tree tree;
  TRY(tree.id, place.TextField("id"));
  TRY(tree.title, place.TextField("title"));
  TRY(tree.source, ReadOptional(place, "source"));
  TRY(tree.columns, place.ListField("columns", ReadNamedColumn));
  const auto read_root = [&](const JsonValue& root) { return ReadNode(root, tree.columns.size()); };
  TRY(tree.roots, place.ListField("roots", read_root));
  return tree;
}

Result<Span> ReadSpan(const JsonValue& place) {
  Span span{};
  TRY(const JsonValue start, place.Field("start"));
  TRY(span.start, start.RealOrGap());
  TRY(const JsonValue end, place.Field("end"));
  TRY(span.end, end.RealOrGap());
  if (span.start > span.end) return place.Refuse("ends before it starts");
  TRY(span.label, place.TextField("label"));
  return span;
}

Result<Lane> ReadLane(const JsonValue& place) {
  Lane lane;
  TRY(lane.name, place.TextField("name"));
  TRY(lane.spans, place.ListField("spans", ReadSpan));
  return lane;
}

Result<Timeline> ReadTimeline(const JsonValue& place) {
  Timeline timeline;
  TRY(timeline.id, place.TextField("id"));
  TRY(timeline.title, place.TextField("title"));
  TRY(timeline.source, ReadOptional(place, "source"));
  TRY(timeline.unit, place.TextField("unit"));
  TRY(timeline.lanes, place.ListField("lanes", ReadLane));
  return timeline;
}

Result<Measured> ReadPart(const JsonValue& place) {
  TRY(Measured value, ReadMeasured(place));
  if (value.value && AsDouble(*value.value) < 0) return place.Refuse("is a part below 0");
  return value;
}

Result<Bar> ReadBar(const JsonValue& place, const Bars& bars) {
  Bar bar;
  TRY(bar.name, place.TextField("name"));
  TRY(bar.values, place.ListField("values", bars.dots ? ReadMeasured : ReadPart));
  if (bar.values.size() != bars.segments.size()) {
    return place.Refuse(
        fmt::format("has {} values for {} segments", bar.values.size(), bars.segments.size()));
  }
  return bar;
}

Result<Bars> ReadBars(const JsonValue& place) {
  Bars bars;
  TRY(bars.id, place.TextField("id"));
  TRY(bars.title, place.TextField("title"));
  TRY(bars.source, ReadOptional(place, "source"));
  TRY(bars.unit, place.TextField("unit"));
  TRY(bars.segments,
      place.ListField("segments", [](const JsonValue& name) { return name.Text(); }));
  TRY(bars.dots, ReadSwitch(place, "dots"));
  const auto read_bar = [&](const JsonValue& bar) { return ReadBar(bar, bars); };
  TRY(bars.bars, place.ListField("bars", read_bar));
  if (place.Has("marks")) {
    TRY(bars.marks, place.ListField("marks", ReadMark));
  }
  return bars;
}

Result<Text> ReadText(const JsonValue& place) {
  Text text;
  TRY(text.id, place.TextField("id"));
  TRY(text.text, place.TextField("text"));
  return text;
}

template <typename Kind>
Result<Block> AsBlock(Result<Kind> kind) {
  if (!kind) return std::unexpected(std::move(kind).error());
  return Block(*std::move(kind));
}

Result<Block> ReadBlock(const JsonValue& place) {
  TRY(const JsonValue field, place.Field("kind"));
  TRY(const std::string kind, field.Text());
  if (kind == "table") return AsBlock(ReadTable(place));
  if (kind == "series") return AsBlock(ReadSeries(place));
  if (kind == "tree") return AsBlock(ReadTree(place));
  if (kind == "timeline") return AsBlock(ReadTimeline(place));
  if (kind == "bars") return AsBlock(ReadBars(place));
  if (kind == "text") return AsBlock(ReadText(place));
  return field.Refuse("is not table, series, tree, timeline, bars or text");
}

Result<StatedCaveat> ReadCaveat(const JsonValue& place) {
  StatedCaveat caveat;
  TRY(caveat.id, place.TextField("id"));
  TRY(caveat.verdict, ReadVerdict(place));
  TRY(caveat.message, place.TextField("message"));
  TRY(caveat.detail, place.TextField("detail"));
  TRY(caveat.hint, place.TextField("hint"));
  return caveat;
}

Result<Provenance> ReadProvenance(const JsonValue& place) {
  Provenance provenance;
  TRY(provenance.machine, place.TextField("machine"));
  TRY(provenance.kernel, place.TextField("kernel"));
  TRY(provenance.command_line,
      place.ListField("command_line", [](const JsonValue& word) { return word.Text(); }));
  TRY(const JsonValue settings, place.Field("settings"));
  TRY(provenance.settings, settings.TextMap());
  TRY(const JsonValue seed, place.Field("seed"));
  if (!seed.IsNull()) {
    TRY(provenance.seed, seed.Whole());
  }
  TRY(provenance.time, place.TextField("time"));
  return provenance;
}

}  // namespace

Result<Document> FromJson(std::string_view text) {
  TRY(const auto file, JsonFile::Parse(text, "tare document", kDeepestNesting));
  const JsonValue place = file.Root();
  Document document;
  TRY(document.version, place.TextField("tare"));
  TRY(const JsonValue format, place.Field("format"));
  TRY(const std::uint64_t number, format.Whole());
  if (number < 1 || number > kDocumentFormat) {
    return Fail(ErrorKind::kFormat,
                fmt::format("the document has format {} (written by tare {}) and this tare reads "
                            "up to format {}; read it with a tare of that version",
                            number, Printable(document.version), kDocumentFormat));
  }
  TRY(document.command, place.TextField("command"));
  TRY(document.title, place.TextField("title"));
  TRY(document.blocks, place.ListField("blocks", ReadBlock));
  TRY(document.caveats, place.ListField("caveats", ReadCaveat));
  TRY(const JsonValue provenance, place.Field("provenance"));
  TRY(document.provenance, ReadProvenance(provenance));
  return document;
}

}  // namespace tare::report
