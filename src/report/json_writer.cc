// json_writer.cc: writes a document as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "report/json.h"

namespace tare::report {
namespace {

class Writer : private JsonWriter {
 public:
  std::string Write(const Document& document);

 private:
  void Maybe(const std::optional<double>& value);
  void Value(const Number& number);
  void Value(const Measured& measured);
  void Value(const Cell& cell);
  void Value(const Column& column);
  void Value(const Line& line);
  void Value(const Lane& lane);
  void Value(const Bar& bar);
  void Value(const StatedCaveat& caveat);
  void Value(const Provenance& provenance);
  void Node(const TreeNode& node, std::size_t depth);
  void Value(const Block& block);
  void Body(const Table& table);
  void Body(const Series& series);
  void Body(const Tree& tree);
  void Body(const Timeline& timeline);
  void Body(const Bars& bars);
  void Marks(const std::vector<Mark>& marks);
  void Body(const report::Text& text);
};

void Writer::Maybe(const std::optional<double>& value) {
  if (!value) return Raw("null");
  Real(*value);
}

void Writer::Value(const Number& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) {
    Raw(fmt::format("{}", *whole));
  } else {
    Real(std::get<double>(number));
  }
}

void Writer::Value(const Measured& measured) {
  Raw("{");
  Key("value");
  if (measured.value) {
    Value(*measured.value);
  } else {
    Raw("null");
  }
  Key("low");
  Maybe(measured.low);
  Key("high");
  Maybe(measured.high);
  Key("exact");
  Raw(measured.exact ? "true" : "false");
  if (measured.confidence) {
    Key("confidence");
    Real(*measured.confidence);
  }
  if (!measured.unit.empty()) TextField("unit", measured.unit);
  if (!measured.source.empty()) TextField("source", measured.source);
  TextField("verdict", Name(measured.verdict));
  Key("reason");
  if (measured.reason.empty()) {
    Raw("null");
  } else {
    Text(measured.reason);
  }
  Raw("}");
}

void Writer::Value(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Text(*text);
  if (const auto* number = std::get_if<Number>(&cell)) return Value(*number);
  if (const auto* measured = std::get_if<Measured>(&cell)) return Value(*measured);
  Raw("null");
}

void Writer::Value(const Column& column) {
  Raw("{");
  TextField("name", column.name);
  TextField("unit", column.unit);
  if (column.below) {
    Key("below");
    Raw("true");
  }
  if (column.symbol) {
    Key("symbol");
    Raw("true");
  }
  if (!column.source.empty()) TextField("source", column.source);
  Raw("}");
}

void Writer::Value(const Line& line) {
  const auto reals = [this](std::string_view name, const std::vector<double>& values) {
    LineKey(10, name);
    Inline(values, [this](double value) { Real(value); });
  };
  Raw("{");
  TextField("name", line.name);
  TextField("unit", line.unit);
  reals("x", line.x);
  reals("y", line.y);
  reals("low", line.low);
  reals("high", line.high);
  if (line.points) {
    Key("points");
    Raw("true");
  }
  if (line.verdict) TextField("verdict", Name(*line.verdict));
  if (!line.reason.empty()) TextField("reason", line.reason);
  if (!line.source.empty()) TextField("source", line.source);
  Raw("}");
}

void Writer::Value(const Lane& lane) {
  Raw("{");
  TextField("name", lane.name);
  Key("spans");
  Lines(lane.spans, 8, [this](const Span& span) {
    Raw("{");
    Key("start");
    Real(span.start);
    Key("end");
    Real(span.end);
    TextField("label", span.label);
    Raw("}");
  });
  Raw("}");
}

void Writer::Node(const TreeNode& node, std::size_t depth) {
  // Without a limit, deep trees would consist mostly of blanks.
  constexpr std::size_t kMaxIndent = 40;
  const std::size_t indent = std::min(6 + 2 * depth, kMaxIndent);
  Raw("{");
  TextField("label", node.label);
  Key("cells");
  Inline(node.cells, [this](const Cell& cell) { Value(cell); });
  Key("children");
  Lines(node.children, indent + 2,
        [this, depth](const TreeNode& child) { Node(child, depth + 1); });
  Raw("}");
}

void Writer::Body(const Table& table) {
  LineKey(6, "columns");
  Inline(table.columns, [this](const Column& column) { Value(column); });
  LineKey(6, "rows");
  Lines(table.rows, 6, [this](const std::vector<Cell>& row) {
    Inline(row, [this](const Cell& cell) { Value(cell); });
  });
}

void Writer::Marks(const std::vector<Mark>& marks) {
  if (marks.empty()) return;
  LineKey(6, "marks");
  Lines(marks, 6, [this](const Mark& mark) {
    Raw("{");
    Key("x");
    Real(mark.x);
    TextField("label", mark.label);
    Raw("}");
  });
}

void Writer::Body(const Series& series) {
  LineKey(6, "axis");
  Value(series.axis);
  LineKey(6, "log_axis");
  Raw(series.log_axis ? "true" : "false");
  LineKey(6, "lines");
  Lines(series.lines, 6, [this](const Line& line) { Value(line); });
  if (series.log_values) {
    LineKey(6, "log_values");
    Raw("true");
  }
  Marks(series.marks);
}

void Writer::Body(const Tree& tree) {
  LineKey(6, "columns");
  Inline(tree.columns, [this](const Column& column) { Value(column); });
  LineKey(6, "roots");
  Lines(tree.roots, 6, [this](const TreeNode& root) { Node(root, 0); });
}

void Writer::Body(const Timeline& timeline) {
  LineKey(6, "unit");
  Text(timeline.unit);
  LineKey(6, "lanes");
  Lines(timeline.lanes, 6, [this](const Lane& lane) { Value(lane); });
}

void Writer::Value(const Bar& bar) {
  Raw("{");
  TextField("name", bar.name);
  Key("values");
  Inline(bar.values, [this](const Measured& value) { Value(value); });
  Raw("}");
}

void Writer::Body(const Bars& bars) {
  LineKey(6, "unit");
  Text(bars.unit);
  LineKey(6, "segments");
  Inline(bars.segments, [this](const std::string& segment) { Text(segment); });
  LineKey(6, "bars");
  Lines(bars.bars, 6, [this](const Bar& bar) { Value(bar); });
  if (bars.dots) {
    LineKey(6, "dots");
    Raw("true");
  }
  Marks(bars.marks);
}

void Writer::Body(const report::Text& text) {
  LineKey(6, "text");
  Text(text.text);
}

void Writer::Value(const Block& block) {
  std::visit(
      [this]<typename Kind>(const Kind& part) {
        constexpr std::string_view kKind = std::is_same_v<Kind, Table>      ? "table"
                                           : std::is_same_v<Kind, Series>   ? "series"
                                           : std::is_same_v<Kind, Tree>     ? "tree"
                                           : std::is_same_v<Kind, Timeline> ? "timeline"
                                           : std::is_same_v<Kind, Bars>     ? "bars"
                                                                            : "text";
        Raw("{");
        NewLine(6);
        Raw("\"kind\": ");
        Text(kKind);
        LineKey(6, "id");
        Text(part.id);
        if constexpr (requires { part.title; }) {
          LineKey(6, "title");
          Text(part.title);
        }
        if constexpr (requires { part.source; }) {
          if (!part.source.empty()) {
            LineKey(6, "source");
            Text(part.source);
          }
        }
        Body(part);
        NewLine(4);
        Raw("}");
      },
      block);
}

void Writer::Value(const StatedCaveat& caveat) {
  Raw("{");
  TextField("id", caveat.id);
  TextField("verdict", Name(caveat.verdict));
  TextField("message", caveat.message);
  TextField("detail", caveat.detail);
  TextField("hint", caveat.hint);
  Raw("}");
}

void Writer::Value(const Provenance& provenance) {
  Raw("{");
  NewLine(4);
  Raw("\"machine\": ");
  Text(provenance.machine);
  LineKey(4, "kernel");
  Text(provenance.kernel);
  LineKey(4, "command_line");
  Inline(provenance.command_line, [this](const std::string& word) { Text(word); });
  LineKey(4, "settings");
  Raw("{");
  for (bool first = true; const auto& [name, value] : provenance.settings) {
    if (!first) Raw(", ");
    first = false;
    Text(name);
    Raw(": ");
    Text(value);
  }
  Raw("}");
  LineKey(4, "seed");
  Raw(provenance.seed ? fmt::format("{}", *provenance.seed) : "null");
  LineKey(4, "time");
  Text(provenance.time);
  NewLine(2);
  Raw("}");
}

std::string Writer::Write(const Document& document) {
  Raw("{");
  NewLine(2);
  Raw("\"tare\": ");
  Text(document.version);
  LineKey(2, "format");
  Raw(fmt::format("{}", FormatOf(document)));
  LineKey(2, "command");
  Text(document.command);
  LineKey(2, "title");
  Text(document.title);
  LineKey(2, "blocks");
  Lines(document.blocks, 2, [this](const Block& block) { Value(block); });
  LineKey(2, "caveats");
  Lines(document.caveats, 2, [this](const StatedCaveat& caveat) { Value(caveat); });
  LineKey(2, "provenance");
  Value(document.provenance);
  NewLine(0);
  Raw("}\n");
  return Take();
}

}  // namespace

int FormatOf(const Document& document) {
  int format = 1;
  for (const Block& block : document.blocks) {
    const auto* series = std::get_if<Series>(&block);
    const bool marked = series != nullptr && (series->log_values || !series->marks.empty());
    const auto* bars = std::get_if<Bars>(&block);
    if (bars != nullptr) format = std::max(format, bars->dots || !bars->marks.empty() ? 5 : 2);
    if (marked) format = std::max(format, 3);
    if (series != nullptr && std::ranges::any_of(series->lines, &Line::points)) {
      format = std::max(format, 4);
    }
  }
  return format;
}

std::string ToJson(const Document& document) { return Writer().Write(document); }

}  // namespace tare::report
