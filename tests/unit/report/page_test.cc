// page_test.cc: tests the page, its data and how large data are reduced.
#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <limits>

#include "report/page_payload.h"
#include "report/reduce.h"
#include "samples.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Gunzip(const std::string& packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::vector<Bytef> input(packed.begin(), packed.end());
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  std::string text;
  std::array<Bytef, 4096> piece;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = piece.data();
    stream.avail_out = piece.size();
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.begin(), piece.end() - stream.avail_out);
  }
  inflateEnd(&stream);
  EXPECT_EQ(status, Z_STREAM_END);
  return text;
}

std::string PageOf(const Document& document) {
  const PageResult result{"", document};
  return ToHtml({&result, 1}).value();
}

TEST(Page, HostileTitleAndNamesNeverBecomeMarkup) {
  Document document;
  document.title = "</title><script>alert(1)</script>@DATA@";
  document.blocks.emplace_back(Text{"answer", "<img src=x onerror=alert(1)> & 'quotes'"});
  const std::string page = PageOf(document);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert(1)")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(page, HasSubstr("&lt;/title&gt;&lt;script&gt;alert(1)"));
}

TEST(Page, HasAPolicyWithHashesAndNoAddressToLoadFrom) {
  const std::string page = PageOf(SampleDocument());
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("connect-src 'none'"));
  EXPECT_THAT(page, HasSubstr("require-trusted-types-for 'script'"));
  EXPECT_THAT(page, Not(HasSubstr("@CONNECT@")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_TRUE(IsPage(page));
  EXPECT_FALSE(IsPage("<!doctype html><p>mine</p>"));
}

TEST(Page, TheSameResultGivesTheSameBytes) {
  EXPECT_EQ(PageOf(SampleDocument()), PageOf(SampleDocument()));
}

TEST(PagePayload, KeepsShortLinesInTheJsonAndLongOnesInColumns) {
  Document document;
  Line line{"l", "s", {}, {}, {}, {}};
  for (int i = 0; i < 100; ++i) {
    line.x.push_back(i);
    line.y.push_back(i * 0.5);
  }
  document.blocks.emplace_back(Series{"s", "", {"x"}, false, {line}, false, {}});
  const PageResult result{"f.json", document};
  const std::string data = Gunzip(PagePayload({&result, 1}).value());
  EXPECT_THAT(data, HasSubstr("\"field\": \"x\", \"encoding\": \"whole\", \"count\": 100"));
  EXPECT_THAT(data, HasSubstr("\"field\": \"y\", \"encoding\": \"short_real\", \"count\": 100"));
}

TEST(EncodeColumn, WritesDifferencesOfWholeNumbers) {
  // Zigzag: 5 is 10, then -3 is 5, then 300 - 2 = 298 is 596 = 0xd4 0x04.
  const std::array values = {5.0, 2.0, 300.0};
  const EncodedColumn column = EncodeColumn(values, true);
  EXPECT_EQ(column.encoding, ColumnEncoding::kWhole);
  EXPECT_EQ(column.bytes, "\x0a\x05\xd4\x04");
}

TEST(EncodeColumn, GapsAreNotWhole) {
  const std::array values = {1.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(EncodeColumn(values, true).encoding, ColumnEncoding::kReal);
  EXPECT_EQ(EncodeColumn(values, false).bytes.size(), 8u);
}

// RFC 4648, section 10.
TEST(Base64, FollowsTheRfc) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
}

TEST(ReduceLine, KeepsEveryExtremeOfAMillionPoints) {
  Line line{"l", "", {}, {}, {}, {}};
  for (int i = 0; i < 1'000'000; ++i) {
    line.x.push_back(i);
    line.y.push_back(std::sin(i * 0.001));
  }
  line.y[123'456] = 99;
  line.y[777'777] = -99;
  const Line kept = ReduceLine(line, 6000);
  EXPECT_LE(kept.x.size(), 6000u);
  EXPECT_THAT(kept.y, ::testing::Contains(99));
  EXPECT_THAT(kept.y, ::testing::Contains(-99));
  EXPECT_EQ(kept.x.front(), 0);
  EXPECT_EQ(kept.x.back(), 999'999);
  EXPECT_TRUE(std::ranges::is_sorted(kept.x));
}

TEST(ReduceLine, KeepsTheBoundsOfPoints) {
  Line line{"l", "", {}, {}, {}, {}};
  for (int i = 0; i < 1000; ++i) {
    line.x.push_back(i);
    line.y.push_back(0);
    line.low.push_back(i == 321 ? -5 : -1);
    line.high.push_back(i == 654 ? 7 : 1);
  }
  const Line kept = ReduceLine(line, 60);
  EXPECT_THAT(kept.low, ::testing::Contains(-5));
  EXPECT_THAT(kept.high, ::testing::Contains(7));
}

TEST(ReduceLane, KeepsTheLongestSpansInOrder) {
  const Lane lane{"l", {{0, 1, "a"}, {1, 5, "b"}, {5, 6, "c"}, {6, 9, "d"}}};
  const Lane kept = ReduceLane(lane, 2);
  ASSERT_EQ(kept.spans.size(), 2u);
  EXPECT_EQ(kept.spans[0].label, "b");
  EXPECT_EQ(kept.spans[1].label, "d");
}

TEST(Reduce, SaysWhatItLeftOut) {
  Document document;
  Table table{"t", "", {{"n"}}, {}};
  for (std::int64_t i = 0; i < 30; ++i) table.rows.push_back({Number(i)});
  document.blocks.emplace_back(table);
  PageLimits limits;
  EXPECT_EQ(Reduce(document, limits), "");
  limits.rows = 10;
  EXPECT_EQ(Reduce(document, limits), "Tables are cut after 10 rows.");
  EXPECT_EQ(std::get<Table>(document.blocks[0]).rows.size(), 10u);
}

}  // namespace
}  // namespace tare::report
