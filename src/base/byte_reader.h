// byte_reader.h: the one way in which bytes from outside are taken apart.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace tare {

// Walks over bytes that cannot be trusted. Every read is checked against the end; a failed read
// leaves the position where it was. The bytes must outlive the reader. Numbers are little-endian,
// as the machines we run on are.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit ByteReader(std::string_view bytes)
      : bytes_(std::as_bytes(std::span(bytes.data(), bytes.size()))) {}

  std::size_t Position() const { return position_; }
  std::size_t Remaining() const { return bytes_.size() - position_; }
  bool AtEnd() const { return Remaining() == 0; }

  // A number or a plain struct of fixed layout.
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  Result<T> Read() {
    TRY(const auto bytes, Take(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  // The next `count` bytes, not copied.
  Result<std::span<const std::byte>> Take(std::uint64_t count);

  // Unsigned LEB128 of at most 64 bits.
  Result<std::uint64_t> ReadVarint();

  // Text up to a zero byte, which is passed over; not copied.
  Result<std::string_view> ReadTerminatedText();

  // Moves to an absolute position; the end itself is allowed.
  Result<void> Seek(std::uint64_t position);

 private:
  std::unexpected<Error> TooShort(std::uint64_t wanted) const;

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace tare
