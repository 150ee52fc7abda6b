// svg_blocks.cc: stacked bars, timelines, trees and intervals of tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "report/axis.h"
#include "report/bars_table.h"
#include "report/figures.h"
#include "report/svg.h"
#include "report/svg_canvas.h"
#include "report/svg_dots.h"

namespace tare::report {
namespace {

constexpr double kPictureWidth = 760;
constexpr double kMargin = 20;
constexpr double kNames = 150;
constexpr double kHead = 36;

void DrawTitle(SvgCanvas& canvas, std::string_view title) {
  canvas.Text(kMargin, 22, FittedText(title, kPictureWidth - 2 * kMargin, 15), Anchor::kStart, 15,
              "#1b1f24", true);
}

std::string_view FillOf(std::size_t index) { return FillColour(index).first; }

// Swatches from left to right; returns the height. Draws nothing without a canvas.
double DrawSwatches(SvgCanvas* canvas, const std::vector<std::string>& names, double top,
                    std::string_view (*colour)(std::size_t) = FillOf) {
  double x = kNames;
  double y = top + 14;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double width = std::min(TextWidth(names[i]) + 34, kPictureWidth - kNames - kMargin);
    if (x > kNames && x + width > kPictureWidth - kMargin) {
      x = kNames;
      y += 18;
    }
    if (canvas != nullptr) {
      canvas->Rectangle(x, y - 10, 11, 11, colour(i));
      canvas->Text(x + 16, y, FittedText(names[i], kPictureWidth - kNames - kMargin - 20));
    }
    x += width;
  }
  return y - top + 10;
}

std::string SvgPercent(double share) { return ShowRounded(share * 100, 3) + " %"; }

std::string ShownTotal(double total, const std::string& unit) {
  const ScaledUnit scaled = ReadableUnit(total, unit);
  const std::string number = ShowMeasured(Unbounded(total), scaled.factor).value;
  return scaled.symbol.empty() ? number : number + " " + scaled.symbol;
}

double PositiveOf(const Cell& cell) {
  if (const auto* number = std::get_if<Number>(&cell)) return std::max(AsDouble(*number), 0.0);
  if (const auto* measured = std::get_if<Measured>(&cell)) return DrawnPart(*measured);
  return 0;
}

struct SizedNode {
  const TreeNode* node;
  double value;
  std::vector<SizedNode> children;
};

// A parent is at least as wide as its children together.
SizedNode SizeNode(const TreeNode& node, std::size_t column) {
  SizedNode sized{&node, PositiveOf(node.cells[column]), {}};
  double sum = 0;
  for (const TreeNode& child : node.children) {
    sized.children.push_back(SizeNode(child, column));
    sum += sized.children.back().value;
  }
  sized.value = std::max(sized.value, sum);
  return sized;
}

constexpr double kMinBox = 0.5;  // pixels
constexpr double kBoxHeight = 19;

std::size_t DeepestBox(const SizedNode& node, double width, std::size_t depth) {
  std::size_t deepest = depth;
  for (const SizedNode& child : node.children) {
    const double part = node.value > 0 ? child.value / node.value * width : 0;
    if (part >= kMinBox) deepest = std::max(deepest, DeepestBox(child, part, depth + 1));
  }
  return deepest;
}

std::size_t HashOf(std::string_view text) {
  std::size_t hash = 5381;
  for (const char c : text) hash = (hash * 33 + static_cast<unsigned char>(c)) & 0x7fffffff;
  return hash;
}

struct BoxPlace {
  double x;
  double width;
  std::size_t depth;
};

void DrawBoxes(SvgCanvas& canvas, const SizedNode& node, const BoxPlace& place, double whole) {
  const auto [fill, ink] = FillColour(HashOf(node.node->label));
  const double y = kHead + static_cast<double>(place.depth) * kBoxHeight;
  const std::string share = SvgPercent(whole > 0 ? node.value / whole : 0);
  canvas.Rectangle(place.x, y, std::max(place.width - 0.6, 0.3), kBoxHeight - 1, fill,
                   fmt::format("{}: {}", node.node->label, share));
  const std::string label = FittedText(node.node->label, place.width - 8, 11);
  if (!label.empty()) canvas.Text(place.x + 4, y + 13, label, Anchor::kStart, 11, ink);
  double x = place.x;
  for (const SizedNode& child : node.children) {
    const double width = node.value > 0 ? child.value / node.value * place.width : 0;
    if (width >= kMinBox) DrawBoxes(canvas, child, {x, width, place.depth + 1}, whole);
    x += width;
  }
}

const Measured* MeasuredIn(const std::vector<Cell>& row, std::size_t column) {
  return std::get_if<Measured>(&row[column]);
}

// The column to draw: the first with two numbers or more, preferably with intervals.
std::size_t DrawnColumn(const Table& table) {
  std::size_t best = table.columns.size();
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    std::size_t numbers = 0;
    std::size_t intervals = 0;
    for (const auto& row : table.rows) {
      const Measured* measured = MeasuredIn(row, c);
      if (measured == nullptr || ShownValue(*measured) == nullptr) continue;
      ++numbers;
      if (measured->HasInterval()) ++intervals;
    }
    const bool has_best = best < table.columns.size();
    if (numbers > 0 && (intervals > 0 || !has_best)) best = c;
  }
  return best;
}

