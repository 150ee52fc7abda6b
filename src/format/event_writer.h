// event_writer.h: writes the file of an event trace while the program runs.
//
// The file exists under its name from Create() on: if the writer is killed, everything that was
// flushed can be read. Without Close() the file stays incomplete.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/background_worker.h"
#include "base/result.h"
#include "format/abstract_blocks.h"
#include "format/chunk.h"
#include "format/event_codec.h"
#include "format/event_trace.h"
#include "format/growing_file.h"
#include "format/path_blocks.h"
#include "format/predicted_blocks.h"

namespace tare::format {

// Not thread-safe.
class EventTraceWriter {
 public:
  // A failure leaves an existing file unchanged. `level` is zstd's.
  static Result<EventTraceWriter> Create(const std::filesystem::path& path,
                                         const EventTraceHead& head, int level = kFastLevel);

  // The tables. Rows may be appended at any time; they are stored before the events that follow.
  EventTables& tables() { return tables_; }
  const EventTables& tables() const { return tables_; }

  // Events are in the order of the calls. They never fail: what cannot be written is counted, and
  // Close() reports it. A block must be in the tables; `words` are as many as the block has.
  void AddBlock(std::uint32_t block, std::span<const std::uint64_t> words);
  // Blocks without words.
  void AddBlocks(std::span<const std::uint32_t> blocks);
  void AddMark(MarkKind kind, std::uint64_t value);
  void AddTimed(const TimedEvent& event);
  // Events that the recorder lost, with the reason.
  void AddLost(std::uint64_t events, std::string reason);
  // What all blocks add up to. Close() stores it where it takes a hundredth of the file at most;
  // shorter traces are decoded quickly. Not for samples and blocks with words.
  void SetTotals(BlockTotals totals) { totals_ = std::move(totals); }

  // Calls `take` before each chunk of blocks or of timed events is written.
  void OnFlush(
      std::function<void(const BlockBatch& blocks, std::span<const TimedEvent> timed)> take) {
    on_flush_ = std::move(take);
  }
  // Encodes and writes blocks on another thread while the next ones are added.
  void EncodeBeside() { worker_ = std::make_unique<BackgroundWorker>(kBatches - 1); }

  void Flush();
  // Flushes if enough time has passed; `now_ns` is from any steady clock.
  void FlushIfDue(std::uint64_t now_ns);

  Result<void> Status() const;
  std::uint64_t Bytes() const {
    Settle();
    return file_.Bytes();
  }
  std::uint64_t Blocks() const { return blocks_; }
  std::uint64_t Words() const { return words_; }
  std::uint64_t Timed() const { return timed_; }

  // Seals the file; the numbers of events are filled in. Fails if events were lost to a write
  // error; the file is sealed nevertheless if there is room.
  Result<void> Close(EventTraceEnd end);
  // What a reader will find; after Close().
  EventTraceOutcome Outcome() const;

 private:
  // Tables are short, so that a high level costs little, and so are abstract blocks, most of which
  // cannot be compressed any further.
  static constexpr int kTableLevel = 15;
  static constexpr int kAbstractLevel = 5;

  EventTraceWriter(GrowingFile file, TraceEncoding encoding, int level)
      : file_(std::move(file)),
        packer_(encoding == TraceEncoding::kAbstract ? std::max(level, kAbstractLevel) : level),
        encoding_(encoding) {}

  // One batch is filled while the other thread encodes the others.
  static constexpr std::size_t kBatches = 3;

  BlockBatch& Batch() { return batches_[filled_]; }
  // Waits for the other thread.
  void Settle() const {
    if (worker_) worker_->Wait();
  }
  void WriteTables();
  // As a chunk; may run on the other thread.
  void WriteBlocks(const BlockBatch& batch);
  void WriteTotals();
  // Into `raw_`. Returns the kind of chunk.
  ChunkKind Encode(const BlockBatch& batch);
  bool Write(ChunkKind kind, std::size_t records, std::string_view raw);

  GrowingFile file_;
  ChunkChain chain_;
  ChunkPacker packer_;
  ChunkPacker table_packer_{kTableLevel};
  TraceEncoding encoding_;
  EventTables tables_;
  TableSizes stored_;
  AbstractEncoder abstract_;
  PredictedEncoder predicted_;
  PathEncoder paths_;
  bool has_learnt_ = false;
  std::array<BlockBatch, kBatches> batches_;
  std::size_t filled_ = 0;  // the batch that gets the next events
  std::vector<TimedEvent> timed_batch_;
  std::string raw_;
  std::uint64_t blocks_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t timed_ = 0;
  std::uint64_t kept_blocks_ = 0;
  std::uint64_t kept_timed_ = 0;
  std::uint64_t lost_ = 0;
  std::string loss_;
  std::optional<BlockTotals> totals_;
  std::function<void(const BlockBatch&, std::span<const TimedEvent>)> on_flush_;
  std::optional<EventTraceEnd> end_;
  std::optional<std::uint64_t> last_flush_ns_;
  std::optional<Error> error_;
  std::unique_ptr<BackgroundWorker> worker_;  // last, so that it ends before what it uses
};

}  // namespace tare::format
