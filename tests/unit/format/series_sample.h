// series_sample.h: small series that tests write, read and damage.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/private_directory.h"
#include "format/series_reader.h"
#include "format/series_writer.h"

namespace tare::format {

inline void PrintTo(const SeriesRecord& record, std::ostream* to) {
  *to << record.time << ":";
  for (const auto& value : record.values) *to << " " << (value ? std::to_string(*value) : "-");
}

inline bool operator==(const SeriesRecord& a, const SeriesRecord& b) {
  return a.time == b.time && a.values == b.values;
}

inline bool operator==(const Channel& a, const Channel& b) {
  return a.name == b.name && a.group == b.group && a.unit == b.unit && a.source == b.source &&
         a.kind == b.kind && a.exact == b.exact;
}

inline Channel Total(const std::string& name) {
  return {name, "software", "", "compiled", ChannelKind::kTotal, true};
}

inline Channel Level(const std::string& name) {
  return {name, "kernel", "B", "/proc/PID/statm", ChannelKind::kLevel, false};
}

inline SeriesHead SmallHead() {
  return {1'000'000,
          "ns",
          {Total("calls"), Level("resident")},
          {{"cycles", "hardware", "this machine exposes no hardware counters"}},
          {{"program", "./a.out"}}};
}

inline std::vector<SeriesRecord> SomeRecords(std::size_t count, std::size_t channels,
                                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<SeriesRecord> records(count);
  std::uint64_t time = 0;
  std::int64_t total = 0;
  for (SeriesRecord& record : records) {
    record.time = time += 1'000'000 + random() % 1000;
    for (std::size_t c = 0; c < channels; ++c) {
      total += static_cast<std::int64_t>(random() % 5000);
      if (random() % 8 == 0) {
        record.values.emplace_back(std::nullopt);
      } else {
        record.values.emplace_back(total);
      }
    }
  }
  return records;
}

// Provides the path of a file in a directory that is removed with the test.
class SeriesSample : public testing::Test {
 protected:
  void SetUp() override {
    auto directory = PrivateDirectory::Make();
    ASSERT_TRUE(directory);
    directory_.emplace(std::move(*directory));
    path_ = directory_->path() / "series";
  }

  std::optional<PrivateDirectory> directory_;
  std::filesystem::path path_;
};

inline ChunkSource SeriesSourceOf(const std::string& bytes) {
  return [bytes](std::uint64_t place, std::span<std::byte> to) -> Result<std::size_t> {
    if (place >= bytes.size()) return 0;
    const std::size_t count = std::min<std::size_t>(to.size(), bytes.size() - place);
    std::memcpy(to.data(), bytes.data() + place, count);
    return count;
  };
}

struct ReadSeries {
  SeriesHead head;
  std::vector<SeriesRecord> records;
  SeriesOutcome outcome;
};

inline Result<ReadSeries> ReadAll(Result<SeriesReader> reader) {
  if (!reader) return std::unexpected(reader.error());
  ReadSeries read;
  ForEachRecord(*reader, [&](const SeriesRecord& record) { read.records.push_back(record); });
  read.head = reader->Head();
  read.outcome = reader->Outcome();
  return read;
}

inline Result<ReadSeries> ReadAll(const std::filesystem::path& path) {
  return ReadAll(SeriesReader::Open(path));
}

inline Result<ReadSeries> ReadSeriesBytes(const std::string& bytes) {
  return ReadAll(SeriesReader::From(SeriesSourceOf(bytes), "sample"));
}

inline std::string BytesOf(const std::filesystem::path& path) {
  return ReadFile(path, 1u << 30).value_or("");
}

}  // namespace tare::format
