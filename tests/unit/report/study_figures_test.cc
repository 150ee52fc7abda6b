// study_figures_test.cc: the pictures of docs/studies are what the stored plots beside them give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.h"
#include "report/json.h"
#include "report/svg.h"

namespace tare::report {
namespace {

namespace fs = std::filesystem;

// Texts and numbers in turn: the last digit of a position can depend on the processor.
struct Piece {
  std::string text;
  double number = 0;
};

std::vector<Piece> PiecesOf(std::string_view svg) {
  std::vector<Piece> pieces;
  while (!svg.empty()) {
    const std::size_t digits = svg.find_first_of("0123456789");
    Piece piece{std::string(svg.substr(0, digits)), 0};
    svg.remove_prefix(std::min(digits, svg.size()));
    const auto [end, error] = std::from_chars(svg.data(), svg.data() + svg.size(), piece.number,
                                              std::chars_format::fixed);
    if (error == std::errc()) svg.remove_prefix(static_cast<std::size_t>(end - svg.data()));
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

// Empty if both are the same picture.
std::string Difference(std::string_view drawn, std::string_view stored) {
  constexpr double kPixels = 0.11;
  const std::vector<Piece> now = PiecesOf(drawn);
  const std::vector<Piece> before = PiecesOf(stored);
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    if (now[i].text != before[i].text || std::abs(now[i].number - before[i].number) > kPixels) {
      return fmt::format("'{}{}' instead of '{}{}'", now[i].text, now[i].number, before[i].text,
                         before[i].number);
    }
  }
  return now.size() == before.size() ? "" : "one ends before the other";
}

TEST(StudyFigures, AreWhatTheStoredPlotsGive) {
  std::size_t pictures = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TARE_SOURCE_DIR) / "docs/studies")) {
    const fs::path plots = entry.path() / "figures.json";
    if (!fs::exists(plots)) continue;
    const auto text = ReadFile(plots, 4 << 20);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    const auto document = FromJson(*text);
    ASSERT_TRUE(document.has_value()) << plots << ": " << document.error().message;
    std::size_t expected = 0;
    for (const auto& picture : fs::directory_iterator(entry.path())) {
      if (picture.path().extension() != ".svg") continue;
      ++expected;
      const auto stored = ReadFile(picture.path(), 4 << 20);
      ASSERT_TRUE(stored.has_value()) << stored.error().message;
      const auto drawn = ToSvg(*document, picture.path().stem().string());
      ASSERT_TRUE(drawn.has_value()) << picture.path() << ": " << drawn.error().message;
      EXPECT_EQ(Difference(*drawn, *stored), "")
          << picture.path() << ": tare report --svg --figure draws it again";
    }
    EXPECT_EQ(expected, document->blocks.size()) << entry.path() << " lacks pictures of its plots";
    pictures += expected;
  }
  EXPECT_GE(pictures, 20u);
}

TEST(StudyFigures, AnotherNumberOrTextIsNoticed) {
  EXPECT_EQ(Difference("<a x=\"1.04\">b</a>", "<a x=\"1.1\">b</a>"), "");
  EXPECT_NE(Difference("<a x=\"1\">b</a>", "<a x=\"2\">b</a>"), "");
  EXPECT_NE(Difference("<a x=\"1\">b</a>", "<a x=\"1\">c</a>"), "");
  EXPECT_NE(Difference("<a x=\"1\">b</a>", "<a x=\"1\">b</a><b/>"), "");
}

}  // namespace
}  // namespace tare::report
