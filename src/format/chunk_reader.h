// chunk_reader.h: reads the chunks of a file that may be truncated, damaged or still growing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/chunk.h"

namespace tare::format {

// Reads bytes from offset `place` into `to`. Returns their number, which is smaller than `to` only
// at the end of the file.
using ChunkSource =
    std::function<Result<std::size_t>(std::uint64_t place, std::span<std::byte> to)>;

// The bytes of a regular file.
Result<ChunkSource> OpenChunkSource(const std::filesystem::path& path);

// The bytes of standard input, which may be a pipe. They can be read once: a second call fails.
Result<ChunkSource> StandardInputChunks();

// Reads chunk by chunk. Every message on a file that ends early or is damaged starts with
// "incomplete: ".
class ChunkReader {
 public:
  struct Chunk {
    ChunkHeader header;
    // Valid until the next call of Read(). Empty if the chunk was left packed.
    std::span<const std::byte> raw;
  };

  explicit ChunkReader(ChunkSource source) : source_(std::move(source)) {}

  Result<void> ReadStart(const ChunkedFormat& format);
  // Only the checksums of such chunks are checked.
  void LeavePacked(ChunkKind kind) { packed_kinds_ |= 1u << static_cast<unsigned>(kind); }
  // The next chunk. Changes no state, because the read may succeed when the file has grown.
  Result<Chunk> Read();
  // Continues after the chunk that Read() returned.
  void Advance(const ChunkHeader& header);
  // The error for a next chunk whose contents are wrong.
  std::unexpected<Error> DamagedChunk(const Error& error) const;
  // Fails if there are bytes after the chunks so far.
  Result<void> CheckEnd();

  std::uint64_t chunks() const { return chunks_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  ChunkSource source_;
  ChunkChain chain_;
  ChunkUnpacker unpacker_;
  std::vector<std::byte> stored_;
  std::uint32_t packed_kinds_ = 0;  // a bit for each
  std::uint64_t chunks_ = 0;        // number of whole chunks
  std::uint64_t bytes_ = 0;         // size of these chunks and the preamble
};

}  // namespace tare::format
