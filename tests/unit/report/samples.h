// samples.h: documents for tests of the renderers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "report/document.h"
#include "report/names.h"

namespace tare::report {

// A document with every kind of block.
inline Document SampleDocument() {
  Document document;
  document.version = "0.1.0";
  document.command = "timer";
  document.title = "Clocks";
  Table table;
  table.id = "clocks";
  table.title = "Clocks";
  table.columns = {{"clock", ""}, {"cost", "s"}, {"resolution", "s"}, {"core", ""}};
  table.rows = {
      {std::string("monotonic"), Between(3.2513e-6, 3.042e-6, 3.4605e-6, 0.95),
       WithUnit("ns", Exact(26)), Number(std::int64_t{0})},
      {std::string("thread"), Doubtful(Between(2.43e-7, 2.38e-7, 2.61e-7, 0.99), "outliers"),
       Absent("not known"), Number(0.5)},
      {Cell(), Cell(), Cell(), Cell()},
  };
  Series series;
  series.id = "latency";
  series.title = "Latency";
  series.axis = {"size", "B"};
  series.log_axis = true;
  series.lines = {{"chase",
                   "s",
                   {4096, 8192, 16384},
                   {1e-9, 2e-9, 4e-9},
                   {1e-9, 1e-9, 3e-9},
                   {2e-9, 3e-9, 5e-9}},
                  {"stride", "s", {4096, 8192}, {1e-9, 1e-9}, {}, {}}};
  Tree tree;
  tree.id = "calls";
  tree.title = "Calls";
  tree.columns = {{"self", "%"}};
  tree.roots = {{"main",
                 {Exact(3)},
                 {{"sort", {Exact(2)}, {{"swap", {Exact(1)}, {}}}}, {"print", {Cell()}, {}}}}};
  Timeline timeline;
  timeline.id = "ranks";
  timeline.title = "Ranks";
  timeline.unit = "s";
  timeline.lanes = {{"rank 0", {{0, 1, "work"}, {1, 1.5, "wait"}}}, {"rank 1", {}}};
  document.blocks = {table, series, tree, timeline, Text{"end", "One.\n\nTwo."}};
  document.caveats = {State({CaveatId::kSteal, "4 %"})};
  document.provenance = {"a machine",
                         "Linux 6.1",
                         {"tare", "timer"},
                         {{"runs", "20"}},
                         std::numeric_limits<std::uint64_t>::max(),
                         "2024-05-01T12:00:00Z"};
  return document;
}

// Instructions by category, before and after a change.
inline Bars SampleBars() {
  return {
      "mix",
      "Instructions",
      "instructions",
      {"move", "add", "branch", "call", "float"},
      {{"vanilla", {Exact(500), Exact(300), Exact(150), Exact(49), Exact(1)}},
       {"instrumented", {Exact(900), Exact(300), Exact(400), Exact(400), Absent("not known")}}}};
}

// Random documents, reproducible by seed; all text is UTF-8 and all numbers are finite.
class DocumentMaker {
 public:
  explicit DocumentMaker(std::uint64_t seed) : random_(seed) {}

