// series_reader_test.cc: tests reading of growing files, and the rejection of other files.
#include "format/series_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "series_sample.h"

namespace tare::format {
namespace {

using testing::HasSubstr;

class SeriesReading : public SeriesSample {};

TEST_F(SeriesReading, AGrowingFileIsReadFurtherOnRequest) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  auto reader = SeriesReader::Open(path_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->Next(), nullptr);
  EXPECT_THAT(reader->Outcome().reason, HasSubstr("still being written"));
  const auto records = SomeRecords(30, 2, 8);
  for (std::size_t i = 0; i < records.size(); ++i) {
    writer->Append(records[i]);
    if (i % 10 != 9) continue;
    EXPECT_EQ(reader->Next(), nullptr);
    writer->Flush();
    const RecordColumns* columns = reader->Next();
    ASSERT_NE(columns, nullptr);
    EXPECT_EQ(columns->Records(), 10u);
    EXPECT_EQ(columns->Times().back(), records[i].time);
    EXPECT_EQ(reader->Next(), nullptr);
  }
  ASSERT_TRUE(writer->AddChannels(std::vector{Total("later")}));
  EXPECT_EQ(reader->Next(), nullptr);
  EXPECT_EQ(reader->Head().channels.size(), 3u);
  ASSERT_TRUE(writer->Close({}));
  EXPECT_EQ(reader->Next(), nullptr);
  EXPECT_TRUE(reader->Outcome().complete);
  EXPECT_EQ(reader->Outcome().reason, "");
  EXPECT_EQ(reader->Outcome().records, 30u);
}

TEST_F(SeriesReading, AGrowingChunkIsReadOnceItIsWhole) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  for (const auto& record : SomeRecords(30, 2, 8)) writer->Append(record);
  ASSERT_TRUE(writer->Close({}));
  const std::string bytes = BytesOf(path_);
  std::size_t length = 0;
  Result<SeriesReader> reader = Fail(ErrorKind::kFormat, "");
  const ChunkSource source = [&](std::uint64_t place, std::span<std::byte> to) {
    return SeriesSourceOf(bytes.substr(0, length))(place, to);
  };
  std::size_t records = 0;
  for (; length <= bytes.size(); ++length) {
    if (!reader) reader = SeriesReader::From(source, "growing");
    if (!reader) continue;
    while (const RecordColumns* columns = reader->Next()) records += columns->Records();
    EXPECT_EQ(reader->Outcome().complete, length == bytes.size()) << length;
  }
  EXPECT_EQ(records, 30u);
}

TEST_F(SeriesReading, RereadingASealedFileChangesNothing) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->Close({}));
  auto reader = SeriesReader::Open(path_);
  ASSERT_TRUE(reader);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reader->Next(), nullptr);
    EXPECT_TRUE(reader->Outcome().complete);
    EXPECT_EQ(reader->Outcome().chunks, 2u);
  }
}

TEST_F(SeriesReading, WhatCannotBeReadIsSaid) {
  const auto message = [](const std::filesystem::path& path) {
    const auto reader = SeriesReader::Open(path);
    return reader ? "" : reader.error().message;
  };
  EXPECT_THAT(message(path_), HasSubstr("No such file"));
  EXPECT_THAT(message(directory_->path()), HasSubstr("Is a directory"));
  EXPECT_THAT(message("/dev/null"), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(message(path_), HasSubstr("not a regular file"));
}

TEST_F(SeriesReading, AnErrorOfTheDiskIsTheReason) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  writer->Append(SomeRecords(1, 2, 1)[0]);
  ASSERT_TRUE(writer->Close({}));
  const std::string bytes = BytesOf(path_);
  bool works = true;
  const ChunkSource source = [&](std::uint64_t place,
                                 std::span<std::byte> to) -> Result<std::size_t> {
    if (!works) return Fail(ErrorKind::kIo, "cannot read sample: Input/output error");
    return SeriesSourceOf(bytes)(place, to);
  };
  auto reader = SeriesReader::From(source, "sample");
  ASSERT_TRUE(reader);
  works = false;
  EXPECT_EQ(reader->Next(), nullptr);
  EXPECT_EQ(reader->Outcome().reason, "incomplete: cannot read sample: Input/output error");
  EXPECT_FALSE(SeriesReader::From(source, "sample"));
}

}  // namespace
}  // namespace tare::format
