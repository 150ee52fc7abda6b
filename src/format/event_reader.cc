// event_reader.cc: decodes chunks in order and checks that they fit together.
#include "format/event_reader.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"
#include "format/event_codec.h"

namespace tare::format {
namespace {

// Tables of more bytes mean a damaged file. They limit what a reader keeps.
constexpr std::uint64_t kMaxTableBytes = std::uint64_t{1} << 30;

std::unexpected<Error> WrongTotals() {
  return Fail(ErrorKind::kFormat, "its totals do not match its blocks");
}

}  // namespace

Result<EventTraceReader> EventTraceReader::Open(const std::filesystem::path& path) {
  const bool piped = path == "-";
  TRY(auto source, piped ? StandardInputChunks() : OpenChunkSource(path));
  return From(std::move(source), piped ? "standard input" : path.string());
}

Result<EventTraceReader> EventTraceReader::From(ChunkSource source, const std::string& name) {
  EventTraceReader reader(std::move(source));
  if (const auto read = reader.ReadHead(); !read) {
    return Fail(read.error().kind,
                read.error().kind == ErrorKind::kFormat
                    ? fmt::format("cannot read {}: {}", Printable(name), read.error().message)
                    : read.error().message);
  }
  return reader;
}

Result<void> EventTraceReader::ReadHead() {
  TRY_VOID(chunks_.ReadStart(kEventTraceFormat));
  TRY(const auto chunk, chunks_.Read());
  if (chunk.header.kind != static_cast<std::uint32_t>(ChunkKind::kHead))
    return Fail(ErrorKind::kFormat, "incomplete: its first chunk is not a header");
  TRY(head_, DecodeTraceHead(chunk.raw));
  chunks_.Advance(chunk.header);
  return {};
}

void EventTraceReader::SkipBlocks() {
  skips_ = true;
  for (const ChunkKind kind : {ChunkKind::kAbstract, ChunkKind::kPredicted, ChunkKind::kPaths})
    chunks_.LeavePacked(kind);
}

Result<void> EventTraceReader::TakeTotals(const ChunkReader::Chunk& chunk) {
  TRY(auto totals, DecodeBlockTotals(chunk.raw));
  // Subtracted one by one, so that no sum of impossible numbers wraps around.
  std::uint64_t left = read_blocks_;
  for (const std::uint64_t executions : totals.executions) {
    if (executions > left) return WrongTotals();
    left -= executions;
  }
  if (totals.executions.size() > tables_.blocks.size() || left > 0) return WrongTotals();
  totals_ = std::move(totals);
  blocks_of_totals_ = read_blocks_;
  return {};
}

Result<void> EventTraceReader::TakeEnd(const ChunkReader::Chunk& chunk) {
  TRY(auto end, DecodeTraceEnd(chunk.raw));
  if (end.blocks != read_blocks_ || end.timed != read_timed_) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it states {} events, but there are {}", end.blocks + end.timed,
                            read_blocks_ + read_timed_));
  }
  if (totals_ && blocks_of_totals_ != read_blocks_) return WrongTotals();
  end_ = std::move(end);
  return {};
}

Result<std::uint64_t> EventTraceReader::TakePaths(const ChunkReader::Chunk& chunk) {
  if (counts_) return paths_.Count(chunk.raw, chunk.header.records, tables_, blocks_);
  TRY_VOID(paths_.Decode(chunk.raw, tables_, blocks_));
  return blocks_.blocks.size();
}

// Returns whether there are events.
Result<bool> EventTraceReader::Take(const ChunkReader::Chunk& chunk) {
  const auto kind = ChunkKind{chunk.header.kind};
  // Decoders replace what is in a batch, and are quicker if it has the right size already.
  if (kind != ChunkKind::kPaths) blocks_.Clear();
  timed_.clear();
  std::uint64_t blocks = 0;
  if (skips_ && (kind == ChunkKind::kAbstract || kind == ChunkKind::kPredicted ||
                 kind == ChunkKind::kPaths)) {
    blocks_.Clear();
    read_blocks_ += chunk.header.records;
    return false;
  }
  switch (kind) {
    case ChunkKind::kChannels:
      table_bytes_ += chunk.raw.size();
      if (table_bytes_ > kMaxTableBytes) return Fail(ErrorKind::kFormat, "its tables are too long");
      TRY_VOID(DecodeTables(chunk.raw, tables_));
      return false;
    case ChunkKind::kAbstract:
      TRY_VOID(abstract_.Decode(chunk.raw, tables_, blocks_));
      blocks = blocks_.blocks.size();
      break;
    case ChunkKind::kPredicted:
      TRY_VOID(predicted_.Decode(chunk.raw, tables_, blocks_));
      blocks = blocks_.blocks.size();
      break;
    case ChunkKind::kPaths: {
      TRY(blocks, TakePaths(chunk));
      break;
    }
    case ChunkKind::kTimed:
      TRY_VOID(DecodeTimed(chunk.raw, tables_, timed_));
      break;
    case ChunkKind::kTotals:
      TRY_VOID(TakeTotals(chunk));
      return false;
    case ChunkKind::kEnd:
      TRY_VOID(TakeEnd(chunk));
      return false;
    default:
      return Fail(ErrorKind::kFormat, "it has an unknown kind");
  }
  if (chunk.header.records != blocks + timed_.size())
    return Fail(ErrorKind::kFormat, "its number of events is wrong");
  read_blocks_ += blocks;
  read_timed_ += timed_.size();
  return true;
}

Result<bool> EventTraceReader::TakeNext() {
  TRY(const auto chunk, chunks_.Read());
  const auto taken = Take(chunk);
  if (!taken) return chunks_.DamagedChunk(taken.error());
  chunks_.Advance(chunk.header);
  return *taken;
}

bool EventTraceReader::Next() {
  while (!end_) {
    const auto are_events = TakeNext();
    outcome_.chunks = chunks_.chunks();
    outcome_.bytes = chunks_.bytes();
    if (!are_events) {
      blocks_.Clear();
      timed_.clear();
      const Error& error = are_events.error();
      outcome_.reason = (error.kind == ErrorKind::kIo ? "incomplete: " : "") + error.message;
      return false;
    }
    if (*are_events) return true;
  }
  if (const auto ended = chunks_.CheckEnd(); !ended) {
    outcome_.reason = ended.error().message;
    return false;
  }
  outcome_.StateEnd(*end_);
  return false;
}

}  // namespace tare::format
