// columns.h: formats the cells of a column before they are laid out in a table.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "report/document.h"

namespace tare::report {

// Reasons and other remarks on cells. Each is listed once and numbered in order of appearance.
class Notes {
 public:
  // Cells whose confidence differs from `usual_confidence` get a note with their confidence.
  explicit Notes(std::optional<double> usual_confidence) : usual_(usual_confidence) {}

  // The text after a value: "?" for doubtful, "!" for refused, and the numbers of the notes.
  std::string MarkOf(const Measured& measured);
  void Meet(const Cell& cell);

  // Each as "¹ doubtful: the reason", printable.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string NumberOf(const std::string& text);

  std::optional<double> usual_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> lines_;
};

// The parts of a cell. Text cells have only a value. All parts are printable.
struct ShownCell {
  std::string value;
  std::string unit;                   // empty if the header has the unit
  std::string mark;                   // see Notes
  std::string interval;               // or the word "exact"
  Verdict verdict = Verdict::kValid;  // verdict of the value, if there is one
  // Tree guides before the first line and before each further line of a text cell.
  std::string guide = {};
  std::string next_guide = {};
};

struct ShownColumn {
  std::string name;
  std::string unit;    // the unit of all cells; empty if each cell has its own or none
  bool exact = false;  // all numbers are exact counts
  // All numbers are exact, but computed from counts, such as ratios: shown rounded.
  bool derived = false;
  bool measured = false;  // has measured numbers
  bool numeric = false;
  bool below = false;  // see Column
  std::vector<ShownCell> cells;
};

// The part of a header after the name: "(ns, exact)"; may be empty.
std::string Qualifier(const ShownColumn& column);
// The whole header: "cost (ns, exact)".
std::string Header(const ShownColumn& column);

// Uses one unit for the whole column if all cells are readable in it, otherwise one per cell.
ShownColumn ShowColumn(const Column& column, std::span<const Cell* const> cells, Notes& notes);

// Formats the columns of a table. Missing cells at the end of a row are empty.
std::vector<ShownColumn> ShowColumns(const std::vector<Column>& columns,
                                     const std::vector<const std::vector<Cell>*>& rows,
                                     Notes& notes);

// All parts of the cell in one text: "3.25 µs? [3.04, 3.46]".
std::string Flat(const ShownCell& cell);
// The same, including the unit and exactness that the header states.
std::string FlatInFull(const ShownCell& cell, const ShownColumn& column);

// The most frequent confidence level of the measured numbers.
std::optional<double> UsualConfidence(const Document& document);
std::optional<double> UsualConfidence(const Table& table);

std::string Percent(double share);

}  // namespace tare::report
