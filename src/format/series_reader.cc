// series_reader.cc: reads one chunk after another and checks each before using it.
#include "format/series_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/printable.h"

namespace tare::format {
namespace {

// Memory is allocated at most this far ahead of the bytes read, so that a damaged length is
// harmless.
constexpr std::size_t kStep = 1u << 20;

std::unexpected<Error> DamagedSeries(std::string message) {
  return Fail(ErrorKind::kFormat, std::move(message));
}

Result<std::size_t> ReadAt(const Descriptor& file, const std::filesystem::path& path,
                           std::uint64_t place, std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(file.Number(), to.data() + done, to.size() - done,
                                static_cast<off_t>(place + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(SystemError("read", path, errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

Result<SeriesReader> SeriesReader::Open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO without a writer must not block.
  auto file = std::make_shared<Descriptor>(
      Descriptor::AboveStandard(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  struct stat about{};
  if (!file->IsOpen() || ::fstat(file->Number(), &about) != 0) {
    return std::unexpected(SystemError("read", path, errno));
  }
  if (S_ISDIR(about.st_mode)) return std::unexpected(SystemError("read", path, EISDIR));
  if (!S_ISREG(about.st_mode)) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot read {}: it is not a regular file", Printable(path.string())));
  }
  return From([file, path](std::uint64_t place,
                           std::span<std::byte> to) { return ReadAt(*file, path, place, to); },
              path.string());
}

Result<SeriesReader> SeriesReader::From(SeriesSource source, const std::string& name) {
  SeriesReader reader(std::move(source));
  if (auto read = reader.ReadHead(); !read) {
    return Fail(read.error().kind,
                read.error().kind == ErrorKind::kFormat
                    ? fmt::format("cannot read {}: {}", Printable(name), read.error().message)
                    : read.error().message);
  }
  return reader;
}

Result<void> SeriesReader::ReadHead() {
  SeriesPreamble preamble{};
  TRY(const auto got, source_(0, std::as_writable_bytes(std::span(&preamble, 1))));
  const std::size_t magic = std::min(got, sizeof kSeriesMagic);
  if (got < sizeof preamble && std::memcmp(preamble.magic, kSeriesMagic, magic) == 0) {
    return DamagedSeries(fmt::format("incomplete: truncated at byte {}, inside its header", got));
  }
  TRY(chain_, ReadPreamble(preamble));
  outcome_.bytes = sizeof preamble;
  TRY(const auto chunk, ReadChunk());
  if (chunk.header.kind != static_cast<std::uint32_t>(ChunkKind::kHead)) {
    return DamagedSeries("incomplete: its first chunk is not a header");
  }
  TRY(head_, DecodeHead(chunk.raw));
  TRY_VOID(TakeText(chunk.raw, head_.channels));
  Advance(chunk.header);
  return {};
}

// Changes no state on failure, because the read may succeed when the file has grown.
Result<SeriesReader::Chunk> SeriesReader::ReadChunk() {
  ChunkHeader header{};
  const std::uint64_t place = outcome_.bytes;
  TRY(const auto got, source_(place, std::as_writable_bytes(std::span(&header, 1))));
  if (got == 0) {
    return DamagedSeries(
        fmt::format("incomplete: it stops at byte {} without an end record: it is still being "
                    "written, its writer was killed, or it was truncated",
                    place));
  }
  const auto cut = [&](std::uint64_t at) {
    return DamagedSeries(
        fmt::format("incomplete: truncated at byte {}, inside chunk {}", at, chain_.number));
  };
  if (got < sizeof header) return cut(place + got);
  if (header.number != chain_.number || header.stored_bytes > kMaxStoredBytes) {
    return DamagedSeries(fmt::format("incomplete: chunk {} at byte {} is damaged or misplaced",
                                     chain_.number, place));
  }
  stored_.clear();
  while (stored_.size() < header.stored_bytes) {
    const std::size_t have = stored_.size();
    stored_.resize(std::min<std::size_t>(header.stored_bytes, have + kStep));
    const auto room = std::span(stored_).subspan(have);
    TRY(const auto more, source_(place + sizeof header + have, room));
    if (more < room.size()) return cut(place + sizeof header + have + more);
  }
  if (header.checksum != ChunkChecksum(chain_, header, stored_)) {
    return DamagedSeries(fmt::format("incomplete: the checksum of chunk {} at byte {} is wrong",
                                     chain_.number, place));
  }
  auto raw = unpacker_.Unpack(header, stored_);
  if (!raw) return DamagedChunk(raw.error());
  return Chunk{header, *raw};
}

std::unexpected<Error> SeriesReader::DamagedChunk(const Error& error) const {
  return DamagedSeries(fmt::format("incomplete: chunk {} at byte {} is damaged: {}", chain_.number,
                                   outcome_.bytes, error.message));
}

void SeriesReader::Advance(const ChunkHeader& header) {
  chain_ = {chain_.number + 1, header.checksum};
  outcome_.bytes += sizeof header + header.stored_bytes;
  ++outcome_.chunks;
}

Result<void> SeriesReader::TakeText(std::span<const std::byte> raw,
                                    std::span<const Channel> channels) {
  if (raw.size() > kMaxSeriesTextBytes - text_bytes_) {
    return DamagedSeries("its names and facts are too long");
  }
  if (const auto added = names_.Add(channels); !added) return DamagedSeries(added.error().message);
  text_bytes_ += raw.size();
  return {};
}

Result<void> SeriesReader::TakeRecords(const Chunk& chunk) {
  TRY_VOID(DecodeRecords(chunk.raw, chunk.header.records, head_.channels.size(), columns_));
  const auto times = columns_.Times();
  if (times.front() < last_time_ || !std::ranges::is_sorted(times)) {
    return DamagedSeries("its times decrease");
  }
  last_time_ = times.back();
  outcome_.records += times.size();
  return {};
}

Result<void> SeriesReader::TakeChannels(const Chunk& chunk) {
  TRY(auto more, DecodeChannels(chunk.raw));
  TRY_VOID(TakeText(chunk.raw, more));
  std::ranges::move(more, std::back_inserter(head_.channels));
  return {};
}

Result<void> SeriesReader::TakeEnd(const Chunk& chunk) {
  TRY(auto stored, DecodeEnd(chunk.raw));
  TRY_VOID(TakeText(chunk.raw, {}));
  if (stored.records != outcome_.records) {
    return DamagedSeries(
        fmt::format("it states {} records, but there are {}", stored.records, outcome_.records));
  }
  end_ = std::move(stored.end);
  return {};
}

Result<void> SeriesReader::Take(const Chunk& chunk) {
  switch (ChunkKind{chunk.header.kind}) {
    case ChunkKind::kRecords:
      return TakeRecords(chunk);
    case ChunkKind::kChannels:
      return TakeChannels(chunk);
    case ChunkKind::kEnd:
      return TakeEnd(chunk);
    case ChunkKind::kHead:
      break;
  }
  return DamagedSeries("it has an unknown kind");
}

// Bytes after the end were not written by tare.
Result<void> SeriesReader::CheckEnd(const SeriesEnd& end) {
  std::byte more{};
  TRY(const auto got, source_(outcome_.bytes, std::span(&more, 1)));
  if (got > 0) {
    return DamagedSeries(
        fmt::format("incomplete: there are bytes after its end at byte {}", outcome_.bytes));
  }
  outcome_.end = end;
  outcome_.complete = end.dropped == 0;
  if (!outcome_.complete) {
    outcome_.reason = fmt::format("incomplete: {} records were dropped: {}", end.dropped,
                                  end.loss.empty() ? "reason unknown" : Printable(end.loss));
  }
  return {};
}

Result<bool> SeriesReader::TakeNext() {
  TRY(const auto chunk, ReadChunk());
  if (auto taken = Take(chunk); !taken) return DamagedChunk(taken.error());
  Advance(chunk.header);
  return chunk.header.kind == static_cast<std::uint32_t>(ChunkKind::kRecords);
}

const RecordColumns* SeriesReader::Next() {
  outcome_.reason.clear();
  while (!end_) {
    const auto are_records = TakeNext();
    if (!are_records) {
      const Error& error = are_records.error();
      outcome_.reason = (error.kind == ErrorKind::kIo ? "incomplete: " : "") + error.message;
      return nullptr;
    }
    if (*are_records) return &columns_;
  }
  if (const auto ended = CheckEnd(*end_); !ended) outcome_.reason = ended.error().message;
  return nullptr;
}

void ForEachRecord(SeriesReader& reader, const std::function<void(const SeriesRecord&)>& take) {
  SeriesRecord record;
  while (const RecordColumns* columns = reader.Next()) {
    record.values.resize(columns->Channels());
    for (std::size_t i = 0; i < columns->Records(); ++i) {
      record.time = columns->Times()[i];
      for (std::size_t c = 0; c < columns->Channels(); ++c) {
        record.values[c] = columns->Value(i, c);
      }
      take(record);
    }
  }
}

}  // namespace tare::format
