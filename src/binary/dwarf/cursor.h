// cursor.h: fast reads from debug sections, never past their end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace tare::dwarf {

// Longer names are truncated: a hostile file could otherwise name each byte of one long text.
inline constexpr std::size_t kLongestText = 64 * 1024;

// The text at `offset`, without its terminating NUL; empty outside of the section.
std::string_view TextAt(std::span<const std::byte> section, std::uint64_t offset);

// Little-endian. A read beyond the end returns 0 and makes this and all later reads fail, so one
// check of ok() after several reads suffices. (base/byte_reader.h returns a Result per number,
// which is too slow for the tens of millions of numbers in a debug section.)
class Cursor {
 public:
  Cursor() = default;
  Cursor(std::span<const std::byte> section, std::uint64_t begin, std::uint64_t end)
      : bytes_(section.data()),
        end_(static_cast<std::size_t>(std::min<std::uint64_t>(end, section.size()))),
        at_(static_cast<std::size_t>(std::min<std::uint64_t>(begin, end_))),
        ok_(begin <= end && end <= section.size()) {}
  explicit Cursor(std::span<const std::byte> section) : Cursor(section, 0, section.size()) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return at_ == end_; }
  std::uint64_t position() const { return at_; }
  std::uint64_t Remaining() const { return end_ - at_; }

  // Reads 1 to 8 bytes; more are a failure.
  std::uint64_t Unsigned(unsigned size) {
    std::uint64_t value = 0;
    if (size > sizeof(value)) Fail();
    if (size == 0 || size > sizeof(value) || !Has(size)) return 0;
    std::memcpy(&value, bytes_ + at_, size);
    at_ += size;
    return value;
  }
  std::uint8_t U8() { return Has(1) ? std::to_integer<std::uint8_t>(bytes_[at_++]) : 0; }
  std::uint16_t U16() { return static_cast<std::uint16_t>(Unsigned(2)); }
  std::uint32_t U32() { return static_cast<std::uint32_t>(Unsigned(4)); }
  std::uint64_t U64() { return Unsigned(8); }

  // Bits beyond the 64th are dropped.
  std::uint64_t Uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (!Has(1)) return 0;
      const auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t Sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (!Has(1)) return 0;
      const auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
  }

  void Skip(std::uint64_t count) {
    if (Has(count)) at_ += static_cast<std::size_t>(count);
  }
  // Reads to a NUL byte and skips it; the length is not limited.
  std::string_view Text() {
    const char* begin = reinterpret_cast<const char*>(bytes_) + at_;
    const void* zero = AtEnd() ? nullptr : std::memchr(begin, 0, end_ - at_);
    if (zero == nullptr) {
      Fail();
      return {};
    }
    const auto length = static_cast<std::size_t>(static_cast<const char*>(zero) - begin);
    at_ += length + 1;
    return {begin, length};
  }
  void Fail() {
    ok_ = false;
    at_ = end_;
  }

 private:
  bool Has(std::uint64_t count) {
    if (count <= end_ - at_) return true;
    Fail();
    return false;
  }

  const std::byte* bytes_ = nullptr;
  std::size_t end_ = 0;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace tare::dwarf
