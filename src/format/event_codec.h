// event_codec.h: the contents of an event trace's chunks: head, tables, blocks, timed events, end.
//
// docs/formats/event-trace.md documents the bytes. Decoding trusts no number and fails with
// kFormat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/chunk.h"
#include "format/event_trace.h"

namespace tare::format {

inline constexpr ChunkedFormat kEventTraceFormat = {{'t', 'a', 'r', 'e', 'e', 'v', 'n', 't'},
                                                    3,
                                                    "an event trace",
                                                    "it is not an event trace of tare"};

// A chunk has at most so many; more means a damaged file.
inline constexpr std::size_t kMaxBatchBlocks = 1u << 18;
inline constexpr std::size_t kMaxBatchWords = 3u << 18;
inline constexpr std::size_t kMaxBatchMarks = 1u << 15;
inline constexpr std::size_t kMaxTimedEvents = 1u << 17;

std::string EncodeTraceHead(const EventTraceHead& head);
Result<EventTraceHead> DecodeTraceHead(std::span<const std::byte> raw);

// Numbers of rows of each table.
struct TableSizes {
  std::size_t blocks = 0;
  std::size_t threads = 0;
  std::size_t sites = 0;
  std::size_t functions = 0;
  std::size_t block_functions = 0;

  friend bool operator==(const TableSizes&, const TableSizes&) = default;
};
TableSizes SizesOf(const EventTables& tables);

// The rows from `from` on. Sets `from` to what was encoded, which is not everything if it would not
// fit into a chunk.
std::string EncodeTables(const EventTables& tables, TableSizes& from);
// Appends the rows.
Result<void> DecodeTables(std::span<const std::byte> raw, EventTables& tables);

// Marks are encoded alike in all chunks of blocks. `blocks` is the number of blocks of the batch.
void EncodeMarks(const BlockBatch& batch, std::string& raw);
Result<void> DecodeMarks(class FieldReader& reader, std::uint64_t blocks, const EventTables& tables,
                         std::vector<BlockMark>& marks);

// Replaces `raw`.
void EncodeTimed(std::span<const TimedEvent> events, std::string& raw);
// Replaces the contents of `events`.
Result<void> DecodeTimed(std::span<const std::byte> raw, const EventTables& tables,
                         std::vector<TimedEvent>& events);

std::string EncodeBlockTotals(const BlockTotals& totals);
Result<BlockTotals> DecodeBlockTotals(std::span<const std::byte> raw);

std::string EncodeTraceEnd(const EventTraceEnd& end);
Result<EventTraceEnd> DecodeTraceEnd(std::span<const std::byte> raw);

// The size of events without compression: 4 bytes for a block, 8 for each word, 16 for a timed
// event.
std::uint64_t RawBytes(std::uint64_t blocks, std::uint64_t words, std::uint64_t timed);

}  // namespace tare::format
