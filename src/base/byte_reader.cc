// byte_reader.cc: bounds-checked reads of untrusted bytes.
#include "base/byte_reader.h"

#include <fmt/format.h>

namespace tare {

std::unexpected<Error> ByteReader::TooShort(std::uint64_t wanted) const {
  return Fail(ErrorKind::kFormat, fmt::format("expected {} bytes at offset {}, found {}", wanted,
                                              position_, Remaining()));
}

Result<std::span<const std::byte>> ByteReader::Take(std::uint64_t count) {
  if (count > Remaining()) return TooShort(count);
  const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
  position_ += static_cast<std::size_t>(count);
  return taken;
}

Result<std::uint64_t> ByteReader::ReadVarint() {
  std::uint64_t value = 0;
  std::size_t at = position_;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == bytes_.size()) return TooShort(at - position_ + 1);
    const auto byte = std::to_integer<std::uint64_t>(bytes_[at++]);
    const std::uint64_t part = byte & 0x7f;
    if (shift == 63 && part > 1) break;
    value |= part << shift;
    if ((byte & 0x80) == 0) {
      position_ = at;
      return value;
    }
  }
  return Fail(ErrorKind::kFormat,
              fmt::format("the number at offset {} is longer than 64 bits", position_));
}

Result<std::string_view> ByteReader::ReadTerminatedText() {
  const auto rest = bytes_.subspan(position_);
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  const auto length = text.find('\0');
  if (length == std::string_view::npos) {
    return Fail(ErrorKind::kFormat,
                fmt::format("the text at offset {} is not terminated", position_));
  }
  position_ += length + 1;
  return text.substr(0, length);
}

Result<void> ByteReader::Seek(std::uint64_t position) {
  if (position > bytes_.size()) {
    return Fail(ErrorKind::kFormat,
                fmt::format("offset {} is beyond the end at {} bytes", position, bytes_.size()));
  }
  position_ = static_cast<std::size_t>(position);
  return {};
}

}  // namespace tare
