// series_codec.h: the contents of a series file's chunks: head, channels, columns of records, end.
//
// docs/formats/series.md documents the bytes. Decoding trusts no number and fails with kFormat.
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

// The maximum of records times (channels + 1) in a chunk; more means a damaged file.
inline constexpr std::uint64_t kMaxCells = 1u << 19;

// Records in the order of arrival, before they are encoded.
class RecordRows {
 public:
  // May be called only while there are no records.
  void SetChannels(std::size_t channels);
  // `values` has one element per channel.
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

// Decoded records, stored by column. Missing values are 0 in Values().
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

// Replaces the contents of `raw`.
void EncodeRecords(const RecordRows& rows, std::vector<std::byte>& raw);
Result<void> DecodeRecords(std::span<const std::byte> raw, std::uint64_t records,
                           std::size_t channels, RecordColumns& to);

std::vector<std::byte> EncodeHead(const SeriesHead& head);
Result<SeriesHead> DecodeHead(std::span<const std::byte> raw);

std::vector<std::byte> EncodeChannels(std::span<const Channel> channels);
Result<std::vector<Channel>> DecodeChannels(std::span<const std::byte> raw);

// The end also contains the number of records written.
struct StoredEnd {
  std::uint64_t records = 0;
  SeriesEnd end;
};
std::vector<std::byte> EncodeEnd(const StoredEnd& stored);
Result<StoredEnd> DecodeEnd(std::span<const std::byte> raw);

// The unique names of a series' channels.
class ChannelNames {
 public:
  // Fails without adding any if a name is not unique or there would be more than kMaxChannels.
  Result<void> Add(std::span<const Channel> channels);
  std::size_t Count() const { return names_.size(); }

 private:
  std::unordered_set<std::string> names_;
};

}  // namespace tare::format
