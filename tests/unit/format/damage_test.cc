// damage_test.cc: tests that truncated or changed recordings give an error or a readable result,
// and never allocate more memory than the file's size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "format/recording.h"
#include "synthetic_recording.h"

namespace tare::format {
namespace {

using testing::HasSubstr;

SyntheticRecording Sample() {
  SyntheticRecording made(SmallPlan(256, 4, 2));
  made.AddObject(0x1000, 0x9000, "/program");
  made.Run(made.AddBlock(0x1000, {1, 2, 3, 4, 5, 6, 7, 8}, 2, TARE_WIRE_CONDITIONAL), 5, 2);
  made.Run(made.AddBlock(0x2000, {1, 2, 3}, 1, TARE_WIRE_REPEATED), 7, 9, 1);
  return made;
}

// The reader must not read past the end, nor return more than the file can contain.
void ExpectHarmless(const std::string& bytes, const std::string& what) {
  const auto log = std::make_shared<ReadLog>();
  const auto recording = ParseRecording(SourceOf(bytes, log), {});
  EXPECT_LE(log->largest, bytes.size()) << what;
  if (!recording) {
    EXPECT_EQ(recording.error().kind, ErrorKind::kFormat) << what;
    EXPECT_FALSE(recording.error().message.empty()) << what;
    return;
  }
  EXPECT_LE(recording->blocks.size(), 2u) << what;
  EXPECT_LE(recording->objects.size(), 3u) << what;
  for (const Block& block : recording->blocks) {
    EXPECT_LE(block.code.size(), 256u) << what;
    EXPECT_TRUE(!block.object || *block.object < recording->objects.size()) << what;
  }
}

TEST(DamagedRecording, CutAnywhereIsRefused) {
  const std::string whole = Sample().Bytes();
  ASSERT_TRUE(ParseRecording(SourceOf(whole), {}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto recording = ParseRecording(SourceOf(whole.substr(0, length)), {});
    ASSERT_FALSE(recording) << length;
    EXPECT_EQ(recording.error().kind, ErrorKind::kFormat) << length;
  }
}

TEST(DamagedRecording, AnyBitOfTheHeaderMayBeWrong) {
  const std::string whole = Sample().Bytes();
  for (std::size_t bit = 0; bit < 512 * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    ExpectHarmless(bytes, "bit " + std::to_string(bit));
  }
}

TEST(DamagedRecording, AnyBitOfTheRecordsMayBeWrong) {
  const std::string whole = Sample().Bytes();
  for (std::size_t bit = 0; bit < 256 * 8; ++bit) {
    std::string bytes = whole;
    char& byte = bytes[TARE_WIRE_HEADER_BYTES + bit / 8];
    byte = static_cast<char>(byte ^ (1 << bit % 8));
    ExpectHarmless(bytes, "bit " + std::to_string(bit) + " of the records");
  }
}

struct HeaderField {
  const char* name;
  std::size_t offset;
  std::size_t bytes;
};
#define FIELD(name) \
  HeaderField { #name, offsetof(tare_wire_header, name), sizeof(tare_wire_header::name) }
constexpr HeaderField kFields[] = {
    FIELD(magic),          FIELD(version),       FIELD(engine),         FIELD(architecture),
    FIELD(state),          FIELD(process),       FIELD(parent_process), FIELD(parent_generation),
    FIELD(generation),     FIELD(records_bytes), FIELD(used),           FIELD(blocks),
    FIELD(bank_blocks),    FIELD(banks),         FIELD(banks_used),     FIELD(lost_blocks),
    FIELD(lost_threads),   FIELD(lost_children), FIELD(inherited_used), FIELD(inherited_blocks),
    FIELD(region_entries), FIELD(threads),       FIELD(has_region),
};
#undef FIELD

TEST(DamagedRecording, AnyFieldOfTheHeaderMayBeExtreme) {
  const std::string whole = Sample().Bytes();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const HeaderField& field : kFields) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, most / sizeof(tare_wire_counters) + 2, most / 2,
          most - 7, most}) {
      std::string bytes = whole;
      std::memcpy(bytes.data() + field.offset, &value, field.bytes);
      ExpectHarmless(bytes, std::string(field.name) + " = " + std::to_string(value));
    }
  }
}

// banks * bank_blocks * 16 overflows to a small number.
TEST(DamagedRecording, SizesWhoseProductOverflowsAreRefused) {
  SyntheticRecording made = Sample();
  made.header().banks = 65536;
  made.header().banks_used = 65536;
  made.header().bank_blocks = std::uint64_t{1} << 44;
  const auto recording = ParseRecording(made.Source(), {});
  ASSERT_FALSE(recording);
  EXPECT_THAT(recording.error().message, HasSubstr("past its end"));
}

TEST(DamagedRecording, TextIsReportedAsNotARecording) {
  const auto recording = ParseRecording(SourceOf(std::string(8192, 'x')), {});
  ASSERT_FALSE(recording);
  EXPECT_THAT(recording.error().message, HasSubstr("not a recording"));
}

TEST(DamagedRecording, AReadThatFailsIsAnError) {
  const SyntheticRecording made = Sample();
  for (int allowed = 0; allowed < 4; ++allowed) {
    RecordingSource source = made.Source();
    const auto read = source.read;
    int left = allowed;
    source.read = [&](std::uint64_t place, std::span<std::byte> to) {
      return left-- > 0 && read(place, to);
    };
    EXPECT_FALSE(ParseRecording(source, {})) << allowed;
  }
}

TEST(DamagedRecording, AChainOfParentsThatNeverEndsIsRefused) {
  SyntheticRecording made = Sample();
  made.header().inherited_used = made.header().used;
  const std::vector<RecordingSource> itself(50, made.Source());
  EXPECT_FALSE(ParseRecording(made.Source(), itself));
}

}  // namespace
}  // namespace tare::format
