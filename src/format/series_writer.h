// series_writer.h: writes the file of a vertical trace while the program runs.
//
// The file exists under its name from Create() on, with its complete head: if the writer is killed,
// everything that was flushed can be read. Without Close() the file stays incomplete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/chunk.h"
#include "format/growing_file.h"
#include "format/series.h"
#include "format/series_codec.h"

namespace tare::format {

// A chunk is written at the latest when this much time has passed since the previous one.
inline constexpr std::uint64_t kFlushAfterNs = 100'000'000;

// Not thread-safe.
class SeriesWriter {
 public:
  // Writes the head to a temporary file next to `path`, which then replaces `path`: a failure
  // leaves an existing file unchanged. Devices and pipes are written in place. Fails on
  // directories, on more than kMaxChannels channels and on duplicate names.
  static Result<SeriesWriter> Create(const std::filesystem::path& path, const SeriesHead& head);

  // The same, but the file gets its name only when Close() succeeds; until then, and without
  // Close(), an existing file stays. Regular files only.
  static Result<SeriesWriter> CreateUnseen(const std::filesystem::path& path,
                                           const SeriesHead& head);

  // `values` has one element per channel. Never fails: records that cannot be written are counted,
  // and Close() reports them. A record with an earlier time than the last one is dropped.
  void Append(std::uint64_t time, std::span<const std::optional<std::int64_t>> values);
  void Append(const SeriesRecord& record) { Append(record.time, record.values); }

  // Adds channels after the existing ones; later records have values for them, too. Fails for names
  // and numbers as Create() does, without changing anything.
  Result<void> AddChannels(std::span<const Channel> more);

  // Writes the buffered records.
  void Flush();

  // Flushes if kFlushAfterNs have passed since the last chunk; `now_ns` is from any steady clock.
  // Call it after each record and while no records arrive.
  void FlushIfDue(std::uint64_t now_ns);

  // Ok, or the first write error. After an error every record is dropped.
  Result<void> Status() const;

  std::size_t Channels() const { return names_.Count(); }
  // Size of the file so far, without buffered records.
  std::uint64_t Bytes() const { return file_.Bytes(); }

  // Seals the file. Adds the records dropped by this writer to `end.dropped`. Fails if records were
  // lost to a write error; the file is still sealed if possible, can be opened, and states how many
  // records are missing. No other function may be called afterwards.
  Result<void> Close(const SeriesEnd& end);

 private:
  struct Written {
    std::uint64_t place;
    std::uint64_t records;
    ChunkChain chain;
  };

  explicit SeriesWriter(GrowingFile file) : file_(std::move(file)) {}

  static Result<SeriesWriter> Begin(Result<GrowingFile> file, const SeriesHead& head);
  bool Write(ChunkKind kind, std::size_t records, std::span<const std::byte> raw);
  bool StepBack();
  Result<void> Seal(const SeriesEnd& end);

  GrowingFile file_;
  ChunkChain chain_;
  ChunkPacker packer_;
  ChannelNames names_;
  std::size_t text_bytes_ = 0;
  RecordRows rows_;
  std::vector<std::byte> raw_;
  std::vector<Written> lately_;  // the last chunks, removed if the end needs their space
  std::uint64_t appended_ = 0;
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
  std::optional<std::uint64_t> last_time_;
  std::optional<std::uint64_t> last_flush_ns_;
  std::optional<Error> error_;
};

}  // namespace tare::format
