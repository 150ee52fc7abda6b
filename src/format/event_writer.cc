// event_writer.cc: collects events into chunks, and writes an end even on a full disk.
#include "format/event_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tare::format {
namespace {

// Disk space reserved after the last chunk, so that the end fits if the disk is full.
constexpr std::size_t kEndReserve = 16u << 10;
constexpr std::size_t kChunkBlocks = kMaxBatchBlocks;
constexpr std::uint64_t kMaxFlushWaitNs = 100'000'000;
// The file has at least so many times the bytes of its totals.
constexpr std::uint64_t kTotalsPart = 100;

std::span<const std::byte> BytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

Result<EventTraceWriter> EventTraceWriter::Create(const std::filesystem::path& path,
                                                  const EventTraceHead& head, int level) {
  TRY(auto file, GrowingFile::Create(path));
  EventTraceWriter writer(std::move(file), head.encoding, level);
  const Preamble preamble = MakePreamble(kEventTraceFormat);
  writer.chain_ = {0, preamble.checksum};
  const std::string raw = EncodeTraceHead(head);
  if (raw.size() > kMaxRawBytes)
    return Fail(ErrorKind::kUnsupported, "the command line is too long for a trace's header");
  TRY_VOID(writer.file_.Append(std::as_bytes(std::span(&preamble, 1)), 0));
  const auto chunk = writer.packer_.Pack(writer.chain_, ChunkKind::kHead, 0, BytesOf(raw));
  TRY_VOID(writer.file_.Append(chunk, kEndReserve));
  TRY_VOID(writer.file_.Appear());
  return writer;
}

void EventTraceWriter::AddBlock(std::uint32_t block, std::span<const std::uint64_t> words) {
  if (Batch().blocks.size() == kChunkBlocks || Batch().words.size() + words.size() > kMaxBatchWords)
    Flush();
  BlockBatch& batch = Batch();
  batch.blocks.push_back(block);
  batch.words.insert(batch.words.end(), words.begin(), words.end());
  ++blocks_;
  words_ += words.size();
}

void EventTraceWriter::AddBlocks(std::span<const std::uint32_t> blocks) {
  while (!blocks.empty()) {
    if (Batch().blocks.size() == kChunkBlocks) Flush();
    auto& batch = Batch().blocks;
    const auto part = blocks.first(std::min(blocks.size(), kChunkBlocks - batch.size()));
    batch.insert(batch.end(), part.begin(), part.end());
    blocks_ += part.size();
    blocks = blocks.subspan(part.size());
  }
}

void EventTraceWriter::AddMark(MarkKind kind, std::uint64_t value) {
  if (Batch().marks.size() == kMaxBatchMarks) Flush();
  Batch().marks.push_back({Batch().blocks.size(), kind, value});
}

void EventTraceWriter::AddTimed(const TimedEvent& event) {
  if (timed_batch_.size() == kMaxTimedEvents) Flush();
  timed_batch_.push_back(event);
  ++timed_;
}

void EventTraceWriter::AddLost(std::uint64_t events, std::string reason) {
  if (events == 0) return;
  lost_ += events;
  if (loss_.empty()) loss_ = std::move(reason);
}

void EventTraceWriter::WriteTables() {
  if (has_learnt_ && stored_ == SizesOf(tables_)) return;
  Settle();
  has_learnt_ = true;
  if (encoding_ == TraceEncoding::kAbstract) abstract_.Learn(tables_);
  if (encoding_ == TraceEncoding::kPredicted) predicted_.Learn(tables_);
  while (stored_ != SizesOf(tables_) && !error_) {
    TableSizes next = stored_;
    const std::string raw = EncodeTables(tables_, next);
    if (Write(ChunkKind::kChannels, 0, raw)) stored_ = next;
  }
}

ChunkKind EventTraceWriter::Encode(const BlockBatch& batch) {
  switch (encoding_) {
    case TraceEncoding::kFull:
      paths_.Encode(batch, raw_);
      return ChunkKind::kPaths;
    case TraceEncoding::kAbstract:
      abstract_.Encode(batch, raw_);
      return ChunkKind::kAbstract;
    case TraceEncoding::kPredicted:
      break;
  }
  predicted_.Encode(batch, raw_);
  return ChunkKind::kPredicted;
}

void EventTraceWriter::WriteBlocks(const BlockBatch& batch) {
  if (error_) return;
  const ChunkKind kind = Encode(batch);
  if (Write(kind, batch.blocks.size(), raw_)) kept_blocks_ += batch.blocks.size();
}

void EventTraceWriter::Flush() {
  WriteTables();
  if (!Batch().IsEmpty()) {
    const BlockBatch& full = Batch();
    if (on_flush_) on_flush_(full, {});
    if (worker_) {
      worker_->Add([this, &full] { WriteBlocks(full); });
      filled_ = (filled_ + 1) % kBatches;
    } else {
      WriteBlocks(full);
    }
    Batch().Clear();
  }
  if (!timed_batch_.empty()) {
    if (on_flush_) on_flush_({}, timed_batch_);
    Settle();
    EncodeTimed(timed_batch_, raw_);
    if (Write(ChunkKind::kTimed, timed_batch_.size(), raw_)) kept_timed_ += timed_batch_.size();
    timed_batch_.clear();
  }
}

void EventTraceWriter::FlushIfDue(std::uint64_t now_ns) {
  if (!last_flush_ns_) last_flush_ns_ = now_ns;
  if (now_ns - *last_flush_ns_ < kMaxFlushWaitNs) return;
  Flush();
  last_flush_ns_ = now_ns;
}

Result<void> EventTraceWriter::Status() const {
  Settle();
  if (error_) return std::unexpected(*error_);
  return {};
}

bool EventTraceWriter::Write(ChunkKind kind, std::size_t records, std::string_view raw) {
  if (error_) return false;
  const ChunkChain before = chain_;
  ChunkPacker& packer =
      kind == ChunkKind::kChannels || kind == ChunkKind::kTotals ? table_packer_ : packer_;
  const auto chunk = packer.Pack(chain_, kind, static_cast<std::uint32_t>(records), BytesOf(raw));
  const auto written = file_.Append(chunk, kEndReserve);
  if (written) return true;
  chain_ = before;
  error_ = written.error();
  return false;
}

void EventTraceWriter::WriteTotals() {
  if (!totals_ || words_ > 0 || kept_blocks_ < blocks_) return;
  const std::string raw = EncodeBlockTotals(*totals_);
  if (raw.size() <= file_.Bytes() / kTotalsPart && raw.size() <= kMaxRawBytes)
    Write(ChunkKind::kTotals, 0, raw);
}

Result<void> EventTraceWriter::Close(EventTraceEnd end) {
  Flush();
  Settle();
  WriteTotals();
  const std::uint64_t dropped = blocks_ - kept_blocks_ + timed_ - kept_timed_;
  end.blocks = kept_blocks_;
  end.timed = kept_timed_;
  end.lost += lost_ + dropped;
  if (end.loss.empty()) end.loss = dropped > 0 ? file_.Failure() : loss_;
  const auto sealed =
      file_.Append(packer_.Pack(chain_, ChunkKind::kEnd, 0, BytesOf(EncodeTraceEnd(end))), 0);
  if (sealed) end_ = end;
  const auto finished = file_.Finish();
  if (error_) {
    return Fail(error_->kind,
                fmt::format("{}; {} of {} events are missing{}", error_->message, dropped,
                            blocks_ + timed_, sealed ? "" : ", and the file has no end record"));
  }
  if (!sealed) return sealed;
  return finished;
}

EventTraceOutcome EventTraceWriter::Outcome() const {
  EventTraceOutcome outcome;
  outcome.chunks = chain_.number;
  outcome.bytes = file_.Bytes();
  if (end_) {
    outcome.StateEnd(*end_);
  } else {
    outcome.reason = "incomplete: it has no end record";
  }
  return outcome;
}

}  // namespace tare::format
