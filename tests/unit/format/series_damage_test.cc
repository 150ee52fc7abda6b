// series_damage_test.cc: tests that truncated, changed and reordered files give exactly the chunks
// before the damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "series_sample.h"

namespace tare::format {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A complete file in memory and the offsets of its chunks.
class DamagedSeries : public SeriesSample {
 protected:
  void SetUp() override {
    SeriesSample::SetUp();
    records_ = SomeRecords(24, 2, 5);
    bytes_ = Write(records_);
    for (std::size_t place = sizeof(Preamble); place < bytes_.size();) {
      ChunkHeader header{};
      std::memcpy(&header, bytes_.data() + place, sizeof header);
      starts_.push_back(place);
      records_in_.push_back(header.records);
      place += sizeof header + header.stored_bytes;
    }
    ASSERT_EQ(starts_.size(), 7u);  // head, 2 of records, channels, 2 of records, end
    for (std::size_t i = 20; i < 24; ++i) records_[i].values.emplace_back(7);
    const auto whole = ReadSeriesBytes(bytes_);
    ASSERT_TRUE(whole);
    ASSERT_TRUE(whole->outcome.complete);
    ASSERT_EQ(whole->records, records_);
  }

  std::string Write(const std::vector<SeriesRecord>& records) {
    auto writer = SeriesWriter::Create(path_, SmallHead());
    if (!writer) return "";
    for (std::size_t i = 0; i < 20; ++i) {
      writer->Append(records[i]);
      if (i % 10 == 9) writer->Flush();
    }
    if (!writer->AddChannels(std::vector{Total("later")})) return "";
    for (std::size_t i = 20; i < records.size(); ++i) {
      SeriesRecord record = records[i];
      record.values.resize(2);
      record.values.emplace_back(7);
      writer->Append(record);
      if (i % 2 == 1) writer->Flush();
    }
    EXPECT_TRUE(writer->Close({1'000'000, 1, 0, "", {{"exit status", "0"}}}));
    return BytesOf(path_);
  }

  std::string ChunkBytes(std::size_t chunk) const {
    const std::size_t end = chunk + 1 < starts_.size() ? starts_[chunk + 1] : bytes_.size();
    return bytes_.substr(starts_[chunk], end - starts_[chunk]);
  }

  std::string Arranged(const std::vector<std::size_t>& chunks) const {
    std::string bytes = bytes_.substr(0, sizeof(Preamble));
    for (const std::size_t chunk : chunks) bytes += ChunkBytes(chunk);
    return bytes;
  }

  // `whole` chunks can be read, including the head; 0: the file is rejected.
  void ExpectWhole(const std::string& bytes, std::size_t whole, const std::string& what) {
    const auto read = ReadSeriesBytes(bytes);
    if (whole == 0) {
      ASSERT_FALSE(read) << what;
      EXPECT_EQ(read.error().kind, ErrorKind::kFormat) << what;
      return;
    }
    ASSERT_TRUE(read) << what << ": " << read.error().message;
    std::size_t expected = 0;
    for (std::size_t chunk = 0; chunk < whole; ++chunk) expected += records_in_[chunk];
    const std::vector<SeriesRecord> before(
        records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(expected));
    EXPECT_EQ(read->records, before) << what;
    EXPECT_EQ(read->outcome.records, expected) << what;
    EXPECT_EQ(read->outcome.chunks, whole) << what;
    EXPECT_FALSE(read->outcome.complete) << what;
    EXPECT_FALSE(read->outcome.end) << what;
    EXPECT_THAT(read->outcome.reason, StartsWith("incomplete: ")) << what;
  }

  std::size_t WholeBefore(std::size_t place) const {
    std::size_t whole = 0;
    while (whole + 1 < starts_.size() && starts_[whole + 1] <= place) ++whole;
    return whole;
  }

