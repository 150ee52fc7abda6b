// byte_reader.h: a bounds-checked reader for untrusted bytes; all binary input is parsed with it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace tare {

// Reads untrusted bytes from front to back. Every read is checked against the end of the input; a
// failed read leaves the position unchanged. The bytes must outlive the reader. Numbers are
// little-endian, as on all supported machines.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit ByteReader(std::string_view bytes)
      : bytes_(std::as_bytes(std::span(bytes.data(), bytes.size()))) {}

  std::size_t Position() const { return position_; }
  std::size_t Remaining() const { return bytes_.size() - position_; }
  bool AtEnd() const { return Remaining() == 0; }

  // Reads a number or a plain struct of fixed layout.
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  Result<T> Read() {
    TRY(const auto bytes, Take(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  // Returns the next `count` bytes without copying them.
  Result<std::span<const std::byte>> Take(std::uint64_t count);

  // Reads an unsigned LEB128 number of at most 64 bits.
  Result<std::uint64_t> ReadVarint();

  // Returns the text before the next zero byte without copying it, and skips the zero byte.
  Result<std::string_view> ReadTerminatedText();

  // Moves to an absolute position. Seeking to the end is allowed.
  Result<void> Seek(std::uint64_t position);

 private:
  std::unexpected<Error> TooShort(std::uint64_t wanted) const;

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace tare