  Document Make() {
    Document document{Word(), Word(), Word(), {}, {}, {}};
    for (std::size_t i = Below(5); i > 0; --i) document.blocks.push_back(MakeBlock());
    for (std::size_t i = Below(3); i > 0; --i) {
      document.caveats.push_back({Word(), MakeVerdict(), Word(), Word(), Word()});
    }
    document.provenance = {Word(), Word(), {Word(), Word()}, {{Word(), Word()}}, {}, Word()};
    if (Below(2) == 0) document.provenance.seed = random_();
    return document;
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  std::string Word() {
    static const std::string kPieces[] = {
        "a",      "main", " ",      "\n", "\t",   "\x1b[31m", "</script>", "\"", "\\",        "µ",
        "\u202e", "|",    "\u2028", "=1", "漢字", "\x7f",     "{",         "[",  "\u009b",    "😀",
        ",",      "'",    "<b>",    "`",  "\r",   "e\u0301",  "::",        "_",  "\U000e0041"};
    std::string word;
    for (std::size_t i = Below(8); i > 0; --i) word += kPieces[Below(std::size(kPieces))];
    if (Below(20) == 0) word += '\0';
    return word;
  }

  double Real() {
    switch (Below(6)) {
      case 0:
        return 0.0;
      case 1:
        return -0.0;
      case 2:
        return static_cast<double>(Below(1000));
      case 3:
        return std::ldexp(static_cast<double>(random_()) - 0x1p63,
                          static_cast<int>(Below(1800)) - 1000);
      case 4:
        return Below(2) == 0 ? std::numeric_limits<double>::max()
                             : std::numeric_limits<double>::denorm_min();
      default:
        return static_cast<double>(random_()) * 0x1p-64;
    }
  }

  Number MakeNumber() {
    if (Below(2) == 0) return Real();
    return static_cast<std::int64_t>(random_()) >> Below(64);
  }

  Verdict MakeVerdict() { return static_cast<Verdict>(Below(3)); }

  std::string Unit() {
    static const std::string kUnits[] = {"", "s", "ns", "B", "Hz", "/s", "%", "reads", "\x1b["};
    return kUnits[Below(std::size(kUnits))];
  }

  Cell MakeCell() {
    switch (Below(4)) {
      case 0:
        return {};
      case 1:
        return Word();
      case 2:
        return MakeNumber();
      default:
        break;
    }
    Measured measured;
    if (Below(4) > 0) measured.value = MakeNumber();
    if (Below(2) == 0) measured.low = Real();
    if (Below(2) == 0) measured.high = Real();
    if (measured.low && measured.high && *measured.low > *measured.high) {
      std::swap(measured.low, measured.high);
    }
    measured.exact = Below(3) == 0;
    if (Below(2) == 0) measured.confidence = 0.9 + 0.01 * static_cast<double>(Below(10));
    measured.unit = Unit();
    measured.source = Word();
    measured.verdict = MakeVerdict();
    measured.reason = Word();
    return measured;
  }

  std::vector<Column> Columns() {
    std::vector<Column> columns;
    for (std::size_t i = Below(5); i > 0; --i) {
      columns.push_back({Word(), Unit(), Below(4) == 0});
      columns.back().thing = !IsIdWord(columns.back().name);
    }
    return columns;
  }

  std::vector<Cell> Cells(std::size_t count) {
    std::vector<Cell> cells;
    while (cells.size() < count) cells.push_back(MakeCell());
    return cells;
  }

  TreeNode Node(std::size_t columns, std::size_t depth) {
    TreeNode node{Word(), Cells(columns), {}};
    if (depth > 6) return node;
    for (std::size_t i = Below(3); i > 0; --i) node.children.push_back(Node(columns, depth + 1));
    return node;
  }

  Block MakeBlock() {
    switch (Below(6)) {
      case 0: {
        Table table{Word(), Word(), Columns(), {}};
        for (std::size_t i = Below(5); i > 0; --i)
          table.rows.push_back(Cells(table.columns.size()));
        return table;
      }
      case 1: {
        Series series{Word(), Word(), {Word(), Unit()}, Below(2) == 0, {}};
        for (std::size_t i = Below(10); i > 0; --i) series.lines.push_back(MakeLine());
        series.log_values = Below(2) == 0;
        for (std::size_t i = Below(4); i > 0; --i) series.marks.push_back({Real(), Word()});
        return series;
      }
      case 2: {
        Tree tree{Word(), Word(), Columns(), {}};
        for (std::size_t i = Below(3); i > 0; --i)
          tree.roots.push_back(Node(tree.columns.size(), 0));
        return tree;
      }
      case 3: {
        Timeline timeline{Word(), Word(), Unit(), {}};
        for (std::size_t i = Below(3); i > 0; --i) {
          Lane lane{Word(), {}};
          for (std::size_t k = Below(9); k > 0; --k) {
            const double start = Real();
            const double end = Real();
            lane.spans.push_back({std::min(start, end), std::max(start, end), Word()});
          }
          timeline.lanes.push_back(std::move(lane));
        }
        return timeline;
      }
      case 4:
        return MakeBars();
      default:
        return Text{Word(), Word()};
    }
  }

  Bars MakeBars() {
    Bars bars{Word(), Word(), Unit(), {}, {}};
    for (std::size_t i = Below(9); i > 0; --i) bars.segments.push_back(Word());
    for (std::size_t i = Below(6); i > 0; --i) {
      Bar bar{Word(), {}};
      while (bar.values.size() < bars.segments.size()) {
        Cell cell = MakeCell();
        auto* measured = std::get_if<Measured>(&cell);
        if (measured == nullptr) continue;
        if (measured->value && AsDouble(*measured->value) < 0) measured->value = std::int64_t{7};
        bar.values.push_back(std::move(*measured));
      }
      bars.bars.push_back(std::move(bar));
    }
    bars.dots = Below(2) == 0;
    if (bars.dots) bars.marks = {{0.5, Word()}, {7, Word()}};
    return bars;
  }

  Line MakeLine() {
    Line line{Word(), Unit(), {}, {}, {}, {}};
    const bool bounds = Below(2) == 0;
    for (std::size_t i = Below(12); i > 0; --i) {
      line.x.push_back(Real());
      line.y.push_back(Real());
      if (!bounds) continue;
      const double low = Real();
      const double high = Real();
      line.low.push_back(std::min(low, high));
      line.high.push_back(std::max(low, high));
    }
    return line;
  }

  std::mt19937_64 random_;
};

}  // namespace tare::report
