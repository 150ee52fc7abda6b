// event_trace_fuzz.cc: reads arbitrary event traces, and arbitrary contents of their chunks.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "format/abstract_blocks.h"
#include "format/event_codec.h"
#include "format/event_reader.h"
#include "format/predicted_blocks.h"

namespace {

using namespace tare;
using namespace tare::format;

void ReadTrace(std::string_view input) {
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
  encoder.Learn(tables);
  encoder.Encode(batch, again);
  BlockBatch decoded;
  CHECK(Decoder().Decode(std::as_bytes(std::span(again)), tables, decoded).has_value());
  CHECK(decoded == batch);
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
  BlockBatch batch;
  (void)DecodeBlocks(raw, tables, batch);
  DecodeTwice<AbstractEncoder, AbstractDecoder>(raw, tables);
  DecodeTwice<PredictedEncoder, PredictedDecoder>(raw, tables);
  std::vector<TimedEvent> timed;
  (void)DecodeTimed(raw, tables, timed);
  (void)DecodeTraceHead(raw);
  (void)DecodeTraceEnd(raw);
  (void)DecodeTables(raw, tables);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  ReadTrace(input);
  Decode(input);
  return 0;
}
