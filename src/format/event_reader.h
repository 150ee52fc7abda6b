// event_reader.h: reads an event trace that may be truncated, damaged or still growing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/abstract_blocks.h"
#include "format/chunk_reader.h"
#include "format/event_trace.h"
#include "format/path_blocks.h"
#include "format/predicted_blocks.h"

namespace tare::format {

// Reads chunk by chunk. Returns exactly the contents of the whole chunks before the first damage.
class EventTraceReader {
 public:
  // Fails on files that are not an event trace, have another version or are cut in their header.
  // "-" is standard input, which can be read once.
  static Result<EventTraceReader> Open(const std::filesystem::path& path);
  static Result<EventTraceReader> From(ChunkSource source, const std::string& name);

  const EventTraceHead& Head() const { return head_; }
  // What has been read so far; complete when Next() has returned false.
  const EventTables& Tables() const { return tables_; }

  // Blocks without words are only counted where that is quicker than listing them: Next() then
  // gives their marks alone. Call it before Next().
  void CountBlocks() { counts_ = true; }
  // How often each block was counted so far. May be shorter than the table.
  const std::vector<std::uint64_t>& Executions() { return paths_.Executions(); }
  // Blocks are skipped: their chunks are checked by their checksums alone. Call it before Next().
  void SkipBlocks();
  // What the trace has stored of the blocks, after its end. Long traces have it.
  const std::optional<BlockTotals>& Totals() const { return totals_; }

  // Reads the next events: one of Blocks() and Timed() is not empty, unless only marks come, or
  // blocks were counted or skipped. Returns false at the end; see Outcome().
  bool Next();
  const BlockBatch& Blocks() const { return blocks_; }
  const std::vector<TimedEvent>& Timed() const { return timed_; }

  const EventTraceOutcome& Outcome() const { return outcome_; }

 private:
  explicit EventTraceReader(ChunkSource source) : chunks_(std::move(source)) {}
  Result<void> ReadHead();
  Result<bool> TakeNext();
  Result<bool> Take(const ChunkReader::Chunk& chunk);
  Result<void> TakeTotals(const ChunkReader::Chunk& chunk);
  Result<void> TakeEnd(const ChunkReader::Chunk& chunk);
  // Returns the number of blocks.
  Result<std::uint64_t> TakePaths(const ChunkReader::Chunk& chunk);

  ChunkReader chunks_;
  EventTraceHead head_;
  EventTables tables_;
  AbstractDecoder abstract_;
  PredictedDecoder predicted_;
  PathDecoder paths_;
  bool counts_ = false;
  bool skips_ = false;
  std::optional<BlockTotals> totals_;
  std::uint64_t blocks_of_totals_ = 0;
  BlockBatch blocks_;
  std::vector<TimedEvent> timed_;
  std::uint64_t read_blocks_ = 0;
  std::uint64_t read_timed_ = 0;
  std::uint64_t table_bytes_ = 0;
  std::optional<EventTraceEnd> end_;
  EventTraceOutcome outcome_;
};

}  // namespace tare::format
