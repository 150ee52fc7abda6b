// varints.h: LEB128 numbers where there are many of them.
//
// field_coder.h is for everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tare::format {

inline constexpr std::size_t kMaxVarintBytes = 10;

// Small numbers for differences that are small or, modulo 2^64, little less than 0.
constexpr std::uint64_t ZigZagOf(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t UnZigZagOf(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

// Writes over `raw`, which gets room for `max_bytes` at once.
class VarintWriter {
 public:
  VarintWriter(std::string& raw, std::size_t max_bytes) : raw_(raw) {
    raw_.resize(max_bytes);
    at_ = raw_.data();
  }
  void Add(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }
  // Cuts `raw` to what was added.
  void Finish() { raw_.resize(static_cast<std::size_t>(at_ - raw_.data())); }

 private:
  std::string& raw_;
  char* at_;
};

// Trusts nothing: after the end and after a number of more than 64 bits all numbers are 0, and
// Good() is false.
class VarintReader {
 public:
  explicit VarintReader(std::span<const std::byte> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::uint64_t Next() {
    if (at_ != end_ && *at_ < kMore) [[likely]]
      return std::to_integer<std::uint64_t>(*at_++);
    return NextLong();
  }
  bool Good() const { return good_; }
  bool AtEnd() const { return at_ == end_; }

 private:
  static constexpr std::byte kMore{0x80};

  std::uint64_t NextLong() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 64; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(*at_++);
      value |= (byte & 0x7f) << shift;
      if (shift == 63 && byte > 1) break;
      if (byte < 0x80) return value;
    }
    good_ = false;
    at_ = end_;
    return 0;
  }

  const std::byte* at_;
  const std::byte* end_;
  bool good_ = true;
};

}  // namespace tare::format
