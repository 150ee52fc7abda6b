// series_codec.h: what is inside the chunks of a series: head, channels, records by columns, end.
//
// docs/formats/series.md describes the bytes. Decoding trusts no number: it fails with kFormat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "format/series.h"

namespace tare::format {

// Records times (channels + 1) in a chunk; more is damage.
inline constexpr std::uint64_t kMaxCells = 1u << 19;

// Records as they come, before they are encoded.
class RecordRows {
 public:
  // Only while there are no records.
  void SetChannels(std::size_t channels);
  // `values` has an element for each channel.
  void Add(std::uint64_t time, std::span<const std::optional<std::int64_t>> values);
  void Clear();

  std::size_t Records() const { return times_.size(); }
  std::size_t Channels() const { return channels_; }
  std::uint64_t Cells() const { return Records() * (channels_ + 1); }
  std::span<const std::uint64_t> Times() const { return times_; }
  std::int64_t Value(std::size_t record, std::size_t channel) const {
    return values_[record * channels_ + channel];
  }
  bool Has(std::size_t record, std::size_t channel) const {
    return has_[record * channels_ + channel] != 0;
  }

 private:
  std::size_t channels_ = 0;
  std::vector<std::uint64_t> times_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint8_t> has_;
};

// Records as they are read, by columns. Missing values are 0 in Values().
class RecordColumns {
 public:
  std::size_t Records() const { return times_.size(); }
  std::size_t Channels() const { return channels_; }
  std::span<const std::uint64_t> Times() const { return times_; }
  std::span<const std::int64_t> Values(std::size_t channel) const {
    return std::span(values_).subspan(channel * Records(), Records());
  }
  bool Has(std::size_t record, std::size_t channel) const {
    return has_[channel * Records() + record] != 0;
  }
  std::optional<std::int64_t> Value(std::size_t record, std::size_t channel) const {
    if (!Has(record, channel)) return std::nullopt;
    return values_[channel * Records() + record];
  }

 private:
  friend Result<void> DecodeRecords(std::span<const std::byte> raw, std::uint64_t records,
                                    std::size_t channels, RecordColumns& to);
  std::size_t channels_ = 0;
  std::vector<std::uint64_t> times_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint8_t> has_;
};

// Replaces `raw`.
void EncodeRecords(const RecordRows& rows, std::vector<std::byte>& raw);
Result<void> DecodeRecords(std::span<const std::byte> raw, std::uint64_t records,
                           std::size_t channels, RecordColumns& to);

std::vector<std::byte> EncodeHead(const SeriesHead& head);
Result<SeriesHead> DecodeHead(std::span<const std::byte> raw);

std::vector<std::byte> EncodeChannels(std::span<const Channel> channels);
Result<std::vector<Channel>> DecodeChannels(std::span<const std::byte> raw);

// The end also tells how many records were written.
struct StoredEnd {
  std::uint64_t records = 0;
  SeriesEnd end;
};
std::vector<std::byte> EncodeEnd(const StoredEnd& stored);
Result<StoredEnd> DecodeEnd(std::span<const std::byte> raw);

// The names of a series' channels, each of them once.
class ChannelNames {
 public:
  // Fails when a name comes twice, or there would be more than kMaxChannels; adds none then.
  Result<void> Add(std::span<const Channel> channels);
  std::size_t Count() const { return names_.size(); }

 private:
  std::unordered_set<std::string> names_;
};

}  // namespace tare::format
