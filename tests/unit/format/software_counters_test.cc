// software_counters_test.cc: tests reading of synthetic counter files, valid and damaged.
#include "format/software_counters.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "base/descriptor.h"
#include "synthetic_counters.h"

namespace tare::format {
namespace {

using testing::HasSubstr;

Result<CounterFile> OpenBytes(const std::string& bytes) {
  const Descriptor file(memfd_create("counters", MFD_CLOEXEC));
  EXPECT_EQ(write(file.Number(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return CounterFile::OpenDescriptor(file.Number(), "made");
}

std::string ErrorOf(const std::string& bytes) {
  const auto file = OpenBytes(bytes);
  return file ? "" : file.error().message;
}

// Performs every operation that a reader does with an open file.
void UseAll(CounterFile& file) {
  const tare_counters_header header = file.Header();
  std::vector<std::uint64_t> slots(header.slots);
  file.Read(slots);
  for (const SlotMetric& metric : file.Metrics()) {
    ASSERT_LT(metric.slot, header.slots);
    ValueOfSlot(metric, file.ReadSlot(metric.slot, metric.kind));
  }
  for (const UnitBlocks& blocks : file.Blocks()) {
    ASSERT_LE(blocks.first + blocks.count, header.slots);
  }
  for (const HookedFunction& function : file.HookedFunctions()) {
    ASSERT_LT(function.slot, header.slots);
  }
  std::vector<std::uint64_t> samples;
  const std::size_t taken = file.TakeSamples(samples);
  ASSERT_EQ(samples.size(), taken * header.sample_values);
}

TEST(CounterFile, AddsUpBanksAndCombinesExtremes) {
  SyntheticCounters made;
  made.Slot(0, 0) = 5;
  made.Slot(1, 0) = 6;
  made.Slot(0, 1) = ~std::uint64_t{30};  // a minimum
  made.Slot(1, 1) = ~std::uint64_t{20};
  made.Slot(2, 0) = 1000;  // of a bank without owner
  made.Slot(0, 4) = 11;
  made.Slot(1, 4) = 12;
  auto file = OpenBytes(made.Bytes());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->ModulePath(), "/a/program");
  ASSERT_EQ(file->Metrics().size(), 4u);
  EXPECT_EQ(file->ReadSlot(0, SlotKind::kCount), 11u);
  EXPECT_EQ(ValueOfSlot(file->Metrics()[1], file->ReadSlot(1, SlotKind::kMinimum)), 20);
  std::vector<std::uint64_t> all(file->Header().slots);
  file->Read(all);
  EXPECT_EQ(all[0], 11u);
  EXPECT_EQ(all[1], ~std::uint64_t{20});
  ASSERT_EQ(file->Blocks().size(), 1u);
  EXPECT_EQ(file->Blocks()[0].unit, 77u);
  EXPECT_EQ(file->Blocks()[0].first, 3u);
  EXPECT_EQ(file->Blocks()[0].count, 1u);
  ASSERT_EQ(file->HookedFunctions().size(), 1u);
  EXPECT_EQ(file->HookedFunctions()[0].address, 0x1230u);
  EXPECT_EQ(file->ReadSlot(file->HookedFunctions()[0].slot, SlotKind::kCount), 23u);
}

TEST(CounterFile, LeavesOutSitesOfFunctionsWhoseEntriesItCounts) {
  const auto file = OpenBytes(SyntheticCounters().Bytes());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->Metrics()[3].name, "called");
  EXPECT_EQ(file->Metrics()[3].site, "g");
  // Hidden functions do not concern other modules.
  EXPECT_THAT(file->Entries(), testing::ElementsAre(EntryMetric{"called", "other"}));
}

TEST(CounterFile, TakesEachSampleOnceAndAcknowledgesIt) {
  SyntheticCounters made;
  made.header().samples_written = 3;
  made.Sample(0, 7) = 10;
  made.Sample(2, 7) = 30;
  auto file = OpenBytes(made.Bytes());
  ASSERT_TRUE(file) << file.error().message;
  std::vector<std::uint64_t> values;
  EXPECT_EQ(file->TakeSamples(values), 3u);
  ASSERT_EQ(values.size(), 3 * file->Header().sample_values);
  EXPECT_EQ(values[7], 10u);
  EXPECT_EQ(values[2 * file->Header().sample_values + 7], 30u);
  EXPECT_EQ(file->TakeSamples(values), 0u);
}

TEST(CounterFile, GivesARingOnceThatClaimsToHaveBeenRoundOften) {
  SyntheticCounters made;
  made.header().samples_written = std::numeric_limits<std::uint64_t>::max() - 1;
  auto file = OpenBytes(made.Bytes());
  ASSERT_TRUE(file) << file.error().message;
  std::vector<std::uint64_t> values;
  EXPECT_EQ(file->TakeSamples(values), file->Header().samples_room);
}

TEST(CounterFile, NamesBothVersions) {
  SyntheticCounters made;
  made.header().version = 9;
  EXPECT_THAT(ErrorOf(made.Bytes()), HasSubstr("version 9; this tare reads version 1"));
}

TEST(CounterFile, ThatIsNotYetCompleteSaysSo) {
  SyntheticCounters made;
  made.header().magic = 0;
  EXPECT_THAT(ErrorOf(made.Bytes()), HasSubstr("not yet complete"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("not yet complete"));
  EXPECT_THAT(ErrorOf(std::string(8192, 'x')), HasSubstr("not a file of counters"));
}

TEST(CounterFile, WithAnyFieldSetToAnExtremeIsRefusedOrReadable) {
  const std::uint64_t extremes[] = {0,
                                    1,
                                    7,
                                    4096,
                                    std::uint64_t{1} << 32,
                                    std::uint64_t{1} << 61,
                                    std::numeric_limits<std::uint64_t>::max() - 7,
                                    std::numeric_limits<std::uint64_t>::max()};
  const std::string whole = SyntheticCounters().Bytes();
  int refused = 0;
  for (std::size_t at = 0; at + 8 <= sizeof(tare_counters_header); at += 8) {
    for (const std::uint64_t extreme : extremes) {
      std::string bytes = whole;
      std::memcpy(bytes.data() + at, &extreme, sizeof extreme);
      SCOPED_TRACE(testing::Message() << at << " " << extreme);
      auto file = OpenBytes(bytes);
      if (file) {
        UseAll(*file);
      } else {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(CounterFile, WithAnyByteOfItsUnitsChangedIsRefusedOrReadable) {
  SyntheticCounters made;
  const std::string whole = made.Bytes();
  for (std::size_t i = 0; i < made.header().units_bytes; ++i) {
    for (const int change : {1, 8, 0x40, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[made.header().units_at + i] =
          static_cast<char>(bytes[made.header().units_at + i] ^ change);
      SCOPED_TRACE(i);
      auto file = OpenBytes(bytes);
      if (file) UseAll(*file);
    }
  }
}

TEST(CounterFile, CutAnywhereIsRefused) {
  const std::string whole = SyntheticCounters().Bytes();
  for (std::size_t length = 0; length < whole.size(); length += 40) {
    ASSERT_FALSE(OpenBytes(whole.substr(0, length))) << length;
  }
}

TEST(CounterFile, ChangedUnderItsReaderIsReadAsItWasChecked) {
  const Descriptor memory(memfd_create("counters", MFD_CLOEXEC));
  SyntheticCounters made;
  const std::string bytes = made.Bytes();
  ASSERT_EQ(write(memory.Number(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  auto file = CounterFile::OpenDescriptor(memory.Number(), "made");
  ASSERT_TRUE(file);
  const std::string wild(sizeof(tare_counters_header), '\xff');
  ASSERT_EQ(pwrite(memory.Number(), wild.data(), wild.size(), 0),
            static_cast<ssize_t>(wild.size()));
  EXPECT_EQ(file->Header().banks_used, made.header().banks);
  EXPECT_EQ(file->Header().slots, made.header().slots);
  UseAll(*file);
}

TEST(ValueOfSlot, UndoesWhatTheWireDoes) {
  SlotMetric metric;
  EXPECT_EQ(ValueOfSlot(metric, 5), 5);
  metric.kind = SlotKind::kMaximum;
  EXPECT_EQ(ValueOfSlot(metric, 0), std::nullopt);
  EXPECT_EQ(ValueOfSlot(metric, 9), 9);
  EXPECT_EQ(ValueOfSlot(metric, ~std::uint64_t{0}), std::numeric_limits<std::int64_t>::max());
  metric.kind = SlotKind::kMinimum;
  EXPECT_EQ(ValueOfSlot(metric, ~std::uint64_t{9}), 9);
  EXPECT_EQ(ValueOfSlot(metric, 0), std::nullopt);
  metric.is_signed = true;
  const std::uint64_t sign = std::uint64_t{1} << 63;
  EXPECT_EQ(ValueOfSlot(metric, ~(static_cast<std::uint64_t>(-4) ^ sign)), -4);
  metric.kind = SlotKind::kMaximum;
  EXPECT_EQ(ValueOfSlot(metric, static_cast<std::uint64_t>(-4) ^ sign), -4);
  metric.kind = SlotKind::kSum;
  EXPECT_EQ(ValueOfSlot(metric, static_cast<std::uint64_t>(-4)), -4);
}

class SyntheticDirectory : public testing::Test {
 protected:
  SyntheticDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "counters-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) directory_ = name;
  }
  ~SyntheticDirectory() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
  }
  std::filesystem::path directory_;
};

TEST_F(SyntheticDirectory, ShowsEachFileOnceWhenItIsComplete) {
  CounterDirectory directory(directory_);
  EXPECT_FALSE(directory.Refresh().value());
  const std::string bytes = SyntheticCounters().Bytes();
  Write("5.0", std::string(8192, '\0'));
  Write("notes", bytes);
  Write("5.x", bytes);
  EXPECT_FALSE(directory.Refresh().value());
  Write("6.0", bytes);
  EXPECT_TRUE(directory.Refresh().value());
  EXPECT_EQ(directory.Files().size(), 1u);
  Write("5.0", bytes);
  bool found = false;
  for (int i = 0; i < 10 && !found; ++i) found = directory.Refresh().value();
  EXPECT_TRUE(found);
  EXPECT_EQ(directory.Files().size(), 2u);
  EXPECT_FALSE(directory.Refresh().value());
  EXPECT_TRUE(directory.Refused().empty());
}

TEST_F(SyntheticDirectory, ContinuesWithoutUnreadableFiles) {
  Write("7.0", std::string(8192, 'x'));
  std::filesystem::create_directory(directory_ / "8.0");
  std::filesystem::create_symlink("7.0", directory_ / "9.0");
  Write("10.0", SyntheticCounters().Bytes());
  CounterDirectory directory(directory_);
  EXPECT_TRUE(directory.Refresh().value());
  EXPECT_EQ(directory.Files().size(), 1u);
  EXPECT_GE(directory.Refused().size(), 2u);
}

TEST_F(SyntheticDirectory, ThatIsNotThereIsAnError) {
  CounterDirectory directory(directory_ / "nowhere");
  EXPECT_FALSE(directory.Refresh());
}

}  // namespace
}  // namespace tare::format
