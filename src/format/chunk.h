// chunk.h: the chunks of a file that grows: number, lengths, checksum and zstd-compressed data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace tare::format {

// A file format made of chunks.
struct ChunkedFormat {
  char magic[8];
  std::uint32_t version;
  std::string_view name;     // "a series"
  std::string_view refusal;  // what is said of a file of another kind
};

inline constexpr ChunkedFormat kSeriesFormat = {
    {'t', 'a', 'r', 'e', 's', 'e', 'r', 'i'}, 1, "a series", "it is not a trace of tare"};

// Each format uses some of them. What is between head and end may be repeated.
enum class ChunkKind : std::uint32_t {
  kHead = 1,
  kChannels = 2,  // channels, or other tables
  kRecords = 3,   // of a series or a profile
  kEnd = 4,
  kAbstract = 5,     // executed blocks as the outcomes of branches
  kTimed = 6,        // records with times of their own
  kPredicted = 7,    // executed blocks as the misses of a predictor
  kPaths = 8,        // executed blocks as the numbers of paths
  kTotals = 9,       // how often each block was executed
  kMoreTables = 10,  // of a profile that was being sampled
};

// Larger lengths mean a damaged file. They limit what a reader allocates.
inline constexpr std::uint32_t kMaxRawBytes = 8u << 20;
inline constexpr std::uint32_t kMaxStoredBytes = kMaxRawBytes + (64u << 10);

// The first bytes of a file.
struct Preamble {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;  // CRC-32 of the preceding members
};
static_assert(sizeof(Preamble) == 16);

struct ChunkHeader {
  std::uint32_t kind;
  std::uint32_t number;  // from 0
  std::uint32_t stored_bytes;
  std::uint32_t raw_bytes;
  std::uint32_t records;   // 0 except in chunks of records
  std::uint32_t checksum;  // CRC-32 of the preceding members and the stored bytes, continued from
                           // the checksum of the previous chunk, so that chunks cannot be reordered
};
static_assert(sizeof(ChunkHeader) == 24);

// The number and the initial checksum of the next chunk.
struct ChunkChain {
  std::uint32_t number = 0;
  std::uint32_t checksum = 0;
};

Preamble MakePreamble(const ChunkedFormat& format);

// Returns the chain after the preamble. Fails on other versions; the message names both.
Result<ChunkChain> ReadPreamble(const Preamble& preamble, const ChunkedFormat& format);

std::uint32_t ChunkChecksum(const ChunkChain& chain, const ChunkHeader& header,
                            std::span<const std::byte> stored);

// Higher levels of zstd take longer and hardly compress varints of differences any better.
inline constexpr int kFastLevel = 1;

// Writes chunks.
class ChunkPacker {
 public:
  explicit ChunkPacker(int level = kFastLevel);
  // Returns the bytes of the chunk, valid until the next call, and advances `chain`. `raw` must
  // have at most kMaxRawBytes.
  std::span<const std::byte> Pack(ChunkChain& chain, ChunkKind kind, std::uint32_t records,
                                  std::span<const std::byte> raw);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  int level_;
  std::vector<std::byte> chunk_;
};

// Reads chunks.
class ChunkUnpacker {
 public:
  ChunkUnpacker();
  // Returns the raw bytes, valid until the next call. Fails if `header` or `stored` is invalid.
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
