// series_reader.h: reads the records of a vertical trace from a file that may be truncated, damaged
// or still growing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/chunk_reader.h"
#include "format/series.h"
#include "format/series_codec.h"

namespace tare::format {

// How the file ended, or how far it could be read.
struct SeriesOutcome {
  bool complete = false;  // sealed, and no record was lost
  // Why it is not complete: one sentence that starts with "incomplete: ", without a full stop.
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t chunks = 0;      // number of whole chunks, including the head
  std::uint64_t bytes = 0;       // size of these chunks
  std::optional<SeriesEnd> end;  // only for a sealed file, even if it lost records
};

// Reads chunk by chunk, so that memory does not grow with the file. Returns exactly the contents of
// the whole chunks before the first damage.
class SeriesReader {
 public:
  // Fails on files that are not a series, have another version or are truncated within the head.
  // Reads regular files only.
  static Result<SeriesReader> Open(const std::filesystem::path& path);
  // `name` is used in messages.
  static Result<SeriesReader> From(ChunkSource source, const std::string& name);

  // Channels that were added later appear once their position in the file has been read.
  const SeriesHead& Head() const { return head_; }

  // Returns the next records, valid until the next call, or nullptr if there are no more (see
  // Outcome()). A chunk has the channels that existed when it was written, which are the first ones
  // of Head(). For a growing file, Next() can be called again after nullptr and continues after the
  // last whole chunk.
  const RecordColumns* Next();

  // Valid after Next() has returned nullptr.
  const SeriesOutcome& Outcome() const { return outcome_; }

 private:
  using Chunk = ChunkReader::Chunk;

  explicit SeriesReader(ChunkSource source) : chunks_(std::move(source)) {}

  Result<void> ReadHead();
  Result<bool> TakeNext();
  Result<void> Take(const Chunk& chunk);
  Result<void> TakeRecords(const Chunk& chunk);
  Result<void> TakeChannels(const Chunk& chunk);
  Result<void> TakeEnd(const Chunk& chunk);
  Result<void> TakeText(std::span<const std::byte> raw, std::span<const Channel> channels);
  Result<void> CheckEnd(const SeriesEnd& end);
  void Advance(const ChunkHeader& header);

  ChunkReader chunks_;
  SeriesHead head_;
  ChannelNames names_;
  RecordColumns columns_;
  std::size_t text_bytes_ = 0;
  std::uint64_t last_time_ = 0;
  std::optional<SeriesEnd> end_;  // was read; it is not known yet whether bytes follow it
  SeriesOutcome outcome_;
};

// Calls `take` with each remaining record, for callers that do not need columns. The record has
// values for the channels known so far.
void ForEachRecord(SeriesReader& reader, const std::function<void(const SeriesRecord&)>& take);

}  // namespace tare::format
