// event_trace_fuzz.cc: reads arbitrary event traces, and arbitrary contents of their chunks.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "format/abstract_blocks.h"
#include "format/event_codec.h"
#include "format/event_reader.h"
#include "format/path_blocks.h"
#include "format/predicted_blocks.h"

namespace {

using namespace tare;
using namespace tare::format;

void ReadTrace(std::string_view input, bool skips) {
  auto reader = EventTraceReader::From(
      [input](std::uint64_t place, std::span<std::byte> to) -> Result<std::size_t> {
        const std::size_t count =
            place >= input.size() ? 0 : std::min<std::size_t>(to.size(), input.size() - place);
        if (count > 0) std::memcpy(to.data(), input.data() + place, count);
        return count;
      },
      "x");
  if (!reader) {
    CHECK(reader.error().kind == ErrorKind::kFormat && !reader.error().message.empty());
    return;
  }
  if (skips) reader->SkipBlocks();
  while (reader->Next()) continue;
  CHECK(reader->Outcome().complete || reader->Outcome().reason.starts_with("incomplete: "));
}

// What can be decoded can be encoded, and is then decoded to the same.
template <typename Encoder, typename Decoder>
void DecodeTwice(std::span<const std::byte> raw, const EventTables& tables) {
  BlockBatch batch;
  if (!Decoder().Decode(raw, tables, batch)) return;
  Encoder encoder;
  std::string again;
  if constexpr (requires { encoder.Learn(tables); }) encoder.Learn(tables);
  encoder.Encode(batch, again);
  BlockBatch decoded;
  CHECK(Decoder().Decode(std::as_bytes(std::span(again)), tables, decoded).has_value());
  CHECK(decoded == batch);
}

// Counting accepts what listing accepts, and counts as many blocks.
void CountAsListed(std::span<const std::byte> raw, const EventTables& tables) {
  BlockBatch batch;
  const auto listed = PathDecoder().Decode(raw, tables, batch);
  const std::size_t blocks = batch.blocks.size();
  PathDecoder decoder;
  const auto counted = decoder.Count(raw, blocks, tables, batch);
  CHECK(counted.has_value() == listed.has_value());
  std::uint64_t executions = batch.blocks.size();
  for (const std::uint64_t count : decoder.Executions()) executions += count;
  CHECK(!counted || (*counted == blocks && executions == blocks));
}

// Checksums keep a fuzzer away from the codecs, so they are also called directly.
void Decode(std::string_view input) {
  const auto raw = std::as_bytes(std::span(input.data(), input.size()));
  EventTables tables;
  for (std::uint32_t i = 0; i < 16; ++i) {
    TraceBlock block;
    block.address = 16 * i;
    block.code_bytes = 16;
    block.end = static_cast<BlockEnd>(i % 7);
    block.words = i % 3;
    tables.blocks.push_back(block);
  }
  tables.threads.resize(2);
  tables.sites.resize(2);
  DecodeTwice<AbstractEncoder, AbstractDecoder>(raw, tables);
  DecodeTwice<PredictedEncoder, PredictedDecoder>(raw, tables);
  DecodeTwice<PathEncoder, PathDecoder>(raw, tables);
  CountAsListed(raw, tables);
  std::vector<TimedEvent> timed;
  (void)DecodeTimed(raw, tables, timed);
  (void)DecodeTraceHead(raw);
  (void)DecodeTraceEnd(raw);
  if (const auto totals = DecodeBlockTotals(raw)) {
    const std::string again = EncodeBlockTotals(*totals);
    const auto decoded = DecodeBlockTotals(std::as_bytes(std::span(again)));
    CHECK(decoded.has_value() && *decoded == *totals);
  }
  (void)DecodeTables(raw, tables);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  ReadTrace(input, false);
  ReadTrace(input, true);
  Decode(input);
  return 0;
}
