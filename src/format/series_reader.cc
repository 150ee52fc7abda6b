// series_reader.cc: decodes chunks and checks that their records fit together.
#include "format/series_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"

namespace tare::format {
namespace {

std::unexpected<Error> DamagedSeries(std::string message) {
  return Fail(ErrorKind::kFormat, std::move(message));
}

}  // namespace

Result<SeriesReader> SeriesReader::Open(const std::filesystem::path& path) {
  TRY(auto source, OpenChunkSource(path));
  return From(std::move(source), path.string());
}

Result<SeriesReader> SeriesReader::From(ChunkSource source, const std::string& name) {
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
  TRY_VOID(chunks_.ReadStart(kSeriesFormat));
  TRY(const auto chunk, chunks_.Read());
  if (chunk.header.kind != static_cast<std::uint32_t>(ChunkKind::kHead)) {
    return DamagedSeries("incomplete: its first chunk is not a header");
  }
  TRY(head_, DecodeHead(chunk.raw));
  TRY_VOID(TakeText(chunk.raw, head_.channels));
  Advance(chunk.header);
  return {};
}

void SeriesReader::Advance(const ChunkHeader& header) {
  chunks_.Advance(header);
  outcome_.chunks = chunks_.chunks();
  outcome_.bytes = chunks_.bytes();
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
    default:
      break;
  }
  return DamagedSeries("it has an unknown kind");
}

// Bytes after the end were not written by tare.
Result<void> SeriesReader::CheckEnd(const SeriesEnd& end) {
  TRY_VOID(chunks_.CheckEnd());
  outcome_.end = end;
  outcome_.complete = end.dropped == 0;
  if (!outcome_.complete) {
    outcome_.reason = fmt::format("incomplete: {} records were dropped: {}", end.dropped,
                                  end.loss.empty() ? "reason unknown" : Printable(end.loss));
  }
  return {};
}

Result<bool> SeriesReader::TakeNext() {
  TRY(const auto chunk, chunks_.Read());
  if (auto taken = Take(chunk); !taken) return chunks_.DamagedChunk(taken.error());
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
