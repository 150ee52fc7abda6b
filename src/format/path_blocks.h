// path_blocks.h: stores executed blocks as the numbers of paths that have run before.
//
// A path is a short sequence of blocks that ends where the program jumps back. Blocks are read at
// the speed of copying memory, and can be counted without being listed.
// docs/methods/event-traces.md describes the method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/event_trace.h"

namespace tare::format {

class PathDictionary;
class PathFinder;

// Chunks must be encoded in the order of the trace.
class PathEncoder {
 public:
  PathEncoder();
  ~PathEncoder();
  PathEncoder(PathEncoder&&) noexcept;
  PathEncoder& operator=(PathEncoder&&) noexcept;

  // Replaces `raw`.
  void Encode(const BlockBatch& batch, std::string& raw);

 private:
  std::unique_ptr<PathFinder> finder_;  // several MiB; made when it is needed
};

// Chunks must be decoded in the order in which they were encoded.
class PathDecoder {
 public:
  PathDecoder();
  ~PathDecoder();
  PathDecoder(PathDecoder&&) noexcept;
  PathDecoder& operator=(PathDecoder&&) noexcept;

  // Replaces the contents of `batch`.
  Result<void> Decode(std::span<const std::byte> raw, const EventTables& tables, BlockBatch& batch);

  // The same, but blocks of chunks without words are only counted: `batch` then has marks alone.
  // Returns the number of blocks; fails if it is not `expected`.
  Result<std::uint64_t> Count(std::span<const std::byte> raw, std::uint64_t expected,
                              const EventTables& tables, BlockBatch& batch);
  // How often each block ran in the chunks that were counted. May be shorter than the table.
  const std::vector<std::uint64_t>& Executions();

 private:
  struct Chunk;
  Result<Chunk> Open(std::span<const std::byte> raw, const EventTables& tables, BlockBatch& batch);
  bool HasItsWords(const Chunk& chunk) const;
  Result<void> List(const Chunk& chunk, BlockBatch& batch) const;
  void AddCounts();

  std::unique_ptr<PathDictionary> paths_;
  std::vector<std::uint64_t> counts_;  // of paths, since the last AddCounts()
  std::vector<std::uint64_t> executions_;
};

}  // namespace tare::format
