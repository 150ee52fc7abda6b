// stream_reader_test.cc: tests reading of hand-written streams, complete and damaged.
#include "format/stream_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>

#include "tests/programs/build_directory.h"

namespace tare::format {
namespace {

constexpr std::uint64_t kSection = 0x5000;  // in the file
constexpr std::uint64_t kBias = 0x100000;
constexpr std::uint64_t kChunks = 2;

template <typename T>
void AppendStream(std::vector<std::byte>& to, const T& value) {
  const std::size_t before = to.size();
  to.resize(before + sizeof(value));
  std::memcpy(to.data() + before, &value, sizeof(value));
}

// Three stretches: one of a load, a store 8 bytes after it and a constant load; one of a copy; one
// without accesses.
std::vector<std::byte> Section() {
  std::vector<std::byte> bytes;
  AppendStream(bytes, tare_stream_stretch{7, 0, 2, 3 | TARE_STREAM_BEGINS_BLOCK});
  AppendStream(bytes, tare_stream_access{0, 4, 1, TARE_STREAM_LOAD});
  AppendStream(bytes, tare_stream_access{8, 2, 1, TARE_STREAM_STORE});
  AppendStream(bytes, tare_stream_access{0x1000, 8, 0, TARE_STREAM_LOAD});
  AppendStream(bytes, tare_stream_stretch{7, 1, 4, 1});
  AppendStream(bytes, tare_stream_access{0, 0, 1, TARE_STREAM_COPY});
  AppendStream(bytes, tare_stream_stretch{7, 2, 1, TARE_STREAM_BEGINS_BLOCK});
  return bytes;
}
constexpr std::uint64_t kFirst = kBias + kSection;
constexpr std::uint64_t kSecondStream = kFirst + 64;
constexpr std::uint64_t kThird = kSecondStream + 32;

class StreamFiles : public ::testing::Test {
 protected:
  StreamFiles() {
    header_.magic = TARE_STREAM_MAGIC;
    header_.version = TARE_STREAM_VERSION;
    header_.process = 11;
    header_.thread = 12;
    header_.first_at = 2 * TARE_STREAM_CHUNK;
    header_.chunks = kChunks;
    header_.section_address = kFirst;
    header_.section_bytes = Section().size();
    header_.load_bias = kBias;
    header_.path_at = sizeof(header_);
    header_.path_bytes = 9;
    words_.resize(kChunks);
    descriptions_ = *StreamDescriptions::Parse(Section(), kSection);
  }

  std::filesystem::path Write() {
    std::string file(2 * TARE_STREAM_CHUNK * (kChunks + 1), '\0');
    std::memcpy(file.data(), &header_, sizeof(header_));
    std::memcpy(file.data() + sizeof(header_), "/bin/one", 9);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const auto bytes = std::as_bytes(std::span(words_[i]));
      std::ranges::transform(bytes, file.data() + 2 * TARE_STREAM_CHUNK * (i + 1),
                             [](std::byte byte) { return static_cast<char>(byte); });
    }
    directory_.Write("stream.11.12.0", file);
    return directory_ / "stream.11.12.0";
  }

  BuildDirectory directory_;
  tare_stream_header header_{};
  std::vector<std::vector<std::uint64_t>> words_;
  StreamDescriptions descriptions_;
};

TEST_F(StreamFiles, AddressesResultFromWordsDistancesAndConstants) {
  words_[0] = {kFirst, 0x7000, kSecondStream, 0x8000, 0x9000, 24};
  auto reader = StreamReader::Open(Write());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->ModulePath(), "/bin/one");
  EXPECT_EQ(reader->thread(), 12u);
  std::vector<TouchedMemory> touched;
  const auto records = reader->Take(descriptions_, true, [&](const StreamRecord& record) {
    ForEachAccess(record, [&](const TouchedMemory& one) { touched.push_back(one); });
  });
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_EQ(*records, 2u);
  ASSERT_EQ(touched.size(), 5u);
  EXPECT_EQ(touched[0].address, 0x7000u);
  EXPECT_EQ(touched[1].address, 0x7008u);
  EXPECT_EQ(touched[1].kind, TARE_STREAM_STORE);
  // The third access is 48 bytes after the start of the section.
  EXPECT_EQ(touched[2].address, kBias + kSection + 48 + 0x1000);
  EXPECT_EQ(touched[3].address, 0x9000u);
  EXPECT_EQ(touched[4].address, 0x8000u);
  EXPECT_EQ(touched[4].bytes, 24u);
}

