// signals_test.cc: tests the conversion of series to signals, and its error messages.
#include "analysis/perturb/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_directory.h"
#include "format/series_writer.h"

namespace tare::perturb {
namespace {

using testing::HasSubstr;

class ReadingSignals : public testing::Test {
 protected:
  ReadingSignals() : directory_(*PrivateDirectory::MakeOnDisk()) {
    head_.interval = 10;
    head_.clock = "ns";
    head_.facts = {{"program", "/directory/program input"}};
    head_.channels = {{"total", "kernel", "", "made", format::ChannelKind::kTotal, true},
                      {"level", "kernel", "", "made", format::ChannelKind::kLevel, true}};
  }

  // Record n has the total n squared; a level may be missing.
  std::filesystem::path Write(int records, int missing, bool closed) {
    const auto file = directory_.path() / "series";
    auto writer = format::SeriesWriter::Create(file, head_);
    EXPECT_TRUE(writer);
    for (int i = 0; i < records; ++i) {
      std::vector<std::optional<std::int64_t>> values = {i * i, i % 3};
      if (i == missing) values[1] = std::nullopt;
      writer->Append(static_cast<std::uint64_t>(10 * i), values);
    }
    writer->Flush();
    if (closed) {
      EXPECT_TRUE(writer->Close({}));
    }
    return file;
  }

  PrivateDirectory directory_;
  format::SeriesHead head_;
};

TEST_F(ReadingSignals, TotalsBecomeDifferencesAndLevelsStay) {
  const auto signals = ReadSignals(Write(12, -1, true), "t", false);
  ASSERT_TRUE(signals) << signals.error().message;
  ASSERT_EQ(signals->signals.size(), 2U);
  EXPECT_EQ(signals->length(), 11U);
  EXPECT_EQ(signals->signals[0].values[4], 9);  // 25 - 16
  EXPECT_EQ(signals->signals[1].values[4], 2);
  EXPECT_EQ(signals->program, "/directory/program input");
}

TEST_F(ReadingSignals, ACounterThatWasNotThereYetHadCountedNothing) {
  const auto file = directory_.path() / "series";
  auto writer = format::SeriesWriter::Create(file, head_);
  ASSERT_TRUE(writer);
  for (std::uint64_t i = 0; i < 12; ++i) {
    std::vector<std::optional<std::int64_t>> values = {std::nullopt, 1};
    if (i > 2) values[0] = static_cast<std::int64_t>(10 * i);
    writer->Append(10 * i, values);
  }
  ASSERT_TRUE(writer->Close({}));
  const auto signals = ReadSignals(file, "t", false);
  ASSERT_TRUE(signals) << signals.error().message;
  const Signal* const total = signals->Find("total");
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(total->values[1], 0);
  EXPECT_EQ(total->values[2], 30);
  EXPECT_EQ(total->values[3], 10);
  EXPECT_EQ(signals->times.front(), 10U);
  EXPECT_EQ(signals->times.size(), signals->length());
}

TEST_F(ReadingSignals, MachinesThatAreKnownMustBeTheSame) {
  head_.facts.push_back({"machine", "zen2"});
  const auto here = ReadSignals(Write(12, -1, true), "here", false);
  ASSERT_TRUE(here);
  TraceSignals there = *here;
  there.name = "there";
  EXPECT_TRUE(RequireSameKind(*here, there));
  there.machine = "athlon-xp";
  const auto refused = RequireSameKind(*here, there);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "here and there have different machines: zen2 and athlon-xp");
  there.machine.clear();
  EXPECT_TRUE(RequireSameKind(*here, there));
}

TEST_F(ReadingSignals, WhatHasMissingValuesIsNamedAndLeftOut) {
  const auto signals = ReadSignals(Write(12, 5, true), "t", false);
  ASSERT_TRUE(signals);
  EXPECT_EQ(signals->signals.size(), 1U);
  ASSERT_EQ(signals->unusable.size(), 1U);
  EXPECT_EQ(signals->unusable[0].reason, "1 of 12 records have no value");
}

TEST_F(ReadingSignals, ALastRecordThatCameTooLateIsLeftOut) {
  const auto signals = ReadSignals(Write(12, 11, true), "t", false);
  ASSERT_TRUE(signals);
  EXPECT_EQ(signals->signals.size(), 2U);
  EXPECT_EQ(signals->length(), 10U);
  EXPECT_EQ(signals->times.size(), 10U);
}

TEST_F(ReadingSignals, WhatWasCutShortIsRefusedUnlessAccepted) {
  const auto file = Write(12, -1, false);
  const auto refused = ReadSignals(file, "t", false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("incomplete: "));
  EXPECT_THAT(refused.error().message, HasSubstr("--accept-incomplete"));
  const auto accepted = ReadSignals(file, "t", true);
  ASSERT_TRUE(accepted);
  EXPECT_FALSE(accepted->complete);
}

TEST_F(ReadingSignals, FewRecordsAreRefused) {
  const auto refused = ReadSignals(Write(1, -1, true), "t", false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "t: 1 records are too few for correlations: at least 9 are needed; use a "
            "larger input, or a smaller --every");
}

}  // namespace
}  // namespace tare::perturb
