// series_writer.h: fills the file of a vertical trace while the program runs.
//
// The file is there under its name from Create() on, with its whole head: whenever the writer is
// killed, what was flushed before can be read. Without Close() it stays incomplete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/series.h"
#include "format/series_chunk.h"
#include "format/series_codec.h"
#include "format/series_file.h"

namespace tare::format {

// A chunk is written when this much time has passed since the one before.
inline constexpr std::uint64_t kFlushAfterNs = 100'000'000;

// One thread at a time.
class SeriesWriter {
 public:
  // The head is written to a temporary file beside `path`, which then takes the place of what was
  // there: a failure leaves an earlier file as it was. Devices and pipes are written in place.
  // Fails for directories, more than kMaxChannels, names that are not unique.
  static Result<SeriesWriter> Create(const std::filesystem::path& path, const SeriesHead& head);

  // The same, but the file takes its name only when Close() has succeeded; until then, and without
  // Close(), what was there before stays. Regular files only.
  static Result<SeriesWriter> CreateUnseen(const std::filesystem::path& path,
                                           const SeriesHead& head);

  // `values` has an element for each channel. Never fails: what cannot be written is counted and
  // told by Close(). A record whose time is before that of the last one is dropped.
  void Append(std::uint64_t time, std::span<const std::optional<std::int64_t>> values);
  void Append(const SeriesRecord& record) { Append(record.time, record.values); }

  // Channels behind those there are; records from now on have values for them too. Fails as
  // Create() does for names and numbers, and changes nothing then.
  Result<void> AddChannels(std::span<const Channel> more);

  // Writes what is buffered.
  void Flush();

  // The same when kFlushAfterNs have passed since the last chunk; `now_ns` is any steady clock.
  // Call it after each record and while none comes.
  void FlushIfDue(std::uint64_t now_ns);

  // Ok, or the first error of writing: from then on every record is dropped.
  Result<void> Status() const;

  std::size_t Channels() const { return names_.Count(); }
  // Bytes of the file so far, without what is buffered.
  std::uint64_t Bytes() const { return file_.Bytes(); }

  // Seals the file. `end.dropped` grows by what this writer dropped. Fails when records were lost
  // to a write error; the file then is sealed all the same where that is possible, opens, and tells
  // how many are missing. Nothing may be called afterwards.
  Result<void> Close(const SeriesEnd& end);

 private:
  struct Written {
    std::uint64_t place;
    std::uint64_t records;
    ChunkChain chain;
  };

  explicit SeriesWriter(SeriesFile file) : file_(std::move(file)) {}

  static Result<SeriesWriter> Begin(Result<SeriesFile> file, const SeriesHead& head);
  bool Write(ChunkKind kind, std::size_t records, std::span<const std::byte> raw);
  bool StepBack();
  Result<void> Seal(const SeriesEnd& end);

  SeriesFile file_;
  ChunkChain chain_;
  ChunkPacker packer_;
  ChannelNames names_;
  std::size_t text_bytes_ = 0;
  RecordRows rows_;
  std::vector<std::byte> raw_;
  std::vector<Written>
      lately_;  // the last chunks of records, given up when the end needs their place
  std::uint64_t appended_ = 0;
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
  std::optional<std::uint64_t> last_time_;
  std::optional<std::uint64_t> last_flush_ns_;
  std::optional<Error> error_;
};

}  // namespace tare::format
