// mpi_numbers.h: the numbers of untrusted records of MPI traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace tare::format {

// Reads LEB128 numbers. Beyond the end, and for numbers that do not fit, the result is 0 and the
// reader is damaged, so that a record can be checked once, at its end.
class MpiNumbers {
 public:
  explicit MpiNumbers(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool AtEnd() const { return at_ == bytes_.size(); }
  bool IsDamaged() const { return damaged_; }
  std::size_t Remaining() const { return bytes_.size() - at_; }

  std::uint8_t Byte() {
    if (AtEnd()) return Damage();
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }

  std::uint64_t Unsigned() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (AtEnd()) return Damage();
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      if (shift == 63 && byte > 1) return Damage();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return Damage();
  }

  std::int64_t Signed() {
    const std::uint64_t value = Unsigned();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  std::uint32_t Unsigned32() {
    const std::uint64_t value = Unsigned();
    return value <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(value)
                                                              : Damage();
  }

  std::int32_t Signed32() {
    const std::int64_t value = Signed();
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max()) {
      return Damage();
    }
    return static_cast<std::int32_t>(value);
  }

  std::string Text(std::uint64_t bytes) {
    if (bytes > Remaining()) return Damage(), std::string();
    std::string text(reinterpret_cast<const char*>(bytes_.data() + at_), bytes);
    at_ += bytes;
    return text;
  }

  std::uint8_t Damage() {
    damaged_ = true;
    at_ = bytes_.size();
    return 0;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool damaged_ = false;
};

}  // namespace tare::format
