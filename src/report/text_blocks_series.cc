// text_blocks_series.cc: renders series as charts, or as sparklines if there is little room.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/printable.h"
#include "base/units.h"
#include "report/axis.h"
#include "report/chart.h"
#include "report/figures.h"
#include "report/paint.h"
#include "report/text_blocks.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr std::size_t kMinChart = 40;
// The maximum number of lines in one chart. A logarithmic scale allows more, because lines that
// differ by factors stay apart on it.
constexpr std::size_t kMaxTogether = 4;
constexpr std::size_t kMaxTogetherLogarithmic = kDistinct.size();
constexpr std::size_t kHeight = 13;
constexpr std::size_t kBriefHeight = 9;
constexpr std::size_t kSmallHeight = 4;

std::string WithUnit(const std::string& digits, const ScaledUnit& scaled) {
  return scaled.symbol.empty() ? digits : digits + " " + Printable(scaled.symbol);
}

// "minimum to maximum unit", or "no points".
std::string RangeOf(const Line& line) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double y : line.y) {
    if (!std::isfinite(y)) continue;
    low = std::min(low, y);
    high = std::max(high, y);
  }
  if (low > high) return "no points";
  const ScaledUnit scaled = ReadableUnit(std::max(std::abs(low), std::abs(high)), line.unit);
  const std::string min = ShowRounded(low * scaled.factor, 3);
  const std::string max = ShowRounded(high * scaled.factor, 3);
  return WithUnit(min == max ? min : fmt::format("{} to {}", min, max), scaled);
}

// The median half-width of the line's intervals; on a logarithmic scale relative to their values.
std::string TypicalInterval(const Line& line, bool logarithmic) {
  std::vector<double> halves;
  for (std::size_t i = 0; i < std::min(line.low.size(), line.high.size()); ++i) {
    const double half = (line.high[i] / 2 - line.low[i] / 2) / (logarithmic ? line.y[i] : 1.0);
    if (std::isfinite(half)) halves.push_back(half);
  }
  if (halves.empty()) return "";
  const auto middle = halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2);
  std::ranges::nth_element(halves, middle);
  if (logarithmic) return fmt::format(", typically ± {} %", ShowRounded(*middle * 100, 2));
  const ScaledUnit scaled = ReadableUnit(*middle, line.unit);
  return fmt::format(", typically ± {}", WithUnit(ShowRounded(*middle * scaled.factor, 2), scaled));
}

std::string Summary(const Line& line, bool logarithmic) {
  const std::string range = RangeOf(line) + TypicalInterval(line, logarithmic);
  return line.name.empty() ? range : fmt::format("{}: {}", Printable(line.name), range);
}

std::string Legend(const Lines& lines, bool logarithmic, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool several = lines.size() > 1;
    const std::string guide = several ? LetterOf(i) + " " : "";
    for (const std::string& part :
         Wrap(Summary(*lines[i], logarithmic), style.width, guide, "  ")) {
      text += Painted(part, several ? kDistinct[i] : Paint::kPlain, style.colour) + "\n";
    }
  }
  return text;
}

std::string OneChart(const Series& series, const Lines& lines, const TextStyle& style) {
  const Frame frame = FrameFor(series, lines, lines.size(), style.width);
  if (frame.plot == 0) return Legend(lines, series.log_values, style);
  // Ticks are evenly spaced if each interval has the same number of rows.
  const std::size_t intervals = frame.y.ticks.size() - 1;
  const std::size_t rows = style.brief ? kBriefHeight : kHeight;
  const std::size_t height = 1 + intervals * std::max<std::size_t>((rows - 1) / intervals, 1);
  return DrawMarks(frame, style.colour) + DrawLines(lines, frame, height, style.colour) +
         DrawAxis(series.axis, frame, style.colour) + Legend(lines, series.log_values, style);
}

// One chart per line, all in the same frame so that they can be compared.
std::string SmallCharts(const Series& series, const Lines& lines, const TextStyle& style) {
  const Frame frame = FrameFor(series, lines, 1, style.width);
  std::string text = DrawMarks(frame, style.colour);
  for (const Line* line : lines) {
    text += Legend({line}, series.log_values, style);
    if (frame.plot > 0) text += DrawLines({line}, frame, kSmallHeight, style.colour);
  }
  if (frame.plot > 0) text += DrawAxis(series.axis, frame, style.colour);
  return text;
}

// Eight levels; shows the maximum of each column, and a blank for a gap.
std::string Sparkline(const Line& line, bool logarithmic, std::size_t width) {
  constexpr std::array<std::string_view, 8> kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const Axis axis = AxisOver(line.y, line.unit, logarithmic);
  const std::size_t columns = std::min(width, line.y.size());
  std::string text;
  for (std::size_t column = 0; column < columns; ++column) {
    double max = -std::numeric_limits<double>::infinity();
    const std::size_t end = (column + 1) * line.y.size() / columns;
    for (std::size_t i = column * line.y.size() / columns; i < end; ++i) {
      if (std::isfinite(line.y[i])) max = std::max(max, line.y[i]);
    }
    // A value that is not positive has no place on a logarithmic axis.
    const double place = axis.Place(max);
    const bool shown = std::isfinite(max) && std::isfinite(place);
    text += shown ? kLevels[static_cast<std::size_t>(std::clamp(place, 0.0, 1.0) * 7.999)] : " ";
  }
  text = Trimmed(text);
  return text.empty() ? "" : text + "\n";
}

std::string Compact(const Series& series, const TextStyle& style) {
  std::string text;
  for (const Line& line : series.lines) {
    text +=
        Legend({&line}, series.log_values, style) + Sparkline(line, series.log_values, style.width);
  }
  return text;
}

}  // namespace

std::string SeriesText(const Series& series, const TextStyle& style) {
  if (series.lines.empty()) return Painted("none", Paint::kDim, style.colour) + "\n";
  if (style.width < kMinChart) return Compact(series, style);

  // Lines of the same unit share a chart as long as they can be distinguished.
  std::vector<Lines> groups;
  for (const Line& line : series.lines) {
    const auto same = [&](const Lines& lines) { return lines.front()->unit == line.unit; };
    const auto found = std::ranges::find_if(groups, same);
    if (found == groups.end()) {
      groups.push_back({&line});
    } else {
      found->push_back(&line);
    }
  }
  std::string text;
  for (const Lines& lines : groups) {
    if (!text.empty()) text += "\n";
    const std::size_t max = series.log_values ? kMaxTogetherLogarithmic : kMaxTogether;
    text +=
        lines.size() <= max ? OneChart(series, lines, style) : SmallCharts(series, lines, style);
  }
  return text;
}

}  // namespace tare::report
