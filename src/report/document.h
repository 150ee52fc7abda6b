// document.h: the result of a command as data, independent of how it is rendered.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/caveat.h"
#include "base/measured.h"

namespace tare::report {

// Text, a plain number without an interval (an index, a setting), a measured number, or nothing.
using Cell = std::variant<std::monostate, std::string, Number, Measured>;

struct Column {
  std::string name;  // lower case; scripts that read the JSON depend on it
  std::string unit = {};
  bool below = false;   // long text, shown on separate lines below the row
  bool symbol = false;  // names of functions, which may be shortened when shown
  bool thing = false;   // named after something in the data, such as a machine: any text
  // Where the numbers come from; empty: from what the table states.
  std::string source = {};
  // For text only, not part of the JSON.
  bool detail = false;  // not in brief text
  bool keep = false;    // the last to be left out if the columns do not fit

  friend bool operator==(const Column&, const Column&) = default;
};

// A column of names of functions.
Column SymbolColumn(std::string name);

// The column, but not in brief text.
Column Detail(Column column);

// The column as the last to be left out.
Column Kept(Column column);

struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
  bool whole = false;                   // brief text shows all rows, zeros too; not in the JSON
  // Where numbers without a source of their own come from, as in all blocks.
  std::string source = {};

  friend bool operator==(const Table&, const Table&) = default;
};

// A line over the axis of its series. `low` and `high` are empty or as long as `y`. A y that is not
// finite is a gap.
struct Line {
  std::string name;
  std::string unit;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;
  bool points = false;  // drawn as single points, in any order of x
  // Of all its points; a line without one states nothing about them.
  std::optional<Verdict> verdict = {};
  std::string reason = {};
  std::string source = {};

  friend bool operator==(const Line&, const Line&) = default;
};

// A named position on the axis of a series, such as the size of a cache.
struct Mark {
  double x;
  std::string label;  // short

  friend bool operator==(const Mark&, const Mark&) = default;
};

struct Series {
  std::string id;
  std::string title;
  Column axis;
  bool log_axis = false;
  std::vector<Line> lines;
  bool log_values = false;
  std::vector<Mark> marks = {};  // ascending x
  std::string source = {};

  friend bool operator==(const Series&, const Series&) = default;
};

struct TreeNode {
  std::string label;
  std::vector<Cell> cells;  // as long as the tree's columns
  std::vector<TreeNode> children;

  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

struct Tree {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<TreeNode> roots;
  std::string source = {};

  friend bool operator==(const Tree&, const Tree&) = default;
};

struct Span {
  double start;
  double end;
  std::string label;

  friend bool operator==(const Span&, const Span&) = default;
};

struct Lane {
  std::string name;
  std::vector<Span> spans;

  friend bool operator==(const Lane&, const Lane&) = default;
};

struct Timeline {
  std::string id;
  std::string title;
  std::string unit;
  std::vector<Lane> lanes;
  std::string source = {};

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

// Parts of a whole, stacked in one bar, or as single values. All bars of a block share one scale.
// Negative parts and absent values are not drawn.
struct Bar {
  std::string name;
  std::vector<Measured> values;  // as long as `segments`

  friend bool operator==(const Bar&, const Bar&) = default;
};

struct Bars {
  std::string id;
  std::string title;
  std::string unit;                   // the unit of all values
  std::vector<std::string> segments;  // the names of the parts, in order
  std::vector<Bar> bars;
  std::string source = {};
  // The values are no parts: each is a dot with its interval, on an axis that is logarithmic if
  // they span decades. Marks are positions on that axis.
  bool dots = false;
  std::vector<Mark> marks = {};  // ascending; with dots only

  friend bool operator==(const Bars&, const Bars&) = default;
};

struct Text {
  std::string id;
  std::string text;  // paragraphs separated by empty lines

  friend bool operator==(const Text&, const Text&) = default;
};

using Block = std::variant<Table, Series, Tree, Timeline, Bars, Text>;

// A caveat with its text, so that a stored document can be read without this program's table.
struct StatedCaveat {
  std::string id;
  Verdict verdict = Verdict::kDoubtful;
  std::string message;
  std::string detail;
  std::string hint;

  friend bool operator==(const StatedCaveat&, const StatedCaveat&) = default;
};

StatedCaveat State(const Caveat& caveat);

struct Provenance {
  std::string machine;
  std::string kernel;
  std::vector<std::string> command_line;
  std::map<std::string, std::string> settings;
  std::optional<std::uint64_t> seed;
  std::string time;  // ISO 8601, UTC

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Document {
  std::string version;  // version of tare that wrote the document
  std::string command;
  std::string title;
  std::vector<Block> blocks;
  std::vector<StatedCaveat> caveats;
  Provenance provenance;

  friend bool operator==(const Document&, const Document&) = default;
};

// The document without the blocks with these ids.
Document Without(Document document, const std::vector<std::string>& ids);

// The table with that id, or null.
const Table* FindTable(const Document& document, std::string_view id);

}  // namespace tare::report
