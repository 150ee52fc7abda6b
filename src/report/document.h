// document.h: what a command has to say, before anybody decides how it looks.
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

// Text, a bare number that needs no interval (an index, a setting), a measured number, or nothing.
using Cell = std::variant<std::monostate, std::string, Number, Measured>;

struct Column {
  std::string name;  // lower case, a word of the contract with readers of the JSON
  std::string unit = {};
  bool below = false;   // long text that reads best on lines of its own under the row
  bool symbol = false;  // names of functions, which people may see shortened
  bool thing = false;   // the name is that of something in the data, a machine: any text

  friend bool operator==(const Column&, const Column&) = default;
};

// A column of names of functions.
Column SymbolColumn(std::string name);

struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`

  friend bool operator==(const Table&, const Table&) = default;
};

// Lines over one axis. `low` and `high` are empty or as long as `y`; a y that is not finite is a
// gap.
struct Line {
  std::string name;
  std::string unit;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;

  friend bool operator==(const Line&, const Line&) = default;
};

// A place on the axis of a series that has a name: where a cache ends.
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
  std::vector<Mark> marks = {};  // by rising x

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

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

// Parts of a whole, piled up in one bar; all bars of a block share one scale. A value that is
// negative or not there has no part in the drawing.
struct Bar {
  std::string name;
  std::vector<Measured> values;  // as long as `segments`

  friend bool operator==(const Bar&, const Bar&) = default;
};

struct Bars {
  std::string id;
  std::string title;
  std::string unit;                   // of all values
  std::vector<std::string> segments;  // the names of the parts, in their order
  std::vector<Bar> bars;

  friend bool operator==(const Bars&, const Bars&) = default;
};

struct Text {
  std::string id;
  std::string text;  // paragraphs parted by an empty line

  friend bool operator==(const Text&, const Text&) = default;
};

using Block = std::variant<Table, Series, Tree, Timeline, Bars, Text>;

// What a reader of a stored document needs to judge a caveat without this program's table.
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
  std::string version;  // of the tare that wrote it
  std::string command;
  std::string title;
  std::vector<Block> blocks;
  std::vector<StatedCaveat> caveats;
  Provenance provenance;

  friend bool operator==(const Document&, const Document&) = default;
};

// The table with that id, or null.
const Table* FindTable(const Document& document, std::string_view id);

}  // namespace tare::report
