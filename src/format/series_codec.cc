// series_codec.cc: encodes columns as varints of the differences between neighbouring values.
#include "format/series_codec.h"

#include <bit>
#include <cstring>

#include "base/byte_reader.h"
#include "base/check.h"

namespace tare::format {
namespace {

// Bits of a column's first byte, which say how it is stored.
constexpr std::uint8_t kSecondDifferences = 1;  // differences of differences
constexpr std::uint8_t kSomeMissing = 2;  // a bit per record comes first; 1: the value is present
constexpr std::uint8_t kAllMissing = 4;   // no data follows

constexpr std::size_t kLongestVarint = 10;

// Maps small numbers of either sign to small unsigned numbers.
std::uint64_t ZigZag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
std::uint64_t UnZigZag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

std::size_t VarintBytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

std::byte* PutVarint(std::byte* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::byte>(value);
  return to;
}

// All arithmetic is modulo 2^64, so every value can be represented.
void PutValues(std::span<const std::uint64_t> values, bool second, std::vector<std::byte>& raw) {
  const std::size_t start = raw.size();
  raw.resize(start + values.size() * kLongestVarint);
  std::byte* to = raw.data() + start;
  std::uint64_t before = 0;
  std::uint64_t difference_before = 0;
  for (const std::uint64_t value : values) {
    const std::uint64_t difference = value - before;
    to = PutVarint(to, ZigZag(difference - difference_before));
    before = value;
    if (second) difference_before = difference;
  }
  raw.resize(static_cast<std::size_t>(to - raw.data()));
}

bool SecondAreShorter(std::span<const std::uint64_t> values) {
  std::size_t first_bytes = 0;
  std::size_t second_bytes = 0;
  std::uint64_t before = 0;
  std::uint64_t difference_before = 0;
  for (const std::uint64_t value : values) {
    const std::uint64_t difference = value - before;
    first_bytes += VarintBytes(ZigZag(difference));
    second_bytes += VarintBytes(ZigZag(difference - difference_before));
    before = value;
    difference_before = difference;
  }
  return second_bytes < first_bytes;
}

void PutBitmap(const RecordRows& rows, std::size_t channel, std::vector<std::byte>& raw) {
  const std::size_t start = raw.size();
  raw.resize(start + (rows.Records() + 7) / 8);
  for (std::size_t i = 0; i < rows.Records(); ++i) {
    if (rows.Has(i, channel)) raw[start + i / 8] |= std::byte{1} << (i % 8);
  }
}

Result<void> ReadValues(ByteReader& reader, bool second, std::span<const std::uint8_t> has,
                        std::span<std::uint64_t> to) {
  std::uint64_t before = 0;
  std::uint64_t difference_before = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (has[i] == 0) {
      to[i] = 0;
      continue;
    }
    TRY(const std::uint64_t code, reader.ReadVarint());
    const std::uint64_t difference = UnZigZag(code) + difference_before;
    before += difference;
    if (second) difference_before = difference;
    to[i] = before;
  }
  return {};
}

Result<void> ReadBitmap(ByteReader& reader, std::span<std::uint8_t> has) {
  TRY(const auto bits, reader.Take((has.size() + 7) / 8));
  for (std::size_t i = 0; i < has.size(); ++i) {
    has[i] = std::to_integer<std::uint8_t>((bits[i / 8] >> (i % 8)) & std::byte{1});
  }
  return {};
}

Result<void> ReadColumn(ByteReader& reader, std::span<std::uint8_t> has,
                        std::span<std::uint64_t> to) {
  TRY(const auto form, reader.Read<std::uint8_t>());
  std::memset(has.data(), form == kAllMissing ? 0 : 1, has.size());
  if (form > kAllMissing) return Fail(ErrorKind::kFormat, "a column has an unknown encoding");
  if ((form & kSomeMissing) != 0) TRY_VOID(ReadBitmap(reader, has));
  return ReadValues(reader, (form & kSecondDifferences) != 0, has, to);
}

}  // namespace

void RecordRows::SetChannels(std::size_t channels) {
  CHECK(times_.empty());
  channels_ = channels;
}

void RecordRows::Add(std::uint64_t time, std::span<const std::optional<std::int64_t>> values) {
  CHECK(values.size() == channels_);
  times_.push_back(time);
  for (const auto& value : values) {
    values_.push_back(value.value_or(0));
    has_.push_back(value.has_value() ? 1 : 0);
  }
}

void RecordRows::Clear() {
  times_.clear();
  values_.clear();
  has_.clear();
}

void EncodeRecords(const RecordRows& rows, std::vector<std::byte>& raw) {
  raw.clear();
  const bool second = SecondAreShorter(rows.Times());
  raw.push_back(static_cast<std::byte>(second ? kSecondDifferences : 0));
  PutValues(rows.Times(), second, raw);
  std::vector<std::uint64_t> present;
  for (std::size_t channel = 0; channel < rows.Channels(); ++channel) {
    present.clear();
    for (std::size_t i = 0; i < rows.Records(); ++i) {
      if (rows.Has(i, channel))
        present.push_back(static_cast<std::uint64_t>(rows.Value(i, channel)));
    }
    if (present.empty()) {
      raw.push_back(static_cast<std::byte>(kAllMissing));
      continue;
    }
    const bool shorter = SecondAreShorter(present);
    const bool some_missing = present.size() < rows.Records();
    raw.push_back(static_cast<std::byte>((shorter ? kSecondDifferences : 0) |
                                         (some_missing ? kSomeMissing : 0)));
    if (some_missing) PutBitmap(rows, channel, raw);
    PutValues(present, shorter, raw);
  }
}

Result<void> DecodeRecords(std::span<const std::byte> raw, std::uint64_t records,
                           std::size_t channels, RecordColumns& to) {
  if (records == 0 || records > kMaxCells / (channels + 1)) {
    return Fail(ErrorKind::kFormat, "its number of records is impossible");
  }
  const auto count = static_cast<std::size_t>(records);
  to.channels_ = channels;
  to.times_.resize(count);
  to.values_.resize(count * channels);
  to.has_.resize(count * channels);
  ByteReader reader(raw);
  std::vector<std::uint8_t> all(count);
  TRY_VOID(ReadColumn(reader, all, to.times_));
  if (std::memchr(all.data(), 0, all.size()) != nullptr) {
    return Fail(ErrorKind::kFormat, "a record has no time");
  }
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const auto has = std::span(to.has_).subspan(channel * count, count);
    std::int64_t* values = to.values_.data() + channel * count;
    // Signed and unsigned types of one size may alias.
    TRY_VOID(ReadColumn(reader, has, {reinterpret_cast<std::uint64_t*>(values), count}));
  }
  if (!reader.AtEnd()) return Fail(ErrorKind::kFormat, "there are bytes after its last column");
  return {};
}

}  // namespace tare::format