  std::vector<SeriesRecord> records_;
  std::string bytes_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> records_in_;
};

TEST_F(DamagedSeries, CutAnywhereGivesTheChunksBefore) {
  for (std::size_t length = 0; length < bytes_.size(); ++length) {
    const std::size_t whole = length < starts_[1] ? 0 : WholeBefore(length);
    ExpectWhole(bytes_.substr(0, length), whole, "cut at " + std::to_string(length));
  }
}

TEST_F(DamagedSeries, AnyWrongBitGivesTheChunksBefore) {
  for (std::size_t bit = 0; bit < bytes_.size() * 8; ++bit) {
    std::string bytes = bytes_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    ExpectWhole(bytes, WholeBefore(bit / 8), "bit " + std::to_string(bit));
  }
}

TEST_F(DamagedSeries, AnyByteSetToExtremesGivesTheChunksBefore) {
  for (std::size_t place = 0; place < bytes_.size(); ++place) {
    for (const char extreme : {'\0', '\x7f', '\x80', '\xff'}) {
      std::string bytes = bytes_;
      if (std::exchange(bytes[place], extreme) == extreme) continue;
      ExpectWhole(bytes, WholeBefore(place), "byte " + std::to_string(place));
    }
  }
}

TEST_F(DamagedSeries, SwappedChunksEndIt) {
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = i + 1; j < 7; ++j) {
      std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
      std::swap(order[i], order[j]);
      ExpectWhole(Arranged(order), i, std::to_string(i) + " and " + std::to_string(j));
    }
  }
}

TEST_F(DamagedSeries, ARepeatedChunkEndsIt) {
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(i), i);
    ExpectWhole(Arranged(order), i + 1, std::to_string(i));
  }
}

TEST_F(DamagedSeries, ARemovedChunkEndsIt) {
  for (std::size_t i = 0; i < 7; ++i) {
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
    ExpectWhole(Arranged(order), i, std::to_string(i));
  }
}

TEST_F(DamagedSeries, AChunkOfAnotherRunDoesNotFit) {
  auto others = records_;
  others[3].values[0] = 1;
  const std::string other = Write(others);
  // The same head with another first chunk of records: the chunks after it match no other file.
  const std::size_t second = starts_[2];
  ASSERT_EQ(other.substr(0, starts_[1]), bytes_.substr(0, starts_[1]));
  ChunkHeader header{};
  std::memcpy(&header, other.data() + starts_[1], sizeof header);
  const std::size_t others_second = starts_[1] + sizeof header + header.stored_bytes;
  ExpectWhole(bytes_.substr(0, second) + other.substr(others_second), 2, "spliced");
}

