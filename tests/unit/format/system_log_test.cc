// system_log_test.cc: tests parsing of system logs, as engines leave them and damaged.
#include "format/system_log.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tare::format {
namespace {

// Builds header and records by hand.
class SyntheticSystemLog {
 public:
  SyntheticSystemLog() {
    header_.magic = TARE_SYSTEM_LOG_MAGIC;
    header_.version = TARE_SYSTEM_LOG_VERSION;
    header_.architecture = 183;
    header_.process = 4711;
    header_.records_bytes = TARE_SYSTEM_LOG_RECORDS_BYTES;
  }

  tare_system_log_header& header() { return header_; }

  void Add(std::uint32_t stream, std::int64_t result, const std::string& payload) {
    const tare_system_log_record record{stream, static_cast<std::uint32_t>(payload.size()), result};
    records_.append(reinterpret_cast<const char*>(&record), sizeof record);
    records_ += payload;
    while (records_.size() % 8 != 0) records_ += '\0';
  }

  void AddStream(std::uint32_t kind, std::uint32_t call, std::uint64_t key,
                 const std::string& name) {
    const tare_system_log_stream stream{kind, call, key};
    std::string payload(reinterpret_cast<const char*>(&stream), sizeof stream);
    payload.append(name.c_str(), name.size() + 1);
    Add(0, 0, payload);
  }

  // `room`: bytes after the records, as the engine leaves them.
  std::string Bytes(std::size_t room = 0) {
    header_.used = records_.size();
    std::string bytes(TARE_SYSTEM_LOG_HEADER_BYTES, '\0');
    std::memcpy(bytes.data(), &header_, sizeof header_);
    return bytes + records_ + std::string(room, '\0');
  }