std::string RowName(const std::vector<Cell>& row) {
  std::string name;
  for (const Cell& cell : row) {
    const auto* text = std::get_if<std::string>(&cell);
    const auto* number = std::get_if<Number>(&cell);
    if (text == nullptr && number == nullptr) break;
    name += (name.empty() ? "" : ", ") + (text != nullptr ? *text : ShowBare(*number, 1));
  }
  return name;
}

constexpr double kWideNames = 260;

// Rows of a table whose numbers share a unit, and so an axis; rows without a number are in none.
std::vector<DotPlot> PlotsByUnit(const Table& table, std::size_t column) {
  std::vector<DotPlot> plots;
  for (const auto& row : table.rows) {
    const Measured* measured = MeasuredIn(row, column);
    if (measured == nullptr || ShownValue(*measured) == nullptr) continue;
    const std::string& unit = measured->unit.empty() ? table.columns[column].unit : measured->unit;
    auto plot = std::ranges::find(plots, unit, &DotPlot::unit);
    if (plot == plots.end()) plot = plots.insert(plots.end(), {unit, {}});
    plot->rows.push_back({RowName(row), {measured}});
  }
  return plots;
}

std::string DotsSvg(const Bars& bars) {
  DotPlot plot{bars.unit, {}, bars.marks};
  for (const Bar& bar : bars.bars) {
    plot.rows.push_back({bar.name, {}});
    for (const Measured& value : bar.values) plot.rows.back().values.push_back(&value);
  }
  const bool several = bars.segments.size() > 1;
  const double legend = several ? DrawSwatches(nullptr, bars.segments, 0, LineColour) : 0;
  SvgCanvas canvas(kPictureWidth, kHead + HeightOf(plot) + legend, bars.title);
  DrawTitle(canvas, bars.title);
  const double end = DrawDots(canvas, plot, kWideNames, kPictureWidth - kMargin, kHead);
  if (several) DrawSwatches(&canvas, bars.segments, end, LineColour);
  return canvas.Take();
}

}  // namespace

std::string ToSvg(const Bars& bars) {
  if (bars.dots) return DotsSvg(bars);
  constexpr double kRow = 40;
  constexpr double kTotals = 110;
  const double rows = static_cast<double>(bars.bars.size()) * kRow;
  const double legend = DrawSwatches(nullptr, bars.segments, 0);
  SvgCanvas canvas(kPictureWidth, kHead + rows + legend, bars.title);
  DrawTitle(canvas, bars.title);
  std::vector<double> totals;
  for (const Bar& bar : bars.bars) {
    double total = 0;
    for (const Measured& value : bar.values) total += DrawnPart(value);
    totals.push_back(total);
  }
  const double largest = totals.empty() ? 0 : std::ranges::max(totals);
  const double room = kPictureWidth - kNames - kTotals;
  for (std::size_t b = 0; b < bars.bars.size(); ++b) {
    const Bar& bar = bars.bars[b];
    const double y = kHead + static_cast<double>(b) * kRow;
    canvas.Text(kNames - 10, y + 20, FittedText(bar.name, kNames - 16), Anchor::kEnd);
    double x = kNames;
    for (std::size_t s = 0; s < bar.values.size(); ++s) {
      const double part = DrawnPart(bar.values[s]);
      const double width = largest > 0 ? part / largest * room : 0;
      if (width <= 0) continue;
      const std::string share = SvgPercent(totals[b] > 0 ? part / totals[b] : 0);
      canvas.Rectangle(x, y, std::max(width - 0.7, 0.3), 30, FillColour(s).first,
                       fmt::format("{}: {}", bars.segments[s], share));
      if (TextWidth(share, 11) + 6 < width) {
        canvas.Text(x + width / 2, y + 19, share, Anchor::kMiddle, 11, FillColour(s).second);
      }
      x += width;
    }
    canvas.Text(x + 8, y + 20, ShownTotal(totals[b], bars.unit), Anchor::kStart, 11);
  }
  DrawSwatches(&canvas, bars.segments, kHead + rows);
  return canvas.Take();
}

