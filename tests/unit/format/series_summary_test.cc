// series_summary_test.cc: tests summaries against numbers worked out by hand, and bounds that are
// always true.
#include "format/series_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "series_sample.h"

namespace tare::format {
namespace {

class SeriesFigures : public SeriesSample {
 protected:
  SeriesSummary Summary(const SeriesHead& head, const std::vector<SeriesRecord>& records,
                        const SeriesSummaryOptions& options = {}) {
    auto writer = SeriesWriter::Create(path_, head);
    EXPECT_TRUE(writer);
    for (const auto& record : records) {
      if (record.values.size() > writer->Channels()) {
        EXPECT_TRUE(writer->AddChannels(std::vector{Total("later")}));
      }
      writer->Append(record);
    }
    EXPECT_TRUE(writer->Close({}));
    auto reader = SeriesReader::Open(path_);
    EXPECT_TRUE(reader);
    return SummariseSeries(*reader, options);
  }
};

TEST_F(SeriesFigures, RatesOfTotalsArePerSecond) {
  // 10, 30 and 20 events in 1, 2 and 1 s: 10, 15 and 20 per second.
  const std::uint64_t s = 1'000'000'000;
  const auto summary =
      Summary(SmallHead(), {{0, {5, 1}}, {s, {15, 2}}, {3 * s, {45, 3}}, {4 * s, {65, 8}}},
              {.max_buckets = 4, .quantiles = {0, 0.5, 1}});
  EXPECT_EQ(summary.records, 4u);
  EXPECT_EQ(summary.last_time, 4 * s);
  EXPECT_EQ(summary.rate_unit, 1e9);
  EXPECT_EQ(summary.smallest_interval, s);
  EXPECT_EQ(summary.largest_interval, 2 * s);
  EXPECT_DOUBLE_EQ(*summary.mean_interval, 4e9 / 3);
  ASSERT_EQ(summary.channels.size(), 2u);
  const ChannelSummary& calls = summary.channels[0];
  EXPECT_EQ(calls.values, 4u);
  EXPECT_EQ(calls.missing, 0u);
  EXPECT_EQ(calls.first, 5);
  EXPECT_EQ(calls.last, 65);
  EXPECT_EQ(calls.smallest, 5);
  EXPECT_EQ(calls.largest, 65);
  EXPECT_DOUBLE_EQ(*calls.overall_rate, 15);
  EXPECT_EQ(calls.figures, 3u);
  EXPECT_DOUBLE_EQ(*calls.mean, 15);
  EXPECT_DOUBLE_EQ(*calls.deviation, 5);
  EXPECT_DOUBLE_EQ(*calls.smallest_figure, 10);
  EXPECT_DOUBLE_EQ(*calls.largest_figure, 20);
  EXPECT_EQ(calls.quantiles, (std::vector<double>{10, 15, 20}));
  EXPECT_EQ(calls.quantile_error, 0);
  EXPECT_TRUE(summary.outcome.complete);
}

TEST_F(SeriesFigures, LevelsAreTakenAsTheyAre) {
  const auto summary = Summary(SmallHead(), {{0, {0, 4}}, {1, {0, -2}}, {2, {0, 7}}});
  const ChannelSummary& level = summary.channels[1];
  EXPECT_FALSE(level.overall_rate);
  EXPECT_EQ(level.figures, 3u);
  EXPECT_DOUBLE_EQ(*level.mean, 3);
  EXPECT_DOUBLE_EQ(*level.deviation, std::sqrt(21));  // 1, 25 and 16 over 2
  EXPECT_EQ(level.smallest, -2);
}

TEST_F(SeriesFigures, MissingValuesMakeLongerIntervals) {
  const auto summary = Summary({0, "steps", {Total("n")}, {}, {}},
                               {{0, {std::nullopt}}, {10, {3}}, {20, {std::nullopt}}, {30, {43}}});
  EXPECT_EQ(summary.rate_unit, 1);
  const ChannelSummary& channel = summary.channels[0];
  EXPECT_EQ(channel.values, 2u);
  EXPECT_EQ(channel.missing, 2u);
  EXPECT_EQ(channel.figures, 1u);
  EXPECT_DOUBLE_EQ(*channel.mean, 2);
  EXPECT_FALSE(channel.deviation);
}

TEST_F(SeriesFigures, RecordsAtTheSameTimeLoseNothing) {
  const auto summary = Summary({0, "steps", {Total("n")}, {}, {}},
                               {{5, {1}}, {5, {2}}, {6, {6}}, {6, {8}}, {8, {10}}});
  const ChannelSummary& channel = summary.channels[0];
  EXPECT_EQ(channel.figures, 2u);  // 1 to 6 in one step, 6 to 10 in two
  EXPECT_DOUBLE_EQ(*channel.smallest_figure, 2);
  EXPECT_DOUBLE_EQ(*channel.largest_figure, 5);
}

TEST_F(SeriesFigures, WithoutValuesThereAreNoFigures) {
  const auto summary = Summary(SmallHead(), {{0, {std::nullopt, std::nullopt}}, {1, {5, 6, 7}}});
  ASSERT_EQ(summary.channels.size(), 3u);
  EXPECT_EQ(summary.channels[0].values, 1u);
  EXPECT_FALSE(summary.channels[0].mean);
  EXPECT_TRUE(summary.channels[0].quantiles.empty());
  EXPECT_EQ(summary.channels[2].missing, 1u);
  const auto empty = Summary(SmallHead(), {});
  ASSERT_EQ(empty.channels.size(), 2u);
  EXPECT_FALSE(empty.channels[0].first);
  EXPECT_FALSE(empty.mean_interval);
}

TEST_F(SeriesFigures, BucketsHoldWhatHappenedInTheirTime) {
  // The rate is t / 1000 events per step, increasing by one every 1000 steps, from 7.
  std::vector<SeriesRecord> records;
  std::int64_t total = 0;
  for (std::uint64_t i = 0; i <= 6000; ++i) {
    records.push_back({7 + i * 10, {total}});
    total += static_cast<std::int64_t>(i / 100) * 10;
  }
  const auto summary =
      Summary({0, "steps", {Total("n")}, {}, {}}, records, {.max_buckets = 100, .quantiles = {}});
  const auto& buckets = summary.channels[0].buckets;
  EXPECT_EQ(summary.bucket_width, 1024u);
  ASSERT_EQ(buckets.size(), 59u);
  double happened = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const double start = static_cast<double>(i) * 1024;
    ASSERT_GT(buckets[i].figures, 0u);
    EXPECT_EQ(buckets[i].smallest, std::floor(start / 1000)) << i;
    EXPECT_EQ(buckets[i].largest, std::floor(std::min(start + 1023, 59999.0) / 1000)) << i;
    const double length = std::min(1024.0, 60000 - start);
    happened += buckets[i].mean * length;
  }
  EXPECT_NEAR(happened, static_cast<double>(*summary.channels[0].last), 1e-3);
}

TEST_F(SeriesFigures, AGapIsAnEmptyBucketForLevelsAndASteadyRateForTotals) {
  const auto summary =
      Summary({0, "steps", {Total("n"), Level("l")}, {}, {}},
              {{0, {0, 1}}, {1, {1, 2}}, {31, {61, 3}}}, {.max_buckets = 16, .quantiles = {}});
  ASSERT_EQ(summary.bucket_width, 2u);
  ASSERT_EQ(summary.channels[1].buckets.size(), 16u);
  EXPECT_EQ(summary.channels[1].buckets[0].figures, 2u);
  EXPECT_DOUBLE_EQ(summary.channels[1].buckets[0].mean, 1.5);
  EXPECT_EQ(summary.channels[1].buckets[7].figures, 0u);
  EXPECT_DOUBLE_EQ(summary.channels[0].buckets[7].mean, 2);
  EXPECT_DOUBLE_EQ(summary.channels[0].buckets[0].mean, 1.5);
}

TEST_F(SeriesFigures, ExtremesOfTimeAndValueAreHandled) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto summary = Summary(
      SmallHead(),
      {{0, {least, least}}, {1, {most, most}}, {std::numeric_limits<std::uint64_t>::max(), {0, 0}}},
      {.max_buckets = 2});
  EXPECT_DOUBLE_EQ(*summary.channels[0].largest_figure, std::ldexp(1, 64) * 1e9);
  EXPECT_EQ(summary.channels[1].buckets.size(), 2u);
}

TEST_F(SeriesFigures, AreBoundedForManyChannels) {
  SeriesHead head{0, "steps", {}, {}, {}};
  for (int i = 0; i < 40'000; ++i) head.channels.push_back(Total(std::to_string(i)));
  std::vector<SeriesRecord> records;
  for (std::int64_t i = 0; i < 100; ++i) {
    records.push_back({static_cast<std::uint64_t>(i),
                       std::vector<std::optional<std::int64_t>>(head.channels.size(), i * i)});
  }
  const auto summary = Summary(head, records);
  EXPECT_LE(summary.channels.back().buckets.size(), 13u);
  EXPECT_GT(summary.channels.back().quantile_error, 0);
  EXPECT_LT(summary.channels.back().quantile_error, 0.5);
}

}  // namespace
}  // namespace tare::format
