// svg_canvas.cc: elements, escaped text and colours.
#include "report/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.h"
#include "report/page.h"

namespace tare::report {
namespace {

// Two digits after the point, without an exponent.
std::string Coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string EscapedSvg(std::string_view text) { return EscapeHtml(Printable(text)); }

std::string PathData(const std::vector<std::pair<double, double>>& points) {
  std::string data;
  bool pen_down = false;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      pen_down = false;
      continue;
    }
    data += fmt::format("{}{} {}", pen_down ? "L" : "M", Coordinate(x), Coordinate(y));
    pen_down = true;
  }
  return data;
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n"
      "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      Coordinate(width), Coordinate(height), EscapedSvg(title));
}

void SvgCanvas::Stroke(double x1, double y1, double x2, double y2, std::string_view colour,
                       double width, std::string_view dash) {
  out_ += fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" "
      "stroke-width=\"{}\"{}/>\n",
      Coordinate(x1), Coordinate(y1), Coordinate(x2), Coordinate(y2), colour, Coordinate(width),
      dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

void SvgCanvas::Rectangle(double x, double y, double width, double height, std::string_view fill,
                          std::string_view hint) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
                      Coordinate(x), Coordinate(y), Coordinate(width), Coordinate(height), fill);
  out_ += hint.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", EscapedSvg(hint));
}

void SvgCanvas::Dot(double x, double y, double radius, std::string_view fill) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", Coordinate(x),
                      Coordinate(y), Coordinate(radius), fill);
}

void SvgCanvas::Path(const std::vector<std::pair<double, double>>& points, std::string_view colour,
                     std::string_view dash) {
  const std::string data = PathData(points);
  if (data.empty()) return;
  out_ += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.75\" "
      "stroke-linejoin=\"round\"{}/>\n",
      data, colour, dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

void SvgCanvas::Area(const std::vector<std::pair<double, double>>& outline, std::string_view fill) {
  const std::string data = PathData(outline);
  if (data.empty()) return;
  out_ += fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", data, fill);
}

void SvgCanvas::Text(double x, double y, std::string_view text, Anchor anchor, double size,
                     std::string_view fill, bool bold) {
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle", "end"};
  out_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>"
      "{}</text>\n",
      Coordinate(x), Coordinate(y), Coordinate(size), kAnchors[static_cast<std::size_t>(anchor)],
      fill, bold ? " font-weight=\"600\"" : "", EscapedSvg(text));
}

void SvgCanvas::EdgedText(double x, double y, std::string_view text, double size,
                          std::string_view fill) {
  out_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" stroke=\"#ffffff\" "
      "stroke-width=\"3\" paint-order=\"stroke\" stroke-linejoin=\"round\">{}</text>\n",
      Coordinate(x), Coordinate(y), Coordinate(size), fill, EscapedSvg(text));
}

void SvgCanvas::VerdictMark(double x, double y, double radius, Verdict verdict,
                            std::string_view colour) {
  const auto at = [&](double dx, double dy) {
    return fmt::format("{} {}", Coordinate(x + dx * radius), Coordinate(y + dy * radius));
  };
  switch (verdict) {
    case Verdict::kValid:
      return Dot(x, y, radius, colour);
    case Verdict::kDoubtful:
      out_ += fmt::format("<path d=\"M{}L{}L{}Z\" fill=\"{}\"/>\n", at(0, -1.2), at(1.2, 0.9),
                          at(-1.2, 0.9), colour);
      return;
    case Verdict::kRefused:
      out_ += fmt::format(
          "<path d=\"M{}L{}M{}L{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"/>\n",
          at(-1, -1), at(1, 1), at(-1, 1), at(1, -1), colour);
      return;
  }
}

void SvgCanvas::TurnedText(double x, double y, std::string_view text) {
  out_ += fmt::format(
      "<text transform=\"translate({} {}) rotate(-90)\" font-size=\"12\" "
      "text-anchor=\"middle\" fill=\"#1b1f24\">{}</text>\n",
      Coordinate(x), Coordinate(y), EscapedSvg(text));
}

std::string SvgCanvas::Take() {
  out_ += "</svg>\n";
  return std::move(out_);
}

std::string_view VerdictColour(Verdict verdict) {
  return verdict == Verdict::kValid      ? "#0072b2"
         : verdict == Verdict::kDoubtful ? "#e69f00"
                                         : "#b3261e";
}

std::string_view LineColour(std::size_t index) {
  constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#b58900", "#56b4e9", "#6b4fbb", "#7f7f7f"};
  return kColours[index % kColours.size()];
}

std::string_view LineDash(std::size_t index) {
  constexpr std::array<std::string_view, 4> kDashes = {"", "8 4", "2 3", "10 3 2 3"};
  return kDashes[index / 8 % kDashes.size()];
}

std::pair<std::string_view, std::string_view> FillColour(std::size_t index) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFills = {{
      {"#0072b2", "#ffffff"},
      {"#e69f00", "#000000"},
      {"#007a59", "#ffffff"},
      {"#cc79a7", "#000000"},
      {"#56b4e9", "#000000"},
      {"#b34700", "#ffffff"},
      {"#f0e442", "#000000"},
      {"#6e6e6e", "#ffffff"},
      {"#5a3fa8", "#ffffff"},
      {"#a6cee3", "#000000"},
  }};
  return kFills[index % kFills.size()];
}

double TextWidth(std::string_view text, double size) {
  return static_cast<double>(DisplayWidth(Printable(text))) * size * 0.56;
}

std::string FittedText(std::string_view text, double width, double size) {
  const std::string whole = Printable(text);
  if (TextWidth(whole, size) <= width) return whole;
  const auto room = static_cast<std::size_t>(std::max(width / (size * 0.56), 0.0));
  if (room < 4) return "";
  std::vector<std::string_view> letters;
  for (std::string_view rest = whole; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(FirstCodePoint(rest).length, 1);
    letters.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  const std::size_t tail = (room - 1) / 3;
  const std::size_t head = std::min(room - 1 - tail, letters.size());
  std::string fitted;
  for (std::size_t i = 0; i < head; ++i) fitted += letters[i];
  fitted += "…";
  for (std::size_t i = letters.size() - std::min(tail, letters.size()); i < letters.size(); ++i) {
    fitted += letters[i];
  }
  return fitted;
}

}  // namespace tare::report