std::string ToSvg(const Timeline& timeline) {
  constexpr double kLane = 24;
  std::map<std::string, double> sums;
  std::vector<double> ends;
  for (const Lane& lane : timeline.lanes) {
    for (const Span& span : lane.spans) {
      sums[span.label] += span.end - span.start;
      ends.push_back(span.start);
      ends.push_back(span.end);
    }
  }
  std::vector<std::string> labels;
  for (const auto& [label, sum] : sums) labels.push_back(label);
  std::ranges::sort(labels, [&](const std::string& a, const std::string& b) {
    return sums[a] != sums[b] ? sums[a] > sums[b] : a < b;
  });
  std::map<std::string, std::size_t> colours;
  for (const std::string& label : labels) colours.emplace(label, colours.size());
  const std::vector<std::string> named(
      labels.begin(), labels.begin() + std::min<std::ptrdiff_t>(std::ssize(labels), 12));
  const double lanes = static_cast<double>(timeline.lanes.size()) * kLane;
  const double legend = DrawSwatches(nullptr, named, 0);
  SvgCanvas canvas(kPictureWidth, kHead + lanes + 30 + legend, timeline.title);
  DrawTitle(canvas, timeline.title);
  const Axis axis = AxisOver(ends, timeline.unit, false);
  const double room = kPictureWidth - kNames - kMargin;
  for (const double place : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double x = kNames + place * room;
    canvas.Stroke(x, kHead, x, kHead + lanes, "#e4e8ec");
    canvas.Text(x, kHead + lanes + 16, axis.Label(place),
                place == 1.0 ? Anchor::kEnd : Anchor::kMiddle, 11);
  }
  for (std::size_t l = 0; l < timeline.lanes.size(); ++l) {
    const double y = kHead + static_cast<double>(l) * kLane;
    canvas.Text(kNames - 10, y + 15, FittedText(timeline.lanes[l].name, kNames - 16), Anchor::kEnd);
    double covered = -1;  // spans narrower than a pixel are drawn once per half pixel
    for (const Span& span : timeline.lanes[l].spans) {
      const double x = kNames + axis.Place(span.start) * room;
      const double width = axis.Place(span.end) * room + kNames - x;
      if (!std::isfinite(x) || !std::isfinite(width)) continue;
      if (width < 0.5 && x < covered + 0.5) continue;
      covered = x;
      const auto [fill, ink] = FillColour(colours[span.label]);
      canvas.Rectangle(x, y + 2, std::max(width, 0.5), kLane - 4, fill, span.label);
      if (TextWidth(span.label, 11) + 6 < width) {
        canvas.Text(x + 4, y + 16, span.label, Anchor::kStart, 11, ink);
      }
    }
  }
  DrawSwatches(&canvas, named, kHead + lanes + 26);
  return canvas.Take();
}

std::string ToSvg(const Tree& tree) {
  std::size_t column = 0;
  for (std::size_t c = tree.columns.size(); c-- > 0;) {
    for (const TreeNode& root : tree.roots) {
      if (PositiveOf(root.cells[c]) > 0) column = c;
    }
  }
  std::vector<SizedNode> roots;
  double whole = 0;
  for (const TreeNode& root : tree.roots) {
    if (tree.columns.empty()) break;
    roots.push_back(SizeNode(root, column));
    whole += roots.back().value;
  }
  const double room = kPictureWidth - 2 * kMargin;
  std::size_t deepest = 0;
  for (const SizedNode& root : roots) {
    const double width = whole > 0 ? root.value / whole * room : 0;
    deepest = std::max(deepest, DeepestBox(root, width, 0));
  }
  SvgCanvas canvas(kPictureWidth, kHead + static_cast<double>(deepest + 1) * kBoxHeight + 12,
                   tree.title);
  DrawTitle(canvas, tree.title);
  double x = kMargin;
  for (const SizedNode& root : roots) {
    const double width = whole > 0 ? root.value / whole * room : 0;
    if (width >= kMinBox) DrawBoxes(canvas, root, {x, width, 0}, whole);
    x += width;
  }
  return canvas.Take();
}

std::string ToSvg(const Table& table) {
  const std::size_t column = DrawnColumn(table);
  const bool any = column < table.columns.size();
  const std::vector<DotPlot> plots = any ? PlotsByUnit(table, column) : std::vector<DotPlot>();
  double height = kHead + 24;
  for (const DotPlot& plot : plots) height += HeightOf(plot);
  SvgCanvas canvas(kPictureWidth, height, table.title);
  DrawTitle(canvas, table.title);
  if (!any) {
    canvas.Text(kMargin, kHead + 12, "no numbers");
    return canvas.Take();
  }
  double top = kHead;
  for (const DotPlot& plot : plots) {
    top = DrawDots(canvas, plot, kWideNames, kPictureWidth - kMargin, top);
  }
  const double middle = kWideNames + (kPictureWidth - kWideNames - kMargin) / 2;
  canvas.Text(middle, top + 8, table.columns[column].name, Anchor::kMiddle);
  return canvas.Take();
}

}  // namespace tare::report
