// columns.h: how the cells of one column read, before they are set in a table.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "report/document.h"

namespace tare::report {

// Reasons and other remarks on cells, each once, numbered in the order in which they were met.
class Notes {
 public:
  // Cells whose confidence is not `usual_confidence` get a note that says so.
  explicit Notes(std::optional<double> usual_confidence) : usual_(usual_confidence) {}

  // What stands behind the value: "?" for doubtful, "!" for refused, and the numbers of the notes.
  std::string MarkOf(const Measured& measured);
  void Meet(const Cell& cell);

  // Each as "¹ doubtful: the reason", safe for a terminal.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string NumberOf(const std::string& text);

  std::optional<double> usual_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> lines_;
};

// The parts of a cell; text cells have a value alone. All of it is safe for a terminal.
struct ShownCell {
  std::string value;
  std::string unit;                   // empty when the header says it
  std::string mark;                   // see Notes
  std::string interval;               // or the word exact
  Verdict verdict = Verdict::kValid;  // of the value, where there is one
  // Tree guides before the first and before every further line of a text cell.
  std::string guide = {};
  std::string next_guide = {};
};

struct ShownColumn {
  std::string name;
  std::string unit;    // of all cells; empty when each has its own, or none
  bool exact = false;  // all numbers are
  bool numeric = false;
  bool below = false;  // see Column
  std::vector<ShownCell> cells;
};

// "(ns, exact)": what a header says besides the name; empty for nothing.
std::string Qualifier(const ShownColumn& column);
// "cost (ns, exact)"
std::string Header(const ShownColumn& column);

// One unit for the whole column where all cells read well in it; otherwise one for each cell.
ShownColumn ShowColumn(const Column& column, std::span<const Cell* const> cells, Notes& notes);

// Columns of a table; a row that is too short is filled with nothing.
std::vector<ShownColumn> ShowColumns(const std::vector<Column>& columns,
                                     const std::vector<const std::vector<Cell>*>& rows,
                                     Notes& notes);

// "3.25 µs? [3.04, 3.46]": all parts in one text.
std::string Flat(const ShownCell& cell);
// The same with what the header would have said.
std::string FlatInFull(const ShownCell& cell, const ShownColumn& column);

// The confidence that most measured numbers of the document have.
std::optional<double> UsualConfidence(const Document& document);
std::optional<double> UsualConfidence(const Table& table);

std::string Percent(double share);

}  // namespace tare::report
