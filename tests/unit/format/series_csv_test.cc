// series_csv_test.cc: tests the fields of each record, and names that need quoting.
#include "format/series_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "series_sample.h"

namespace tare::format {
namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

class SeriesCsv : public SeriesSample {
 protected:
  void Write(const SeriesHead& head, const std::vector<SeriesRecord>& records) {
    auto writer = SeriesWriter::Create(path_, head);
    ASSERT_TRUE(writer);
    for (const auto& record : records) {
      const std::size_t more = record.values.size() - writer->Channels();
      for (std::size_t i = 0; i < more; ++i) {
        ASSERT_TRUE(writer->AddChannels(std::vector{Total("later")}));
      }
      writer->Append(record);
    }
    ASSERT_TRUE(writer->Close({}));
  }

  std::string Csv(bool differences) {
    std::string text;
    const auto outcome =
        WriteSeriesCsv(path_, {differences}, [&](std::string_view piece) -> Result<void> {
          text += piece;
          return {};
        });
    EXPECT_TRUE(outcome && outcome->complete);
    return text;
  }
};

const std::vector<SeriesRecord> kRecords = {{0, {5, -3}},
                                            {10, {7, std::nullopt}},
                                            {20, {std::nullopt, 4}},
                                            {30, {100, 2, 1}},
                                            {40, {90, 2, 8}}};

TEST_F(SeriesCsv, TotalsAsTheyAre) {
  Write(SmallHead(), kRecords);
  EXPECT_EQ(Csv(false),
            "time_ns,calls,resident,later\n"
            "0,5,-3,\n"
            "10,7,,\n"
            "20,,4,\n"
            "30,100,2,1\n"
            "40,90,2,8\n");
}

TEST_F(SeriesCsv, DifferencesOfTotalsAddUpOverMissingOnes) {
  Write(SmallHead(), kRecords);
  EXPECT_EQ(Csv(true),
            "time_ns,calls,resident,later\n"
            "0,,-3,\n"
            "10,2,,\n"
            "20,,4,\n"
            "30,93,2,\n"
            "40,-10,2,7\n");
}

TEST_F(SeriesCsv, DifferencesOfExtremesAreRight) {
  Write({0, "instructions", {Total("n")}, {}, {}},
        {{0, {kMinInt}}, {1, {kMaxInt}}, {2, {kMinInt}}});
  EXPECT_EQ(Csv(true),
            "time_instructions,n\n0,\n1,18446744073709551615\n2,-18446744073709551615\n");
}

TEST_F(SeriesCsv, NamesAreQuotedAndHarmless) {
  Write({0,
         "ns",
         {Total("f(int, char)"), Total("the \"best\""), Total("=1+1"), Total("a\nb\x1b[31m")},
         {},
         {}},
        {});
  EXPECT_EQ(Csv(false), "time_ns,\"f(int, char)\",\"the \"\"best\"\"\",'=1+1,a\\x0ab\\x1b[31m\n");
}

TEST_F(SeriesCsv, OnlyTheChosenChannels) {
  Write(SmallHead(), kRecords);
  std::string text;
  const auto outcome =
      WriteSeriesCsv(path_, {.wants = [](const std::string& name) { return name != "resident"; }},
                     [&](std::string_view piece) -> Result<void> {
                       text += piece;
                       return {};
                     });
  EXPECT_TRUE(outcome);
  EXPECT_EQ(text,
            "time_ns,calls,later\n"
            "0,5,\n"
            "10,7,\n"
            "20,,\n"
            "30,100,1\n"
            "40,90,8\n");
}

TEST_F(SeriesCsv, AnIncompleteFileIsExportedAsFarAsItGoes) {
  Write(SmallHead(), {kRecords[0]});
  const std::string bytes = BytesOf(path_);
  ASSERT_TRUE(WriteFileAtomically(path_, bytes.substr(0, bytes.size() - 1)));
  const auto csv = directory_->path() / "csv";
  const auto outcome = WriteSeriesCsvFile(path_, {}, csv);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->complete);
  EXPECT_EQ(BytesOf(csv), "time_ns,calls,resident\n0,5,-3\n");
}

TEST_F(SeriesCsv, LargeOnesGoOutInPieces) {
  const auto records = SomeRecords(50'000, 2, 1);
  Write(SmallHead(), records);
  std::size_t largest = 0;
  std::size_t lines = 0;
  ASSERT_TRUE(WriteSeriesCsv(path_, {}, [&](std::string_view piece) -> Result<void> {
    largest = std::max(largest, piece.size());
    lines += static_cast<std::size_t>(std::ranges::count(piece, '\n'));
    return {};
  }));
  EXPECT_EQ(lines, records.size() + 1);
  EXPECT_LT(largest, 70'000u);
}

TEST_F(SeriesCsv, AFullDiskLeavesTheEarlierExport) {
  Write(SmallHead(), kRecords);
  const auto csv = directory_->path() / "csv";
  ASSERT_TRUE(WriteFileAtomically(csv, "earlier"));
  const auto failed = WriteSeriesCsv(
      path_, {}, [](std::string_view) -> Result<void> { return Fail(ErrorKind::kIo, "full"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "full");
  EXPECT_FALSE(WriteSeriesCsvFile(directory_->path() / "none", {}, csv));
  EXPECT_EQ(BytesOf(csv), "earlier");
  EXPECT_TRUE(WriteSeriesCsvFile(path_, {}, csv));
  EXPECT_EQ(BytesOf(csv), Csv(false));
}

}  // namespace
}  // namespace tare::format
