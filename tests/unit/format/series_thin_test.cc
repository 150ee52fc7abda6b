// series_thin_test.cc: tests which records are kept when thinning, and that nothing else is lost.
#include "format/series_thin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "series_sample.h"

namespace tare::format {
namespace {

using testing::HasSubstr;

class ThinnedSeries : public SeriesSample {
 protected:
  void Write(const std::vector<SeriesRecord>& records, const SeriesEnd& end) {
    auto writer = SeriesWriter::Create(path_, SmallHead());
    ASSERT_TRUE(writer);
    for (const auto& record : records) {
      if (record.values.size() > writer->Channels()) {
        ASSERT_TRUE(writer->AddChannels(std::vector{Total("later")}));
      }
      writer->Append(record);
    }
    ASSERT_TRUE(writer->Close(end));
  }
};

TEST_F(ThinnedSeries, KeepsWhatIsWantedInItsOrder) {
  const auto records = SomeRecords(60'000, 2, 2);
  for (const std::uint64_t every : {1u, 2u, 7u, 60'000u}) {
    Write(records, {});
    ASSERT_TRUE(ThinSeries(path_, every, [every](std::uint64_t i) { return i % every == 0; }));
    const auto read = ReadAll(path_);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->outcome.complete);
    std::vector<SeriesRecord> kept;
    for (std::size_t i = 0; i < records.size(); i += every) kept.push_back(records[i]);
    EXPECT_TRUE(read->records == kept) << every;
    EXPECT_EQ(read->head.interval, every);
  }
}

TEST_F(ThinnedSeries, KeepsHeadEndAndChannelsAddedLater) {
  Write({{0, {1, 2}}, {1, {3, 4}}, {2, {5, 6, 7}}, {3, {8, 9, 10}}, {4, {11, 12, 13}}},
        {500, 6, 7, "a reason", {{"exit status", "3"}}});
  ASSERT_TRUE(ThinSeries(path_, 1500, [](std::uint64_t i) { return i % 3 == 0; }));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  // All channels are in the head now.
  EXPECT_EQ(read->records, (std::vector<SeriesRecord>{{0, {1, 2, std::nullopt}}, {3, {8, 9, 10}}}));
  EXPECT_EQ(read->head.channels.size(), 3u);
  EXPECT_EQ(read->head.absent.size(), 1u);
  EXPECT_EQ(read->head.facts.size(), 1u);
  ASSERT_TRUE(read->outcome.end);
  EXPECT_EQ(read->outcome.end->interval, 1500u);
  EXPECT_EQ(read->outcome.end->missed, 6u);
  EXPECT_EQ(read->outcome.end->dropped, 7u);
  EXPECT_EQ(read->outcome.end->loss, "a reason");
  EXPECT_EQ(read->outcome.end->facts.size(), 1u);
}

TEST_F(ThinnedSeries, AnEmptyOneStaysEmpty) {
  Write({}, {});
  ASSERT_TRUE(ThinSeries(path_, 3, [](std::uint64_t) { return true; }));
  EXPECT_TRUE(ReadAll(path_)->outcome.complete);
}

TEST_F(ThinnedSeries, AFileThatIsNotSealedIsLeftAlone) {
  Write(SomeRecords(20, 2, 2), {});
  const std::string cut = BytesOf(path_).substr(0, BytesOf(path_).size() - 1);
  ASSERT_TRUE(WriteFileAtomically(path_, cut));
  const auto thinned = ThinSeries(path_, 3, [](std::uint64_t) { return true; });
  ASSERT_FALSE(thinned);
  EXPECT_THAT(thinned.error().message, HasSubstr("incomplete"));
  EXPECT_EQ(BytesOf(path_), cut);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_->path()),
                          std::filesystem::directory_iterator()),
            1);
}

}  // namespace
}  // namespace tare::format
