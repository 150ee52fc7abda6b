// svg_canvas.h: writes the elements of an SVG picture.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/caveat.h"

namespace tare::report {

enum class Anchor { kStart, kMiddle, kEnd };

// Positions are in pixels from the top left. All text is made printable and escaped.
class SvgCanvas {
 public:
  // `title` is also the description for screen readers.
  SvgCanvas(double width, double height, std::string_view title);

  void Stroke(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1,
              std::string_view dash = {});
  void Rectangle(double x, double y, double width, double height, std::string_view fill,
                 std::string_view hint = {});
  void Dot(double x, double y, double radius, std::string_view fill);
  void Path(const std::vector<std::pair<double, double>>& points, std::string_view colour,
            std::string_view dash);
  void Area(const std::vector<std::pair<double, double>>& outline, std::string_view fill);
  void Text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart,
            double size = 12, std::string_view fill = "#1b1f24", bool bold = false);
  // On a white edge, so that lines below it do not cross the letters.
  void EdgedText(double x, double y, std::string_view text, double size, std::string_view fill);
  // A verdict by shape: a disc, a triangle or a cross.
  void VerdictMark(double x, double y, double radius, Verdict verdict, std::string_view colour);
  // Turned to be read from below.
  void TurnedText(double x, double y, std::string_view text);

  std::string Take();

 private:
  std::string out_;
};

std::string_view VerdictColour(Verdict verdict);

// Colours that people with colour blindness can tell apart (Okabe and Ito).
std::string_view LineColour(std::size_t index);
// Lines that share a colour differ in their dashes; empty: solid.
std::string_view LineDash(std::size_t index);
// For areas, with the colour of text on them.
std::pair<std::string_view, std::string_view> FillColour(std::size_t index);

// The approximate width of text in a sans-serif font.
double TextWidth(std::string_view text, double size = 12);
// The text, shortened in the middle to fit.
std::string FittedText(std::string_view text, double width, double size = 12);

}  // namespace tare::report
