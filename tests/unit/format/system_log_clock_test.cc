// system_log_clock_test.cc: tests shifting and scaling the clocks of a system log.
#include "format/system_log_clock.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace tare::format {
namespace {

// A synthetic log: one stream of two records for each clock.
class SystemLogMaker {
 public:
  SystemLogMaker() : bytes_(TARE_SYSTEM_LOG_HEADER_BYTES, '\0') {}

  void AddStream(std::uint32_t kind, std::uint32_t call, std::uint64_t key) {
    std::string payload(sizeof(tare_system_log_stream) + 8, '\0');
    const tare_system_log_stream stream{kind, call, key};
    std::memcpy(payload.data(), &stream, sizeof stream);
    AddRecord(0, 0, payload);
    ++streams_;
  }

  void AddAnswer(std::int64_t result, const std::vector<std::int64_t>& words) {
    const auto bytes = std::as_bytes(std::span(words));
    std::string payload(bytes.size(), '\0');
    std::ranges::transform(bytes, payload.begin(), [](std::byte byte) { return char(byte); });
    AddRecord(streams_, result, payload);
  }

  SystemLog Make() {
    tare_system_log_header header{};
    header.magic = TARE_SYSTEM_LOG_MAGIC;
    header.version = TARE_SYSTEM_LOG_VERSION;
    header.architecture = 183;
    header.records_bytes = TARE_SYSTEM_LOG_RECORDS_BYTES;
    header.used = bytes_.size() - TARE_SYSTEM_LOG_HEADER_BYTES;
    std::memcpy(bytes_.data(), &header, sizeof header);
    auto system_log = ParseSystemLog(bytes_);
    EXPECT_TRUE(system_log) << system_log.error().message;
    return system_log.value_or(SystemLog{});
  }

 private:
  void AddRecord(std::uint32_t stream, std::int64_t result, const std::string& payload) {
    const tare_system_log_record record{stream, static_cast<std::uint32_t>(payload.size()), result};
    std::string bytes(sizeof record, '\0');
    std::memcpy(bytes.data(), &record, sizeof record);
    bytes_ += bytes + payload;
  }

  std::string bytes_;
  std::uint32_t streams_ = 0;
};

std::array<std::int64_t, 2> WordsOf(const SystemLog& system_log, std::size_t stream,
                                    std::size_t input) {
  std::array<std::int64_t, 2> words{};
  const auto payload = system_log.Payload(system_log.streams.at(stream).inputs.at(input));
  std::memcpy(words.data(), payload.data(), payload.size());
  return words;
}

TEST(WithClocks, StartsLaterAndStretchesIntervals) {
  SystemLogMaker maker;
  maker.AddStream(TARE_SYSTEM_LOG_TIME, SYS_clock_gettime, CLOCK_REALTIME);
  maker.AddAnswer(0, {1000, 900'000'000});
  maker.AddAnswer(0, {1001, 100'000'000});
  const SystemLog system_log = maker.Make();
  const auto changed = ParseSystemLog(WithClocks(system_log, {3600, 3}));
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(WordsOf(*changed, 0, 0), (std::array<std::int64_t, 2>{4600, 900'000'000}));
  EXPECT_EQ(WordsOf(*changed, 0, 1), (std::array<std::int64_t, 2>{4601, 500'000'000}));
}

TEST(WithClocks, ProcessorTimeDoesNotStartLater) {
  SystemLogMaker maker;
  maker.AddStream(TARE_SYSTEM_LOG_TIME, SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID);
  maker.AddAnswer(0, {1, 0});
  const auto changed = ParseSystemLog(WithClocks(maker.Make(), {3600, 3}));
  EXPECT_EQ(WordsOf(*changed, 0, 0), (std::array<std::int64_t, 2>{1, 0}));
}

TEST(WithClocks, TimesInResultsAreChangedThere) {
  SystemLogMaker maker;
  maker.AddStream(TARE_SYSTEM_LOG_TIME, SYS_times, 0);
  maker.AddAnswer(5000, {});
  maker.AddAnswer(5100, {1, 2, 3, 4});
  const auto changed = ParseSystemLog(WithClocks(maker.Make(), {10, 2}));
  ASSERT_TRUE(changed);
  const auto& inputs = changed->streams.at(0).inputs;
  const std::int64_t later = 10 * sysconf(_SC_CLK_TCK);
  EXPECT_EQ(inputs[0].result, 5000 + later);
  EXPECT_EQ(inputs[1].result, 5200 + later);
  EXPECT_EQ(WordsOf(*changed, 0, 0)[0], 0);
}

TEST(WithClocks, LeavesErrorsAndOtherKindsAlone) {
  SystemLogMaker maker;
  maker.AddStream(TARE_SYSTEM_LOG_TIME, SYS_clock_gettime, 99);
  maker.AddAnswer(-22, {});
  maker.AddStream(TARE_SYSTEM_LOG_RANDOM, SYS_getrandom, 0);
  maker.AddAnswer(16, {7, 8});
  const SystemLog system_log = maker.Make();
  EXPECT_EQ(WithClocks(system_log, {3600, 3}), system_log.bytes);
}

}  // namespace
}  // namespace tare::format
