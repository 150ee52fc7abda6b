// series_codec_text.cc: encodes the head, the channels and the end of a series.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/byte_reader.h"
#include "base/printable.h"
#include "format/series_codec.h"

namespace tare::format {
namespace {

void PutNumber(std::vector<std::byte>& raw, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) raw.push_back(static_cast<std::byte>(value | 0x80));
  raw.push_back(static_cast<std::byte>(value));
}

void PutText(std::vector<std::byte>& raw, std::string_view text) {
  PutNumber(raw, text.size());
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  raw.insert(raw.end(), bytes.begin(), bytes.end());
}

void PutFacts(std::vector<std::byte>& raw, std::span<const SeriesFact> facts) {
  PutNumber(raw, facts.size());
  for (const SeriesFact& fact : facts) {
    PutText(raw, fact.name);
    PutText(raw, fact.value);
  }
}

constexpr std::uint8_t kLevelBit = 1;
constexpr std::uint8_t kEstimateBit = 2;

void PutChannels(std::vector<std::byte>& raw, std::span<const Channel> channels) {
  PutNumber(raw, channels.size());
  for (const Channel& channel : channels) {
    PutText(raw, channel.name);
    PutText(raw, channel.group);
    PutText(raw, channel.unit);
    PutText(raw, channel.source);
    raw.push_back(static_cast<std::byte>((channel.kind == ChannelKind::kLevel ? kLevelBit : 0) |
                                         (channel.exact ? 0 : kEstimateBit)));
  }
}

Result<std::string> ReadText(ByteReader& reader) {
  TRY(const auto length, reader.ReadVarint());
  TRY(const auto bytes, reader.Take(length));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Calls `read` for each element. The number of elements is limited, because an element needs more
// space in memory than in the file.
template <typename T, typename Read>
Result<std::vector<T>> ReadList(ByteReader& reader, const Read& read) {
  TRY(const auto count, reader.ReadVarint());
  if (count > kMaxChannels || count > reader.Remaining()) {
    return Fail(ErrorKind::kFormat, "a list is too long");
  }
  std::vector<T> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    TRY(auto element, read(reader));
    list.push_back(std::move(element));
  }
  return list;
}

Result<SeriesFact> ReadFact(ByteReader& reader) {
  SeriesFact fact;
  TRY(fact.name, ReadText(reader));
  TRY(fact.value, ReadText(reader));
  return fact;
}

Result<AbsentChannel> ReadAbsent(ByteReader& reader) {
  AbsentChannel absent;
  TRY(absent.name, ReadText(reader));
  TRY(absent.group, ReadText(reader));
  TRY(absent.reason, ReadText(reader));
  return absent;
}

Result<Channel> ReadChannel(ByteReader& reader) {
  Channel channel;
  TRY(channel.name, ReadText(reader));
  TRY(channel.group, ReadText(reader));
  TRY(channel.unit, ReadText(reader));
  TRY(channel.source, ReadText(reader));
  TRY(const auto bits, reader.Read<std::uint8_t>());
  if (bits > (kLevelBit | kEstimateBit)) {
    return Fail(ErrorKind::kFormat, "a channel has an unknown kind");
  }
  channel.kind = (bits & kLevelBit) != 0 ? ChannelKind::kLevel : ChannelKind::kTotal;
  channel.exact = (bits & kEstimateBit) == 0;
  return channel;
}

Result<void> AtEnd(const ByteReader& reader) {
  if (!reader.AtEnd()) return Fail(ErrorKind::kFormat, "there are bytes after its last field");
  return {};
}

}  // namespace

std::vector<std::byte> EncodeHead(const SeriesHead& head) {
  std::vector<std::byte> raw;
  PutNumber(raw, head.interval);
  PutText(raw, head.clock);
  PutChannels(raw, head.channels);
  PutNumber(raw, head.absent.size());
  for (const AbsentChannel& absent : head.absent) {
    PutText(raw, absent.name);
    PutText(raw, absent.group);
    PutText(raw, absent.reason);
  }
  PutFacts(raw, head.facts);
  return raw;
}

Result<SeriesHead> DecodeHead(std::span<const std::byte> raw) {
  ByteReader reader(raw);
  SeriesHead head;
  TRY(head.interval, reader.ReadVarint());
  TRY(head.clock, ReadText(reader));
  TRY(head.channels, ReadList<Channel>(reader, ReadChannel));
  TRY(head.absent, ReadList<AbsentChannel>(reader, ReadAbsent));
  TRY(head.facts, ReadList<SeriesFact>(reader, ReadFact));
  TRY_VOID(AtEnd(reader));
  return head;
}

std::vector<std::byte> EncodeChannels(std::span<const Channel> channels) {
  std::vector<std::byte> raw;
  PutChannels(raw, channels);
  return raw;
}

Result<std::vector<Channel>> DecodeChannels(std::span<const std::byte> raw) {
  ByteReader reader(raw);
  TRY(auto channels, ReadList<Channel>(reader, ReadChannel));
  TRY_VOID(AtEnd(reader));
  return channels;
}

std::vector<std::byte> EncodeEnd(const StoredEnd& stored) {
  std::vector<std::byte> raw;
  PutNumber(raw, stored.records);
  PutNumber(raw, stored.end.interval);
  PutNumber(raw, stored.end.missed);
  PutNumber(raw, stored.end.dropped);
  PutText(raw, stored.end.loss);
  PutFacts(raw, stored.end.facts);
  return raw;
}

Result<StoredEnd> DecodeEnd(std::span<const std::byte> raw) {
  ByteReader reader(raw);
  StoredEnd stored;
  TRY(stored.records, reader.ReadVarint());
  TRY(stored.end.interval, reader.ReadVarint());
  TRY(stored.end.missed, reader.ReadVarint());
  TRY(stored.end.dropped, reader.ReadVarint());
  TRY(stored.end.loss, ReadText(reader));
  TRY(stored.end.facts, ReadList<SeriesFact>(reader, ReadFact));
  TRY_VOID(AtEnd(reader));
  return stored;
}

Result<void> ChannelNames::Add(std::span<const Channel> channels) {
  if (channels.size() > kMaxChannels - names_.size()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("a series has at most {} channels, but {} were selected; select fewer",
                            kMaxChannels, names_.size() + channels.size()));
  }
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (names_.insert(channels[i].name).second) continue;
    for (const Channel& added : channels.first(i)) names_.erase(added.name);
    return Fail(ErrorKind::kUsage, fmt::format("two channels of the series are named {}",
                                               Printable(channels[i].name)));
  }
  return {};
}

}  // namespace tare::format
