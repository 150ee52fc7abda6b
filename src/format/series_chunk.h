// series_chunk.h: the frame around each piece of a series file: number, lengths, checksum, zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace tare::format {

inline constexpr char kSeriesMagic[8] = {'t', 'a', 'r', 'e', 's', 'e', 'r', 'i'};
inline constexpr std::uint32_t kSeriesVersion = 1;

enum class ChunkKind : std::uint32_t { kHead = 1, kChannels = 2, kRecords = 3, kEnd = 4 };

// Larger lengths are damage; they bound what a reader allocates.
inline constexpr std::uint32_t kMaxRawBytes = 8u << 20;
inline constexpr std::uint32_t kMaxStoredBytes = kMaxRawBytes + (64u << 10);

// What a file begins with.
struct SeriesPreamble {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;  // CRC-32 of what is before
};
static_assert(sizeof(SeriesPreamble) == 16);

struct ChunkHeader {
  std::uint32_t kind;
  std::uint32_t number;  // from 0
  std::uint32_t stored_bytes;
  std::uint32_t raw_bytes;
  std::uint32_t records;   // 0 but for chunks of records
  std::uint32_t checksum;  // CRC-32 of the members before and the stored bytes, going on from the
                           // checksum of the chunk before: no chunk can change its place
};
static_assert(sizeof(ChunkHeader) == 24);

// Where the next chunk goes on.
struct ChunkChain {
  std::uint32_t number = 0;
  std::uint32_t checksum = 0;
};

SeriesPreamble MakePreamble();

// The chain behind it. Refuses other versions and names both.
Result<ChunkChain> ReadPreamble(const SeriesPreamble& preamble);

std::uint32_t ChunkChecksum(const ChunkChain& chain, const ChunkHeader& header,
                            std::span<const std::byte> stored);

// Makes chunks.
class ChunkPacker {
 public:
  ChunkPacker();
  // The bytes of the chunk, valid until the next call, with `chain` moved on. `raw` is at most
  // kMaxRawBytes.
  std::span<const std::byte> Pack(ChunkChain& chain, ChunkKind kind, std::uint32_t records,
                                  std::span<const std::byte> raw);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::vector<std::byte> chunk_;
};

// Takes them apart.
class ChunkUnpacker {
 public:
  ChunkUnpacker();
  // The raw bytes, valid until the next call. Fails when `header` or `stored` cannot be right.
  Result<std::span<const std::byte>> Unpack(const ChunkHeader& header,
                                            std::span<const std::byte> stored);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::vector<std::byte> raw_;
};

}  // namespace tare::format
