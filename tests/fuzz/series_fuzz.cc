// series_fuzz.cc: reads arbitrary files of vertical traces. An input with the magic number is a
// file; any other is a list of chunks that get valid checksums, so that their contents are parsed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/check.h"
#include "format/series_reader.h"
#include "format/series_summary.h"

namespace {

using namespace tare;
using namespace tare::format;

// Kind, record count and length of a chunk, then its bytes before compression.
struct ForgedChunk {
  std::uint8_t kind;
  std::uint8_t records;
  std::uint8_t length;
};

std::string Forged(std::string_view input) {
  const Preamble preamble = MakePreamble(kSeriesFormat);
  std::string file(reinterpret_cast<const char*>(&preamble), sizeof preamble);
  ChunkChain chain{0, preamble.checksum};
  ChunkPacker packer;
  ByteReader reader(input);
  while (const auto forged = reader.Read<ForgedChunk>()) {
    const auto raw = reader.Take(std::min<std::size_t>(forged->length, reader.Remaining()));
    const auto chunk = packer.Pack(chain, ChunkKind{forged->kind}, forged->records, *raw);
    file.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
  }
  return file;
}

ChunkSource SourceOf(const std::string& file) {
  return [&file](std::uint64_t place, std::span<std::byte> to) -> Result<std::size_t> {
    if (place >= file.size()) return 0;
    const std::size_t count = std::min<std::size_t>(to.size(), file.size() - place);
    std::memcpy(to.data(), file.data() + place, count);
    return count;
  };
}

// Decoded data must survive a round trip.
void CheckAgain(const RecordColumns& columns) {
  RecordRows rows;
  rows.SetChannels(columns.Channels());
  std::vector<std::optional<std::int64_t>> values(columns.Channels());
  for (std::size_t i = 0; i < columns.Records(); ++i) {
    for (std::size_t c = 0; c < columns.Channels(); ++c) values[c] = columns.Value(i, c);
    rows.Add(columns.Times()[i], values);
  }
  std::vector<std::byte> raw;
  EncodeRecords(rows, raw);
  RecordColumns again;
  CHECK(DecodeRecords(raw, columns.Records(), columns.Channels(), again));
  CHECK(std::ranges::equal(again.Times(), columns.Times()));
  for (std::size_t c = 0; c < columns.Channels(); ++c) {
    CHECK(std::ranges::equal(again.Values(c), columns.Values(c)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool is_file =
      input.starts_with(std::string_view(kSeriesFormat.magic, sizeof kSeriesFormat.magic));
  const std::string file = is_file ? std::string(input) : Forged(input);

  auto reader = SeriesReader::From(SourceOf(file), "input");
  if (!reader) {
    CHECK(reader.error().kind == ErrorKind::kFormat && !reader.error().message.empty());
    return 0;
  }
  std::uint64_t records = 0;
  std::uint64_t last_time = 0;
  while (const RecordColumns* columns = reader->Next()) {
    CHECK(columns->Records() > 0 && columns->Channels() <= reader->Head().channels.size());
    CHECK(columns->Times().front() >= last_time);
    last_time = columns->Times().back();
    records += columns->Records();
    CheckAgain(*columns);
  }
  const SeriesOutcome& outcome = reader->Outcome();
  CHECK(outcome.records == records && outcome.bytes <= file.size());
  CHECK(outcome.complete == outcome.reason.empty());
  CHECK(!outcome.complete || (outcome.end && outcome.bytes == file.size()));
  CHECK(outcome.complete || outcome.reason.starts_with("incomplete: "));

  auto again = SeriesReader::From(SourceOf(file), "input");
  CHECK(again);
  const SeriesSummary summary = SummariseSeries(*again, {});
  CHECK(summary.records == records && summary.channels.size() == reader->Head().channels.size());
  for (const ChannelSummary& channel : summary.channels) {
    CHECK(channel.values + channel.missing == records);
    CHECK(channel.buckets.size() <= SeriesSummaryOptions{}.max_buckets);
  }
  return 0;
}