 private:
  tare_system_log_header header_{};
  std::string records_;
};

SyntheticSystemLog TwoStreams() {
  SyntheticSystemLog made;
  made.header().requests[TARE_SYSTEM_LOG_TIME] = 3;
  made.header().requests[TARE_SYSTEM_LOG_SYSTEM] = 1;
  made.header().calls[113] = 3;
  made.AddStream(TARE_SYSTEM_LOG_TIME, 113, 1, "clock_gettime");
  made.Add(1, 0, std::string(16, 'a'));
  made.AddStream(TARE_SYSTEM_LOG_SYSTEM, 63, 77, "/proc/uptime");
  made.Add(2, 5, "12.5\n");
  made.Add(1, -22, "");
  made.Add(1, 0, std::string(16, 'b'));
  return made;
}

std::string Text(const SystemLog& system_log, const SystemLogInput& input) {
  const auto payload = system_log.Payload(input);
  return std::string(reinterpret_cast<const char*>(payload.data()), payload.size());
}

TEST(SystemLog, InputsAreReadByStreamAndInOrder) {
  const auto system_log = ParseSystemLog(TwoStreams().Bytes(4096));
  ASSERT_TRUE(system_log) << system_log.error().message;
  EXPECT_EQ(system_log->process, 4711u);
  EXPECT_EQ(system_log->architecture, 183u);
  EXPECT_EQ(system_log->Requests(SystemLogKind::kTime), 3u);
  EXPECT_EQ(system_log->Requests(SystemLogKind::kRandom), 0u);
  EXPECT_FALSE(system_log->requests.contains(SystemLogKind::kRandom));
  EXPECT_EQ(system_log->calls, (std::map<std::uint32_t, std::uint64_t>{{113, 3}}));
  ASSERT_EQ(system_log->streams.size(), 2u);
  const SystemLogStream& clock = system_log->streams[0];
  EXPECT_EQ(clock.kind, SystemLogKind::kTime);
  EXPECT_EQ(clock.call, 113u);
  EXPECT_EQ(clock.key, 1u);
  EXPECT_EQ(clock.name, "clock_gettime");
  ASSERT_EQ(clock.inputs.size(), 3u);
  EXPECT_EQ(Text(*system_log, clock.inputs[0]), std::string(16, 'a'));
  EXPECT_EQ(clock.inputs[1].result, -22);
  EXPECT_EQ(Text(*system_log, clock.inputs[1]), "");
  EXPECT_EQ(Text(*system_log, clock.inputs[2]), std::string(16, 'b'));
  ASSERT_EQ(system_log->streams[1].inputs.size(), 1u);
  EXPECT_EQ(system_log->streams[1].name, "/proc/uptime");
  EXPECT_EQ(Text(*system_log, system_log->streams[1].inputs[0]), "12.5\n");
}

TEST(SystemLog, UnusedSpaceAfterTheRecordsIsRemoved) {
  const auto system_log = ParseSystemLog(TwoStreams().Bytes(4096));
  ASSERT_TRUE(system_log) << system_log.error().message;
  EXPECT_EQ(system_log->bytes, TwoStreams().Bytes());
}

TEST(SystemLog, ASystemLogWithoutInputsIsValid) {
  const auto system_log = ParseSystemLog(SyntheticSystemLog().Bytes());
  ASSERT_TRUE(system_log) << system_log.error().message;
  EXPECT_TRUE(system_log->streams.empty());
  EXPECT_TRUE(system_log->calls.empty());
}

TEST(SystemLog, AnotherVersionIsRefusedAndBothAreNamed) {
  SyntheticSystemLog made;
  made.header().version = 9;
  const auto system_log = ParseSystemLog(made.Bytes());
  ASSERT_FALSE(system_log);
  EXPECT_EQ(system_log.error().kind, ErrorKind::kFormat);
  EXPECT_NE(system_log.error().message.find("version 9"), std::string::npos)
      << system_log.error().message;
  EXPECT_NE(system_log.error().message.find("version 1"), std::string::npos)
      << system_log.error().message;
}

TEST(SystemLog, WhatIsLongerThanTheFileIsRefused) {
  for (const std::uint64_t used :
       {UINT64_C(1) << 20, TARE_SYSTEM_LOG_RECORDS_BYTES + 8, ~UINT64_C(0)}) {
    std::string bytes = TwoStreams().Bytes();
    std::memcpy(bytes.data() + offsetof(tare_system_log_header, used), &used, sizeof used);
    EXPECT_FALSE(ParseSystemLog(bytes)) << used;
  }
}

TEST(SystemLog, AnAnswerWithoutAStreamIsRefused) {
  SyntheticSystemLog made = TwoStreams();
  made.Add(3, 0, "");
  EXPECT_FALSE(ParseSystemLog(made.Bytes()));
}

TEST(SystemLog, AStreamOfAnUnknownKindIsRefused) {
  for (const std::uint32_t kind : {0u, 9u, ~0u}) {
    SyntheticSystemLog made;
    made.AddStream(kind, 1, 0, "x");
    EXPECT_FALSE(ParseSystemLog(made.Bytes())) << kind;
  }
}

TEST(SystemLog, MoreStreamsThanThereIsRoomForAreRefused) {
  SyntheticSystemLog made;
  for (std::uint32_t i = 0; i <= TARE_SYSTEM_LOG_STREAMS; ++i)
    made.AddStream(TARE_SYSTEM_LOG_PATH, 1, i, "x");
  EXPECT_FALSE(ParseSystemLog(made.Bytes()));
}

TEST(SystemLog, CutAtEveryByteItIsRefused) {
  const std::string whole = TwoStreams().Bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(ParseSystemLog(whole.substr(0, bytes))) << bytes;
  }
}

// A flipped bit is detected, or gives a log whose records are all inside it.
TEST(SystemLog, NoFlippedBitLeadsOutsideOfIt) {
  const std::string whole = TwoStreams().Bytes();
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    const std::size_t byte = bit / 8;
    if (byte >= sizeof(tare_system_log_header) && byte < TARE_SYSTEM_LOG_HEADER_BYTES) continue;
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit % 8));
    const auto system_log = ParseSystemLog(damaged);
    if (!system_log) continue;
    ++accepted;
    for (const SystemLogStream& stream : system_log->streams) {
      for (const SystemLogInput& input : stream.inputs) {
        EXPECT_EQ(Text(*system_log, input).size(), input.bytes);
      }
    }
  }
  EXPECT_GT(accepted, 0u);
}

TEST(SystemLog, AFileSaysWhichOneItIs) {
  const auto path = std::filesystem::temp_directory_path() / "system_log-test-none";
  std::ofstream(path) << "no system_log";
  const auto system_log = ReadSystemLog(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(system_log);
  EXPECT_NE(system_log.error().message.find("system_log-test-none"), std::string::npos);
}

TEST(SystemLogKind, OnlyTimeRandomNumbersAndSystemFilesCanBeReplayed) {
  EXPECT_TRUE(CanReplay(SystemLogKind::kTime));
  EXPECT_TRUE(CanReplay(SystemLogKind::kRandom));
  EXPECT_TRUE(CanReplay(SystemLogKind::kSystem));
  EXPECT_FALSE(CanReplay(SystemLogKind::kProcess));
  EXPECT_FALSE(CanReplay(SystemLogKind::kPath));
}

}  // namespace
}  // namespace tare::format
