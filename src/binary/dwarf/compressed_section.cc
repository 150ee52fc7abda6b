// compressed_section.cc: zlib and zstd; rejects sizes that no stream of that length can produce.
#include "binary/dwarf/compressed_section.h"

#include <elf.h>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>

#include "base/byte_reader.h"

namespace tare::dwarf {
namespace {

constexpr std::uint64_t kMaxSectionBytes = std::uint64_t{4} << 30;
// Deflate produces at most 258 bytes from two bits (RFC 1951), zstd one block of 128 KiB from four
// bytes (RFC 8878).
constexpr std::uint64_t kMaxOfDeflate = 1032;
constexpr std::uint64_t kMaxOfZstd = 32768;
constexpr std::uint32_t kZlib = 1;
constexpr std::uint32_t kZstd = 2;

Result<std::vector<std::byte>> Reserve(std::uint64_t size, std::uint64_t stream_bytes,
                                       std::uint64_t max_of_byte) {
  if (size > kMaxSectionBytes || size / max_of_byte > stream_bytes)
    return Fail(ErrorKind::kFormat,
                fmt::format("{} bytes cannot result from {} compressed bytes", size, stream_bytes));
  return std::vector<std::byte>(static_cast<std::size_t>(size));
}

// zlib counts in 32 bits, so long streams are processed in parts.
Result<std::vector<std::byte>> Inflated(std::span<const std::byte> stream, std::uint64_t size) {
  TRY(auto output, Reserve(size, stream.size(), kMaxOfDeflate));
  z_stream state{};
  if (inflateInit(&state) != Z_OK) return Fail(ErrorKind::kFormat, "zlib cannot be initialized");
  std::size_t read = 0;
  std::size_t written = 0;
  int status = Z_OK;
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  while (status == Z_OK && written < output.size()) {
    const std::size_t give = std::min(kPiece, stream.size() - read);
    const std::size_t take = std::min(kPiece, output.size() - written);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stream.data() + read));
    state.avail_in = static_cast<uInt>(give);
    state.next_out = reinterpret_cast<Bytef*>(output.data() + written);
    state.avail_out = static_cast<uInt>(take);
    status = inflate(&state, Z_NO_FLUSH);
    read += give - state.avail_in;
    written += take - state.avail_out;
  }
  inflateEnd(&state);
  if (written != output.size())
    return Fail(ErrorKind::kFormat,
                fmt::format("its zlib stream ends after {} of {} bytes", written, output.size()));
  return output;
}

Result<std::vector<std::byte>> Unzstd(std::span<const std::byte> stream, std::uint64_t size) {
  TRY(auto output, Reserve(size, stream.size(), kMaxOfZstd));
  const std::size_t made =
      ZSTD_decompress(output.data(), output.size(), stream.data(), stream.size());
  if (ZSTD_isError(made) != 0 || made != output.size())
    return Fail(ErrorKind::kFormat, "its zstd stream is damaged");
  return output;
}

}  // namespace

Result<std::vector<std::byte>> Decompressed(std::span<const std::byte> contents) {
  ByteReader reader(contents);
  TRY(const auto header, reader.Read<Elf64_Chdr>());
  const auto stream = contents.subspan(sizeof(Elf64_Chdr));
  if (header.ch_type == kZlib) return Inflated(stream, header.ch_size);
  if (header.ch_type == kZstd) return Unzstd(stream, header.ch_size);
  return Fail(ErrorKind::kFormat,
              fmt::format("its compression type {} is unknown", header.ch_type));
}

Result<std::vector<std::byte>> DecompressedOldStyle(std::span<const std::byte> contents) {
  ByteReader reader(contents);
  TRY(const auto mark, reader.Read<std::uint32_t>());
  constexpr std::uint32_t kMark = 0x42494c5a;  // "ZLIB"
  if (mark != kMark) return Fail(ErrorKind::kFormat, "its compression type is unknown");
  std::uint64_t size = 0;
  for (int i = 0; i < 8; ++i) {
    TRY(const auto byte, reader.Read<std::uint8_t>());
    size = size << 8 | byte;
  }
  return Inflated(contents.subspan(reader.Position()), size);
}

}  // namespace tare::dwarf
