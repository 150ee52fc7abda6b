// series_reader.h: the records of a vertical trace, from a file that may be cut, damaged or
// growing.
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
#include "format/series.h"
#include "format/series_chunk.h"
#include "format/series_codec.h"

namespace tare::format {

// Bytes from `place` on into `to`; how many, fewer only where the file ends.
using SeriesSource =
    std::function<Result<std::size_t>(std::uint64_t place, std::span<std::byte> to)>;

// How the file ended, or how far it can be read.
struct SeriesOutcome {
  bool complete = false;  // sealed, and no record was lost
  // Why it is not complete: one sentence that begins with "incomplete: ", without a full stop.
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t chunks = 0;      // whole ones, the head included
  std::uint64_t bytes = 0;       // of these
  std::optional<SeriesEnd> end;  // only of a sealed file; one that lost records can have it too
};

// Reads chunk by chunk: memory does not grow with the file. What it gives is exactly what the whole
// chunks before the first damage hold.
class SeriesReader {
 public:
  // Fails for what is no series, another version, or cut before its head was whole. Regular files
  // only.
  static Result<SeriesReader> Open(const std::filesystem::path& path);
  // `name` is for messages.
  static Result<SeriesReader> From(SeriesSource source, const std::string& name);

  // Channels that were added later are there once their place has been read.
  const SeriesHead& Head() const { return head_; }

  // The next records, valid until the next call; nullptr: no more, see Outcome(). A chunk knows the
  // channels that there were when it was written, which are the first ones of Head().
  // A file that still grows can be asked again after nullptr: it goes on behind the last whole
  // chunk.
  const RecordColumns* Next();

  // After Next() has given nullptr.
  const SeriesOutcome& Outcome() const { return outcome_; }

 private:
  struct Chunk {
    ChunkHeader header;
    std::span<const std::byte> raw;
  };

  explicit SeriesReader(SeriesSource source) : source_(std::move(source)) {}

  Result<void> ReadHead();
  Result<Chunk> ReadChunk();
  Result<bool> TakeNext();
  Result<void> Take(const Chunk& chunk);
  Result<void> TakeRecords(const Chunk& chunk);
  Result<void> TakeChannels(const Chunk& chunk);
  Result<void> TakeEnd(const Chunk& chunk);
  Result<void> TakeText(std::span<const std::byte> raw, std::span<const Channel> channels);
  Result<void> CheckEnd(const SeriesEnd& end);
  void Advance(const ChunkHeader& header);
  std::unexpected<Error> DamagedChunk(const Error& error) const;

  SeriesSource source_;
  SeriesHead head_;
  ChannelNames names_;
  ChunkChain chain_;
  ChunkUnpacker unpacker_;
  std::vector<std::byte> stored_;
  RecordColumns columns_;
  std::size_t text_bytes_ = 0;
  std::uint64_t last_time_ = 0;
  std::optional<SeriesEnd> end_;  // read; whether anything is behind it is not known yet
  SeriesOutcome outcome_;
};

// Every record of the rest, one after another, for those who need no columns. `take` gets the
// record's values for the channels known so far.
void ForEachRecord(SeriesReader& reader, const std::function<void(const SeriesRecord&)>& take);

}  // namespace tare::format
