// chunk.cc: checksums chunks with zlib's CRC-32 and compresses them with zstd.
#include "format/chunk.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "base/check.h"

namespace tare::format {
namespace {

std::uint32_t Crc(std::uint32_t before, const void* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, static_cast<const unsigned char*>(bytes), count));
}

}  // namespace

Preamble MakePreamble(const ChunkedFormat& format) {
  Preamble preamble{};
  std::memcpy(preamble.magic, format.magic, sizeof format.magic);
  preamble.version = format.version;
  preamble.checksum = Crc(0, &preamble, offsetof(Preamble, checksum));
  return preamble;
}

Result<ChunkChain> ReadPreamble(const Preamble& preamble, const ChunkedFormat& format) {
  if (std::memcmp(preamble.magic, format.magic, sizeof format.magic) != 0) {
    return Fail(ErrorKind::kFormat, std::string(format.refusal));
  }
  if (preamble.version != format.version) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it is {} of version {}; this tare reads version {}", format.name,
                            preamble.version, format.version));
  }
  if (preamble.checksum != MakePreamble(format).checksum) {
    return Fail(ErrorKind::kFormat, "it is damaged in its first 16 bytes");
  }
  return ChunkChain{0, preamble.checksum};
}

std::uint32_t ChunkChecksum(const ChunkChain& chain, const ChunkHeader& header,
                            std::span<const std::byte> stored) {
  return Crc(Crc(chain.checksum, &header, offsetof(ChunkHeader, checksum)), stored.data(),
             stored.size());
}

ChunkPacker::ChunkPacker(int level) : context_(ZSTD_createCCtx()), level_(level) {
  CHECK(context_ != nullptr);
}

void ChunkPacker::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

std::span<const std::byte> ChunkPacker::Pack(ChunkChain& chain, ChunkKind kind,
                                             std::uint32_t records,
                                             std::span<const std::byte> raw) {
  CHECK(raw.size() <= kMaxRawBytes);
  const std::size_t room = ZSTD_compressBound(raw.size());
  if (chunk_.size() < sizeof(ChunkHeader) + room) chunk_.resize(sizeof(ChunkHeader) + room);
  std::byte* stored = chunk_.data() + sizeof(ChunkHeader);
  const std::size_t made =
      ZSTD_compressCCtx(context_.get(), stored, room, raw.data(), raw.size(), level_);
  CHECK(ZSTD_isError(made) == 0 && made <= kMaxStoredBytes);
  ChunkHeader header{
      static_cast<std::uint32_t>(kind),       chain.number, static_cast<std::uint32_t>(made),
      static_cast<std::uint32_t>(raw.size()), records,      0};
  header.checksum = ChunkChecksum(chain, header, {stored, made});
  chain = {chain.number + 1, header.checksum};
  std::memcpy(chunk_.data(), &header, sizeof header);
  return std::span(chunk_).first(sizeof header + made);
}

ChunkUnpacker::ChunkUnpacker() : context_(ZSTD_createDCtx()) { CHECK(context_ != nullptr); }

void ChunkUnpacker::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

Result<std::span<const std::byte>> ChunkUnpacker::Unpack(const ChunkHeader& header,
                                                         std::span<const std::byte> stored) {
  if (header.raw_bytes > kMaxRawBytes) {
    return Fail(ErrorKind::kFormat, "its length is impossible");
  }
  if (raw_.size() < header.raw_bytes) raw_.resize(header.raw_bytes);
  const std::size_t made = ZSTD_decompressDCtx(context_.get(), raw_.data(), header.raw_bytes,
                                               stored.data(), stored.size());
  if (ZSTD_isError(made) != 0 || made != header.raw_bytes) {
    return Fail(ErrorKind::kFormat, "its compressed bytes are damaged");
  }
  return std::span(raw_).first(made);
}

}  // namespace tare::format
