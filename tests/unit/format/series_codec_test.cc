// series_codec_test.cc: tests that every value survives encoding and decoding.
#include "format/series_codec.h"

#include <gtest/gtest.h>

#include <limits>

#include "series_sample.h"

namespace tare::format {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

RecordRows Rows(const std::vector<SeriesRecord>& records) {
  RecordRows rows;
  rows.SetChannels(records.front().values.size());
  for (const SeriesRecord& record : records) rows.Add(record.time, record.values);
  return rows;
}

std::vector<std::byte> Encoded(const std::vector<SeriesRecord>& records) {
  std::vector<std::byte> raw;
  EncodeRecords(Rows(records), raw);
  return raw;
}

void ExpectSame(const std::vector<SeriesRecord>& records) {
  RecordColumns columns;
  const std::size_t channels = records.front().values.size();
  ASSERT_TRUE(DecodeRecords(Encoded(records), records.size(), channels, columns));
  ASSERT_EQ(columns.Records(), records.size());
  ASSERT_EQ(columns.Channels(), channels);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(columns.Times()[i], records[i].time);
    for (std::size_t c = 0; c < channels; ++c) {
      EXPECT_EQ(columns.Value(i, c), records[i].values[c]) << i << " " << c;
      EXPECT_EQ(columns.Values(c)[i], records[i].values[c].value_or(0));
    }
  }
}

TEST(SeriesCodec, KeepsRandomRecords) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ExpectSame(SomeRecords(1 + seed * 7, seed % 5, seed));
  }
}

TEST(SeriesCodec, KeepsValuesOfAnySize) {
  std::mt19937_64 random(7);
  std::vector<SeriesRecord> records;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto any = static_cast<std::int64_t>(random() >> (random() % 64));
    records.push_back({i, {any, -any, static_cast<std::int64_t>(random())}});
  }
  ExpectSame(records);
}

TEST(SeriesCodec, KeepsTheExtremesNextToEachOther) {
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  ExpectSame({{0, {kMin, kMax, 0, std::nullopt}},
              {1, {kMax, kMin, -1, std::nullopt}},
              {last, {kMin, kMax, kMin, std::nullopt}},
              {last, {kMin, kMin, kMax, std::nullopt}}});
}

TEST(SeriesCodec, DistinguishesAMissingValueFromZero) {
  ExpectSame({{5, {0, std::nullopt}}, {6, {std::nullopt, 0}}, {7, {0, std::nullopt}}});
}

TEST(SeriesCodec, KeepsRecordsWithoutChannels) { ExpectSame({{3, {}}, {4, {}}}); }

TEST(SeriesCodec, SteadyTotalsTakeAByteEach) {
  std::vector<SeriesRecord> records;
  for (int i = 0; i < 1000; ++i) {
    records.push_back({static_cast<std::uint64_t>(i) * 1'000'000, {std::int64_t{i} * 123'456'789}});
  }
  EXPECT_LT(Encoded(records).size(), 2020u);
}

TEST(SeriesCodec, RefusesAnotherNumberOfRecordsOrChannels) {
  const auto raw = Encoded(SomeRecords(20, 3, 1));
  RecordColumns columns;
  EXPECT_TRUE(DecodeRecords(raw, 20, 3, columns));
  for (const auto& [records, channels] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {0, 3}, {19, 3}, {21, 3}, {20, 2}, {20, 4}, {kMaxCells, 3}, {~0ull, 3}}) {
    const auto decoded = DecodeRecords(raw, records, channels, columns);
    ASSERT_FALSE(decoded) << records << " " << channels;
    EXPECT_EQ(decoded.error().kind, ErrorKind::kFormat);
  }
}

TEST(SeriesCodec, RefusesRecordsThatAreCut) {
  const auto raw = Encoded(SomeRecords(20, 3, 1));
  RecordColumns columns;
  for (std::size_t length = 0; length < raw.size(); ++length) {
    EXPECT_FALSE(DecodeRecords(std::span(raw).first(length), 20, 3, columns)) << length;
  }
}

TEST(SeriesCodec, KeepsTheHead) {
  SeriesHead head = SmallHead();
  head.channels.push_back(Total(std::string("zero\0newline\n\"", 14)));
  const auto again = DecodeHead(EncodeHead(head));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->interval, head.interval);
  EXPECT_EQ(again->clock, "ns");
  EXPECT_EQ(again->channels, head.channels);
  ASSERT_EQ(again->absent.size(), 1u);
  EXPECT_EQ(again->absent[0].name, "cycles");
  EXPECT_EQ(again->absent[0].group, "hardware");
  EXPECT_EQ(again->absent[0].reason, head.absent[0].reason);
  ASSERT_EQ(again->facts.size(), 1u);
  EXPECT_EQ(again->facts[0].name, "program");
  EXPECT_EQ(again->facts[0].value, "./a.out");
}

TEST(SeriesCodec, KeepsTheEnd) {
  const auto again = DecodeEnd(EncodeEnd({9, {5, 6, 7, "full", {{"exit status", "1"}}}}));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->records, 9u);
  EXPECT_EQ(again->end.interval, 5u);
  EXPECT_EQ(again->end.missed, 6u);
  EXPECT_EQ(again->end.dropped, 7u);
  EXPECT_EQ(again->end.loss, "full");
  ASSERT_EQ(again->end.facts.size(), 1u);
  EXPECT_EQ(again->end.facts[0].value, "1");
}

TEST(SeriesCodec, RefusesAHeadThatIsCutOrTooLong) {
  auto raw = EncodeHead(SmallHead());
  for (std::size_t length = 0; length < raw.size(); ++length) {
    EXPECT_FALSE(DecodeHead(std::span(raw).first(length))) << length;
  }
  raw.push_back(std::byte{0});
  EXPECT_FALSE(DecodeHead(raw));
}

TEST(SeriesCodec, RefusesListsThatCannotBeThere) {
  // A list of 2^63 channels, and one of 200 in three bytes.
  std::vector<std::byte> raw(9, std::byte{0x80});
  raw.push_back(std::byte{1});
  EXPECT_FALSE(DecodeChannels(raw));
  EXPECT_FALSE(DecodeChannels(std::vector{std::byte{0xc8}, std::byte{1}, std::byte{0}}));
}

TEST(ChannelNames, AreUnique) {
  ChannelNames names;
  ASSERT_TRUE(names.Add(std::vector{Total("a"), Total("b")}));
  const auto twice = names.Add(std::vector{Total("c"), Total("a")});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "two channels of the series are named a");
  EXPECT_EQ(names.Count(), 2u);
  EXPECT_TRUE(names.Add(std::vector{Total("c")}));
}

}  // namespace
}  // namespace tare::format
