// series_chunk.cc: checksums chunks with zlib's CRC-32 and compresses them with zstd.
#include "format/series_chunk.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstring>

#include "base/check.h"

namespace tare::format {
namespace {

// Higher levels take longer and hardly compress varints of differences any better.
constexpr int kLevel = 1;

std::uint32_t Crc(std::uint32_t before, const void* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, static_cast<const unsigned char*>(bytes), count));
}

}  // namespace

SeriesPreamble MakePreamble() {
  SeriesPreamble preamble{};
  std::memcpy(preamble.magic, kSeriesMagic, sizeof kSeriesMagic);
  preamble.version = kSeriesVersion;
  preamble.checksum = Crc(0, &preamble, offsetof(SeriesPreamble, checksum));
  return preamble;
}

Result<ChunkChain> ReadPreamble(const SeriesPreamble& preamble) {
  if (std::memcmp(preamble.magic, kSeriesMagic, sizeof kSeriesMagic) != 0) {
    return Fail(ErrorKind::kFormat, "it is not a trace of tare");
  }
  if (preamble.version != kSeriesVersion) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it is a series of version {}; this tare reads version {}",
                            preamble.version, kSeriesVersion));
  }
  if (preamble.checksum != MakePreamble().checksum) {
    return Fail(ErrorKind::kFormat, "it is damaged in its first 16 bytes");
  }
  return ChunkChain{0, preamble.checksum};
}

std::uint32_t ChunkChecksum(const ChunkChain& chain, const ChunkHeader& header,
                            std::span<const std::byte> stored) {
  return Crc(Crc(chain.checksum, &header, offsetof(ChunkHeader, checksum)), stored.data(),
             stored.size());
}

ChunkPacker::ChunkPacker() : context_(ZSTD_createCCtx()) { CHECK(context_ != nullptr); }

void ChunkPacker::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

std::span<const std::byte> ChunkPacker::Pack(ChunkChain& chain, ChunkKind kind,
                                             std::uint32_t records,
                                             std::span<const std::byte> raw) {
  CHECK(raw.size() <= kMaxRawBytes);
  const std::size_t room = ZSTD_compressBound(raw.size());
  if (chunk_.size() < sizeof(ChunkHeader) + room) chunk_.resize(sizeof(ChunkHeader) + room);
  std::byte* stored = chunk_.data() + sizeof(ChunkHeader);
  const std::size_t made =
      ZSTD_compressCCtx(context_.get(), stored, room, raw.data(), raw.size(), kLevel);
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
