// recorder_test.cc: tests recording of synthetic sources to a file that is read back, and thinning.
#include "measure/sample/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/series_reader.h"
#include "format/series_thin.h"
#include "tests/unit/measure/sample/counters_directory.h"
#include "tests/unit/measure/sample/synthetic_counters.h"

namespace tare::sample {
namespace {

using testing::ElementsAre;
using testing::Optional;

format::Channel ChannelOf(std::string name,
                          format::ChannelKind kind = format::ChannelKind::kTotal) {
  format::Channel channel;
  channel.name = std::move(name);
  channel.group = "kernel";
  channel.kind = kind;
  return channel;
}

// A total that grows by ten each time, and a level that is always 7.
Source Counting(std::int64_t& count) {
  Source source;
  source.channels = {ChannelOf("total"), ChannelOf("level", format::ChannelKind::kLevel)};
  source.absent = {{"other", "kernel", "it is unknown"}};
  source.read = [&count](Values values) {
    values[0] = count += 10;
    values[1] = 7;
  };
  source.read_at_end = [&count](Values values) { values[0] = count + 1; };
  return source;
}

Recorder::Clock At(std::uint64_t time_ns) {
  return [time_ns] { return time_ns; };
}

class RecorderTest : public CountersDirectory {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CountersDirectory::SetUp());
    file_ = directory_->path() / "series";
  }

  // Runs `work` with a recorder and closes the file.
  void Record(const PaceRequest& request, const MetricSelection& selection, auto work) {
    Pace pace(request);
    SoftwareSource software(counters_, kProgram, CounterScope::kProcess, selection);
    std::vector<Source> sources;
    sources.push_back(Counting(count_));
    head_.clock = "ns";
    AddToHead(sources, selection, head_);
    auto writer = format::SeriesWriter::Create(file_, head_);
    ASSERT_TRUE(writer) << writer.error().message;
    {
      Recorder recorder(std::move(sources), software, selection, pace, *writer);
      work(recorder);
      taken_ = recorder.Records();
    }
    ASSERT_TRUE(writer->Close({}));
    if (pace.Thins()) {
      const auto thinned = format::ThinSeries(
          file_, pace.IntervalNs(), [&](std::uint64_t record) { return pace.Keeps(record); });
      ASSERT_TRUE(thinned) << thinned.error().message;
    }
  }

  std::vector<format::SeriesRecord> ReadBack() {
    std::vector<format::SeriesRecord> records;
    auto reader = format::SeriesReader::Open(file_);
    EXPECT_TRUE(reader);
    if (!reader) return records;
    format::ForEachRecord(*reader,
                          [&](const format::SeriesRecord& record) { records.push_back(record); });
    EXPECT_TRUE(reader->Outcome().complete) << reader->Outcome().reason;
    head_ = reader->Head();
    return records;
  }

  std::filesystem::path file_;
  std::int64_t count_ = 0;
  format::SeriesHead head_;
  std::uint64_t taken_ = 0;
};

TEST_F(RecorderTest, BeginsWithNothingAndEndsWithWhatIsKnownThen) {
  Record({.interval_ns = 50 * kMs}, MetricSelection(), [](Recorder& recorder) {
    recorder.TakeStart();
    recorder.Take(At(51 * kMs));
    recorder.TakeEnd(60 * kMs);
  });
  const auto records = ReadBack();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].time, 0U);
  EXPECT_THAT(records[0].values, ElementsAre(Optional(0), std::nullopt));
  EXPECT_EQ(records[1].time, 51 * kMs);
  EXPECT_THAT(records[1].values, ElementsAre(Optional(10), Optional(7)));
  EXPECT_EQ(records[2].time, 60 * kMs);
  EXPECT_THAT(records[2].values, ElementsAre(Optional(11), std::nullopt));
  ASSERT_EQ(head_.absent.size(), 1U);
  EXPECT_EQ(head_.absent[0].name, "other");
}

