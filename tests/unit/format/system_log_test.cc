// system_log_test.cc: tapes as engines leave them, and tapes that are none.
#include "format/system_log.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tare::format {
namespace {

// Header and records, put together by hand.
class MadeTape {
 public:
  MadeTape() {
    header_.magic = TARE_TAPE_MAGIC;
    header_.version = TARE_TAPE_VERSION;
    header_.architecture = 183;
    header_.process = 4711;
    header_.records_bytes = TARE_TAPE_RECORDS_BYTES;
  }

  tare_tape_header& header() { return header_; }

  void Add(std::uint32_t stream, std::int64_t result, const std::string& payload) {
    const tare_tape_record record{stream, static_cast<std::uint32_t>(payload.size()), result};
    records_.append(reinterpret_cast<const char*>(&record), sizeof record);
    records_ += payload;
    while (records_.size() % 8 != 0) records_ += '\0';
  }

  void AddStream(std::uint32_t kind, std::uint32_t call, std::uint64_t key,
                 const std::string& name) {
    const tare_tape_stream stream{kind, call, key};
    std::string payload(reinterpret_cast<const char*>(&stream), sizeof stream);
    payload.append(name.c_str(), name.size() + 1);
    Add(0, 0, payload);
  }

  // `room`: bytes behind the records, as the engine leaves them.
  std::string Bytes(std::size_t room = 0) {
    header_.used = records_.size();
    std::string bytes(TARE_TAPE_HEADER_BYTES, '\0');
    std::memcpy(bytes.data(), &header_, sizeof header_);
    return bytes + records_ + std::string(room, '\0');
  }

 private:
  tare_tape_header header_{};
  std::string records_;
};

MadeTape TwoStreams() {
  MadeTape made;
  made.header().asked[TARE_TAPE_TIME] = 3;
  made.header().asked[TARE_TAPE_SYSTEM] = 1;
  made.header().calls[113] = 3;
  made.AddStream(TARE_TAPE_TIME, 113, 1, "clock_gettime");
  made.Add(1, 0, std::string(16, 'a'));
  made.AddStream(TARE_TAPE_SYSTEM, 63, 77, "/proc/uptime");
  made.Add(2, 5, "12.5\n");
  made.Add(1, -22, "");
  made.Add(1, 0, std::string(16, 'b'));
  return made;
}

std::string Text(const Tape& tape, const TapeAnswer& answer) {
  const auto payload = tape.Payload(answer);
  return std::string(reinterpret_cast<const char*>(payload.data()), payload.size());
}

TEST(Tape, AnswersComeBackByStreamAndInOrder) {
  const auto tape = ParseTape(TwoStreams().Bytes(4096));
  ASSERT_TRUE(tape) << tape.error().message;
  EXPECT_EQ(tape->process, 4711u);
  EXPECT_EQ(tape->architecture, 183u);
  EXPECT_EQ(tape->Asked(TapeKind::kTime), 3u);
  EXPECT_EQ(tape->Asked(TapeKind::kRandom), 0u);
  EXPECT_FALSE(tape->asked.contains(TapeKind::kRandom));
  EXPECT_EQ(tape->calls, (std::map<std::uint32_t, std::uint64_t>{{113, 3}}));
  ASSERT_EQ(tape->streams.size(), 2u);
  const TapeStream& clock = tape->streams[0];
  EXPECT_EQ(clock.kind, TapeKind::kTime);
  EXPECT_EQ(clock.call, 113u);
  EXPECT_EQ(clock.key, 1u);
  EXPECT_EQ(clock.name, "clock_gettime");
  ASSERT_EQ(clock.answers.size(), 3u);
  EXPECT_EQ(Text(*tape, clock.answers[0]), std::string(16, 'a'));
  EXPECT_EQ(clock.answers[1].result, -22);
  EXPECT_EQ(Text(*tape, clock.answers[1]), "");
  EXPECT_EQ(Text(*tape, clock.answers[2]), std::string(16, 'b'));
  ASSERT_EQ(tape->streams[1].answers.size(), 1u);
  EXPECT_EQ(tape->streams[1].name, "/proc/uptime");
  EXPECT_EQ(Text(*tape, tape->streams[1].answers[0]), "12.5\n");
}

TEST(Tape, RoomBehindTheRecordsIsCutOff) {
  const auto tape = ParseTape(TwoStreams().Bytes(4096));
  ASSERT_TRUE(tape) << tape.error().message;
  EXPECT_EQ(tape->bytes, TwoStreams().Bytes());
}

TEST(Tape, ATapeOfAProgramThatAskedNothingIsOne) {
  const auto tape = ParseTape(MadeTape().Bytes());
  ASSERT_TRUE(tape) << tape.error().message;
  EXPECT_TRUE(tape->streams.empty());
  EXPECT_TRUE(tape->calls.empty());
}

TEST(Tape, AnotherVersionIsRefusedAndBothAreNamed) {
  MadeTape made;
  made.header().version = 9;
  const auto tape = ParseTape(made.Bytes());
  ASSERT_FALSE(tape);
  EXPECT_EQ(tape.error().kind, ErrorKind::kFormat);
  EXPECT_NE(tape.error().message.find("version 9"), std::string::npos) << tape.error().message;
  EXPECT_NE(tape.error().message.find("version 1"), std::string::npos) << tape.error().message;
}

TEST(Tape, WhatIsLongerThanTheFileIsRefused) {
  for (const std::uint64_t used : {UINT64_C(1) << 20, TARE_TAPE_RECORDS_BYTES + 8, ~UINT64_C(0)}) {
    std::string bytes = TwoStreams().Bytes();
    std::memcpy(bytes.data() + offsetof(tare_tape_header, used), &used, sizeof used);
    EXPECT_FALSE(ParseTape(bytes)) << used;
  }
}

TEST(Tape, AnAnswerWithoutAStreamIsRefused) {
  MadeTape made = TwoStreams();
  made.Add(3, 0, "");
  EXPECT_FALSE(ParseTape(made.Bytes()));
}

TEST(Tape, AStreamOfAnUnknownKindIsRefused) {
  for (const std::uint32_t kind : {0u, 9u, ~0u}) {
    MadeTape made;
    made.AddStream(kind, 1, 0, "x");
    EXPECT_FALSE(ParseTape(made.Bytes())) << kind;
  }
}

TEST(Tape, MoreStreamsThanThereIsRoomForAreRefused) {
  MadeTape made;
  for (std::uint32_t i = 0; i <= TARE_TAPE_STREAMS; ++i) made.AddStream(TARE_TAPE_PATH, 1, i, "x");
  EXPECT_FALSE(ParseTape(made.Bytes()));
}

TEST(Tape, CutAtEveryByteItIsRefused) {
  const std::string whole = TwoStreams().Bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(ParseTape(whole.substr(0, bytes))) << bytes;
  }
}