TEST_F(StreamFiles, FullChunksAreTakenOnceAndGivenBackEmpty) {
  words_[0] = {kFirst, 0x7000};
  words_[1] = {kFirst, 0x7000, kFirst, 0x7010};
  header_.written = 1;
  const auto path = Write();
  auto reader = StreamReader::Open(path);
  ASSERT_TRUE(reader);
  const auto ignore = [](const StreamRecord&) {};
  EXPECT_EQ(reader->Take(descriptions_, false, ignore).value_or(99), 1u);
  EXPECT_EQ(reader->Take(descriptions_, false, ignore).value_or(99), 0u);
  EXPECT_EQ(reader->Take(descriptions_, true, ignore).value_or(99), 2u);
  EXPECT_EQ(reader->Take(descriptions_, true, ignore).value_or(99), 0u);
  std::ifstream file(path, std::ios::binary);
  tare_stream_header now{};
  file.read(reinterpret_cast<char*>(&now), sizeof(now));
  EXPECT_EQ(now.taken, 1u);
  std::uint64_t word = 1;
  file.seekg(static_cast<std::streamoff>(header_.first_at));
  file.read(reinterpret_cast<char*>(&word), sizeof(word));
  EXPECT_EQ(word, 0u);
}

TEST_F(StreamFiles, NumbersOfStretchesComeChunkByChunkWithoutTheirWords) {
  words_[0] = {kFirst, 0x7000, kSecondStream, 0x8000, 0x9000, 24, kThird, kThird};
  words_[1] = {kThird, kSecondStream, 0x8000, 0x9000, 24};
  header_.written = 1;
  auto reader = StreamReader::Open(Write());
  ASSERT_TRUE(reader);
  std::vector<std::uint32_t> known;
  std::vector<std::uint32_t> asked;
  const auto take = [&](bool ended) {
    const auto taken = reader->TakeNumbers(descriptions_, ended, known, [&](std::uint32_t index) {
      asked.push_back(index);
      return index + 70;
    });
    EXPECT_TRUE(taken) << taken.error().message;
    return std::vector<std::uint32_t>(taken->begin(), taken->end());
  };
  EXPECT_EQ(take(false), (std::vector<std::uint32_t>{70, 71, 72, 72}));
  EXPECT_EQ(take(false), std::vector<std::uint32_t>());
  EXPECT_EQ(take(true), (std::vector<std::uint32_t>{72, 71}));
  EXPECT_EQ(take(true), std::vector<std::uint32_t>());
  EXPECT_EQ(std::ranges::count(asked, 2u), 1) << "numbers of stretches without words are kept";
}

TEST_F(StreamFiles, AWordWithoutADescriptionIsRefused) {
  words_[0] = {kFirst, 0x7000, 0x1234};
  auto reader = StreamReader::Open(Write());
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->Take(descriptions_, true, [](const StreamRecord&) {}));
  std::vector<std::uint32_t> known;
  const auto same = [](std::uint32_t index) { return index; };
  EXPECT_FALSE(StreamReader::Open(Write())->TakeNumbers(descriptions_, true, known, same));
  for (const std::uint64_t word : {kThird + 1, kThird + 16, kFirst - 8, kBias}) {
    words_[0] = {kThird, word};
    EXPECT_FALSE(StreamReader::Open(Write())->TakeNumbers(descriptions_, true, known, same))
        << word;
  }
}

TEST_F(StreamFiles, AnotherVersionIsRefusedAndBothAreNamed) {
  header_.version = 9;
  const auto reader = StreamReader::Open(Write());
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("version 9; this tare reads version 1"), std::string::npos);
}

TEST_F(StreamFiles, DamageAtAnyByteOfTheHeaderDoesNoHarm) {
  words_[0] = {kFirst, 0x7000};
  header_.written = 1;
  const tare_stream_header whole = header_;
  for (std::size_t at = 0; at < sizeof(header_); ++at) {
    header_ = whole;
    reinterpret_cast<std::uint8_t*>(&header_)[at] ^= 0xff;
    auto reader = StreamReader::Open(Write());
    if (!reader) continue;
    const auto taken = reader->Take(descriptions_, true, [](const StreamRecord&) {});
    EXPECT_TRUE(!taken || *taken <= 2) << at;
  }
}

TEST(StreamDescriptions, ImpossibleOnesAreRefused) {
  EXPECT_TRUE(StreamDescriptions::Parse(Section(), kSection));
  std::vector<std::byte> cut = Section();
  cut.pop_back();
  EXPECT_FALSE(StreamDescriptions::Parse(cut, kSection));
  std::vector<std::byte> kind;
  AppendStream(kind, tare_stream_stretch{7, 0, 2, 1});
  AppendStream(kind, tare_stream_access{0, 4, 1, 99});
  EXPECT_FALSE(StreamDescriptions::Parse(kind, kSection));
  std::vector<std::byte> word;
  AppendStream(word, tare_stream_stretch{7, 0, 2, 1});
  AppendStream(word, tare_stream_access{0, 4, 2, TARE_STREAM_LOAD});
  EXPECT_FALSE(StreamDescriptions::Parse(word, kSection));
  std::vector<std::byte> copy;
  AppendStream(copy, tare_stream_stretch{7, 0, 2, 1});
  AppendStream(copy, tare_stream_access{0, 4, 0, TARE_STREAM_COPY});
  EXPECT_FALSE(StreamDescriptions::Parse(copy, kSection));
}

}  // namespace
}  // namespace tare::format