TEST_F(DamagedSeries, BytesAfterTheEndAreReported) {
  const auto read = ReadSeriesBytes(bytes_ + "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records, records_);
  EXPECT_FALSE(read->outcome.complete);
  EXPECT_FALSE(read->outcome.end);
  EXPECT_THAT(read->outcome.reason, HasSubstr("there are bytes after its end"));
}

TEST_F(DamagedSeries, ReasonsNameThePlace) {
  const auto reason = [](const std::string& bytes) {
    const auto read = ReadSeriesBytes(bytes);
    return read ? read->outcome.reason : read.error().message;
  };
  const std::size_t third = starts_[3];
  EXPECT_EQ(reason(bytes_.substr(0, third + 30)),
            "incomplete: truncated at byte " + std::to_string(third + 30) + ", inside chunk 3");
  EXPECT_THAT(reason(bytes_.substr(0, third)),
              StartsWith("incomplete: it stops at byte " + std::to_string(third)));
  std::string bytes = bytes_;
  ++bytes[third + 30];
  EXPECT_EQ(reason(bytes),
            "incomplete: the checksum of chunk 3 at byte " + std::to_string(third) + " is wrong");
  EXPECT_THAT(reason(bytes_.substr(0, 5)), HasSubstr("truncated at byte 5, inside its header"));
  EXPECT_THAT(reason("text, and no series"), HasSubstr("not a trace of tare"));
  EXPECT_THAT(reason(""), HasSubstr("incomplete"));
}

TEST_F(DamagedSeries, AnotherVersionIsRefusedWithBothNamed) {
  std::string bytes = bytes_;
  bytes[8] = 77;
  const auto read = ReadSeriesBytes(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
  EXPECT_EQ(read.error().message,
            "cannot read sample: it is a series of version 77; this tare reads version 1");
}

// Chunks with valid checksums and invalid contents.
class ForgedSeries : public testing::Test {
 protected:
  ForgedSeries() {
    const Preamble preamble = MakePreamble(kSeriesFormat);
    chain_ = {0, preamble.checksum};
    bytes_.assign(reinterpret_cast<const char*>(&preamble), sizeof preamble);
    Add(ChunkKind::kHead, 0, EncodeHead(SmallHead()));
  }

  void Add(ChunkKind kind, std::uint32_t records, std::span<const std::byte> raw) {
    const auto chunk = packer_.Pack(chain_, kind, records, raw);
    bytes_.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
  }

  void AddRecords(const std::vector<SeriesRecord>& records) {
    RecordRows rows;
    rows.SetChannels(records.front().values.size());
    for (const SeriesRecord& record : records) rows.Add(record.time, record.values);
    std::vector<std::byte> raw;
    EncodeRecords(rows, raw);
    Add(ChunkKind::kRecords, static_cast<std::uint32_t>(records.size()), raw);
  }

  std::string Reason() {
    const auto read = ReadSeriesBytes(bytes_);
    if (!read) return read.error().message;
    EXPECT_FALSE(read->outcome.complete);
    EXPECT_EQ(read->outcome.chunks, 2u);
    EXPECT_EQ(read->records.size(), 1u);
    return read->outcome.reason;
  }

  ChunkChain chain_;
  ChunkPacker packer_;
  std::string bytes_;
};

TEST_F(ForgedSeries, TimesThatRunBackwardsAreDamage) {
  AddRecords({{5, {1, 1}}});
  AddRecords({{4, {1, 1}}});
  EXPECT_THAT(Reason(), HasSubstr("chunk 2 at byte"));
  EXPECT_THAT(Reason(), HasSubstr("times decrease"));
}

TEST_F(ForgedSeries, AWrongNumberOfRecordsAtTheEndIsDamage) {
  AddRecords({{5, {1, 1}}});
  Add(ChunkKind::kEnd, 0, EncodeEnd({2, {}}));
  EXPECT_THAT(Reason(), HasSubstr("states 2 records, but there are 1"));
}

TEST_F(ForgedSeries, AChannelThatIsThereIsNotAddedAgain) {
  AddRecords({{5, {1, 1}}});
  Add(ChunkKind::kChannels, 0, EncodeChannels(std::vector{Total("calls")}));
  EXPECT_THAT(Reason(), HasSubstr("two channels of the series are named calls"));
}

TEST_F(ForgedSeries, AHeadWithOneNameTwiceIsRefused) {
  const Preamble preamble = MakePreamble(kSeriesFormat);
  chain_ = {0, preamble.checksum};
  bytes_.resize(sizeof preamble);
  Add(ChunkKind::kHead, 0, EncodeHead({0, "ns", {Total("a"), Total("a")}, {}, {}}));
  const auto read = ReadSeriesBytes(bytes_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
  EXPECT_EQ(read.error().message, "cannot read sample: two channels of the series are named a");
}

TEST_F(ForgedSeries, UnknownKindsAndASecondHeadAreDamage) {
  AddRecords({{5, {1, 1}}});
  const std::string before = bytes_;
  const ChunkChain chain = chain_;
  for (const std::uint32_t kind : {0u, 1u, 5u, ~0u}) {
    bytes_ = before;
    chain_ = chain;
    Add(ChunkKind{kind}, 0, EncodeHead(SmallHead()));
    EXPECT_THAT(Reason(), HasSubstr("unknown kind")) << kind;
  }
}

TEST_F(ForgedSeries, NamesWithoutEndAreDamageBeforeTheyTakeTheMemory) {
  AddRecords({{5, {1, 1}}});
  for (int i = 0; i < 3; ++i) {
    const std::string name(std::size_t{3} << 20, static_cast<char>('a' + i));
    Add(ChunkKind::kChannels, 0, EncodeChannels(std::vector{Total(name)}));
  }
  const auto read = ReadSeriesBytes(bytes_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->outcome.chunks, 4u);
  EXPECT_THAT(read->outcome.reason, HasSubstr("too long"));
}

TEST_F(ForgedSeries, LengthsAreNotBelieved) {
  AddRecords({{5, {1, 1}}});
  for (const std::uint32_t length : {1u << 20, kMaxStoredBytes, kMaxStoredBytes + 1, ~0u}) {
    ChunkHeader header{3, 2, length, length, 1, 0};
    std::string bytes = bytes_;
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    std::size_t most = 0;
    const auto source = [&](std::uint64_t place, std::span<std::byte> to) {
      most = std::max(most, to.size());
      return SeriesSourceOf(bytes)(place, to);
    };
    const auto read = ReadAll(SeriesReader::From(source, "sample"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome.chunks, 2u);
    EXPECT_LE(most, 1u << 20);
  }
}

}  // namespace
}  // namespace tare::format
