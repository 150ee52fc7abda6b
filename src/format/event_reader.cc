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

Result<void> EventTraceReader::TakeEnd(const ChunkReader::Chunk& chunk) {
  TRY(auto end, DecodeTraceEnd(chunk.raw));
  if (end.blocks != read_blocks_ || end.timed != read_timed_) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it states {} events, but there are {}", end.blocks + end.timed,
                            read_blocks_ + read_timed_));
  }
  end_ = std::move(end);
  return {};
}

// Returns whether there are events.
Result<bool> EventTraceReader::Take(const ChunkReader::Chunk& chunk) {
  blocks_.Clear();
  timed_.clear();
  switch (ChunkKind{chunk.header.kind}) {
    case ChunkKind::kChannels:
      table_bytes_ += chunk.raw.size();
      if (table_bytes_ > kMaxTableBytes) return Fail(ErrorKind::kFormat, "its tables are too long");
      TRY_VOID(DecodeTables(chunk.raw, tables_));
      return false;
    case ChunkKind::kRecords:
      TRY_VOID(DecodeBlocks(chunk.raw, tables_, blocks_));
      break;
    case ChunkKind::kAbstract:
      TRY_VOID(abstract_.Decode(chunk.raw, tables_, blocks_));
      break;
    case ChunkKind::kPredicted:
      TRY_VOID(predicted_.Decode(chunk.raw, tables_, blocks_));
      break;
    case ChunkKind::kTimed:
      TRY_VOID(DecodeTimed(chunk.raw, tables_, timed_));
      break;
    case ChunkKind::kEnd:
      TRY_VOID(TakeEnd(chunk));
      return false;
    default:
      return Fail(ErrorKind::kFormat, "it has an unknown kind");
  }
  if (chunk.header.records != blocks_.blocks.size() + timed_.size())
    return Fail(ErrorKind::kFormat, "its number of events is wrong");
  read_blocks_ += blocks_.blocks.size();
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