TEST_F(RecorderTest, ReadsAgainWhenSomethingCameBetween) {
  Record({.interval_ns = 50 * kMs}, MetricSelection(), [&](Recorder& recorder) {
    recorder.TakeStart();
    recorder.Take(At(50 * kMs));
    // The first reading lasts from 100 to 130 ms.
    const std::vector<std::uint64_t> times = {100 * kMs, 130 * kMs, 131 * kMs, 131 * kMs};
    std::size_t next = 0;
    recorder.Take([&] { return times[std::min(next++, times.size() - 1)]; });
  });
  const auto records = ReadBack();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].time, 131 * kMs);
  EXPECT_EQ(records[2].values[0], 30) << "the second reading, not the first";
}

TEST_F(RecorderTest, HasChosenMetricsOnly) {
  Record({.interval_ns = 50 * kMs}, MetricSelection({"level"}), [](Recorder& recorder) {
    recorder.TakeStart();
    recorder.Take(At(50 * kMs));
  });
  const auto records = ReadBack();
  ASSERT_EQ(records.size(), 2U);
  ASSERT_EQ(head_.channels.size(), 1U);
  EXPECT_EQ(head_.channels[0].name, "level");
  EXPECT_TRUE(head_.absent.empty());
  EXPECT_THAT(records[1].values, ElementsAre(Optional(7)));
}

TEST_F(RecorderTest, AddsCountersThatAppearOnTheWay) {
  Record({.interval_ns = 50 * kMs}, MetricSelection(), [&](Recorder& recorder) {
    recorder.TakeStart();
    recorder.Take(At(50 * kMs));
    WriteCounters(
        counters_ / "4711.0",
        {.process = kProgram, .text = "metric\tmine\tcount\t0\n", .banks = {{42}}, .samples = {}});
    recorder.Take(At(100 * kMs));
    recorder.TakeEnd(101 * kMs);
  });
  const auto records = ReadBack();
  ASSERT_EQ(records.size(), 4U);
  ASSERT_EQ(head_.channels.size(), 3U);
  EXPECT_EQ(head_.channels[2].name, "mine");
  EXPECT_EQ(head_.channels[2].group, "software");
  EXPECT_EQ(records[1].values.size(), 2U);
  ASSERT_EQ(records[3].values.size(), 3U);
  EXPECT_EQ(records[3].values[2], 42);
}

TEST_F(RecorderTest, NeverGoesBackInTime) {
  Record({.interval_ns = 50 * kMs}, MetricSelection(), [](Recorder& recorder) {
    recorder.TakeStart();
    recorder.Take(At(100 * kMs));
    recorder.TakeEnd(99 * kMs);
  });
  const auto records = ReadBack();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].time, 100 * kMs);
}

TEST_F(RecorderTest, LeavesRegularRecordsWhenItThins) {
  std::uint64_t end = 0;
  Record({.interval_ns = {}, .records = 20, .finest_ns = 50 * kMs}, MetricSelection(),
         [&](Recorder& recorder) {
           recorder.TakeStart();
           for (int i = 0; i < 300; ++i) recorder.Take(At(end = recorder.DueNs()));
           recorder.TakeEnd(++end);
         });
  const auto records = ReadBack();
  EXPECT_EQ(taken_, 302U);
  EXPECT_GE(records.size(), 20U);
  EXPECT_LE(records.size(), 43U);
  EXPECT_GT(head_.interval, 50 * kMs);
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    EXPECT_EQ(records[i].time, i * head_.interval);
  }
  EXPECT_EQ(records.back().time, end);
  EXPECT_EQ(records.back().values[0], 3001) << "totals stay right";
}

TEST_F(RecorderTest, RefusesToThinAnIncompleteFile) {
  head_.clock = "ns";
  auto writer = format::SeriesWriter::Create(file_, head_);
  ASSERT_TRUE(writer);
  writer->Flush();
  EXPECT_FALSE(format::ThinSeries(file_, kMs, [](std::uint64_t) { return true; }));
  EXPECT_TRUE(format::SeriesReader::Open(file_)) << "it was left as it was";
}

}  // namespace
}  // namespace tare::sample