// A flipped bit is found, or gives a tape whose answers all lie in it.
TEST(Tape, NoFlippedBitLeadsOutsideOfIt) {
  const std::string whole = TwoStreams().Bytes();
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    const std::size_t byte = bit / 8;
    if (byte >= sizeof(tare_tape_header) && byte < TARE_TAPE_HEADER_BYTES) continue;
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit % 8));
    const auto tape = ParseTape(damaged);
    if (!tape) continue;
    ++accepted;
    for (const TapeStream& stream : tape->streams) {
      for (const TapeAnswer& answer : stream.answers) {
        EXPECT_EQ(Text(*tape, answer).size(), answer.bytes);
      }
    }
  }
  EXPECT_GT(accepted, 0u);
}

TEST(Tape, AFileSaysWhichOneItIs) {
  const auto path = std::filesystem::temp_directory_path() / "tape-test-none";
  std::ofstream(path) << "no tape";
  const auto tape = ReadTape(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(tape);
  EXPECT_NE(tape.error().message.find("tape-test-none"), std::string::npos);
}

TEST(TapeKind, OnlyTimeRandomNumbersAndSystemFilesCanBePlayed) {
  EXPECT_TRUE(CanBePlayed(TapeKind::kTime));
  EXPECT_TRUE(CanBePlayed(TapeKind::kRandom));
  EXPECT_TRUE(CanBePlayed(TapeKind::kSystem));
  EXPECT_FALSE(CanBePlayed(TapeKind::kProcess));
  EXPECT_FALSE(CanBePlayed(TapeKind::kPath));
}

}  // namespace
}  // namespace tare::format
