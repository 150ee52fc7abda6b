// recording.cc: parses a recording and checks every number before using it.
#include "format/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/byte_reader.h"

namespace tare::format {
namespace {

// No engine writes more. The limit keeps a damaged size from exhausting memory.
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxBanks = 65536;

std::unexpected<Error> DamagedRecording(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("recording: {}", what));
}

Result<tare_wire_header> ReadHeader(const RecordingSource& source) {
  tare_wire_header header;
  if (source.bytes < TARE_WIRE_HEADER_BYTES ||
      !source.read(0, std::as_writable_bytes(std::span(&header, 1)))) {
    return DamagedRecording("too short for a header");
  }
  if (header.magic != TARE_WIRE_MAGIC) return DamagedRecording("not a recording of an engine");
  if (header.version != TARE_WIRE_VERSION) {
    return DamagedRecording(fmt::format("it has version {}; this tare reads version {}",
                                        header.version, TARE_WIRE_VERSION));
  }
  if (header.engine < TARE_WIRE_VALGRIND || header.engine > TARE_WIRE_STEP) {
    return DamagedRecording(fmt::format("unknown engine {}", header.engine));
  }
  if (header.state > TARE_WIRE_REPLACED) {
    return DamagedRecording(fmt::format("unknown state {}", header.state));
  }
  const std::uint64_t room = source.bytes - TARE_WIRE_HEADER_BYTES;
  if (header.records_bytes > room || header.used > header.records_bytes ||
      header.used > kMaxRecordBytes || header.inherited_used > header.used) {
    return DamagedRecording("its records extend past its end");
  }
  if (header.banks_used > header.banks || header.banks > kMaxBanks ||
      header.blocks > header.bank_blocks || header.inherited_blocks > header.blocks ||
      header.blocks > header.used / sizeof(tare_wire_block)) {
    return DamagedRecording("it has more counters than room for them");
  }
  const std::uint64_t pair = sizeof(tare_wire_counters);
  const std::uint64_t banks_room = (room - header.records_bytes) / pair;
  if (header.banks != 0 && header.bank_blocks > banks_room / header.banks) {
    return DamagedRecording("its counters extend past its end");
  }
  return header;
}

Result<std::string> ReadRange(const RecordingSource& source, std::uint64_t from, std::uint64_t to) {
  std::string bytes(to - from, '\0');
  if (!source.read(TARE_WIRE_HEADER_BYTES + from, std::as_writable_bytes(std::span(bytes)))) {
    return DamagedRecording("its records cannot be read");
  }
  return bytes;
}

// A child's file has a hole in place of the records that it shares with its parent.
Result<std::string> ReadRecords(const RecordingSource& source, const tare_wire_header& header,
                                std::span<const RecordingSource> ancestors) {
  std::string bytes;
  if (header.inherited_used > 0) {
    if (ancestors.empty()) return DamagedRecording("the recording of its parent is missing");
    TRY(const auto parent, ReadHeader(ancestors.front()));
    if (parent.used < header.inherited_used)
      return DamagedRecording("its parent's recording is shorter");
    tare_wire_header part = parent;
    part.used = header.inherited_used;
    part.inherited_used = std::min(part.inherited_used, part.used);
    TRY(bytes, ReadRecords(ancestors.front(), part, ancestors.subspan(1)));
  }
  TRY(const auto own, ReadRange(source, header.inherited_used, header.used));
  return bytes + own;
}

Result<std::vector<tare_wire_counters>> ReadCounters(const RecordingSource& source,
                                                     const tare_wire_header& header) {
  std::vector<tare_wire_counters> sums(header.blocks, {0, 0});
  std::vector<tare_wire_counters> bank(header.blocks);
  for (std::uint64_t i = 0; i < header.banks_used && header.blocks > 0; ++i) {
    if (!source.read(tare_wire_bank_place(&header, i), std::as_writable_bytes(std::span(bank)))) {
      return DamagedRecording("its counters cannot be read");
    }
    for (std::size_t block = 0; block < bank.size(); ++block) {
      sums[block].executions += bank[block].executions;
      sums[block].second += bank[block].second;
    }
  }
  return sums;
}

Result<MappedObject> ReadObject(ByteReader& reader) {
  TRY(const auto object, reader.Read<tare_wire_object>());
  TRY(const auto path, reader.ReadTerminatedText());
  if (object.start >= object.end) return DamagedRecording("an empty mapping");
  return MappedObject{object.start,  object.end,   object.offset,
                      object.device, object.inode, std::string(path)};
}

// The last recorded mapping that contains the address, because it may have replaced an older one.
std::optional<std::size_t> ObjectAt(const std::vector<MappedObject>& objects,
                                    std::uint64_t address) {
  for (std::size_t i = objects.size(); i-- > 0;) {
    if (address >= objects[i].start && address < objects[i].end) return i;
  }
  return std::nullopt;
}

Result<void> ReadBlock(ByteReader& reader, std::uint64_t number, const tare_wire_counters& counters,
                       Recording& recording) {
  TRY(const auto wire, reader.Read<tare_wire_block>());
  TRY(const auto code, reader.Take(wire.code_bytes));
  // A repeated instruction may be reached in one block and iterate in another.
  if (counters.executions == 0 && counters.second == 0) return {};
  Block block;
  block.number = number;
  block.address = wire.address;
  block.code.assign(code.begin(), code.end());
  block.instructions = wire.instructions;
  block.object = ObjectAt(recording.objects, wire.address);
  block.conditional = (wire.flags & TARE_WIRE_CONDITIONAL) != 0;
  block.repeated = (wire.flags & TARE_WIRE_REPEATED) != 0;
  block.executions = counters.executions;
  block.second = counters.second;
  recording.blocks.push_back(std::move(block));
  return {};
}

Result<void> ReadBody(std::string_view records, const tare_wire_header& header,
                      std::span<const tare_wire_counters> counters, Recording& recording) {
  std::size_t position = 0;
  std::size_t blocks = 0;
  std::size_t inherited_blocks = 0;
  while (position < records.size()) {
    ByteReader head(records.substr(position));
    TRY(const auto record, head.Read<tare_wire_record>());
    if (record.size < sizeof record || record.size % 8 != 0 ||
        record.size > records.size() - position) {
      return DamagedRecording(fmt::format("a record of {} bytes at {}", record.size, position));
    }
    ByteReader body(records.substr(position, record.size));
    if (record.kind == TARE_WIRE_OBJECT) {
      TRY(auto object, ReadObject(body));
      recording.objects.push_back(std::move(object));
    } else if (record.kind == TARE_WIRE_BLOCK) {
      if (blocks >= counters.size()) return DamagedRecording("more blocks than its header states");
      TRY_VOID(ReadBlock(body, blocks, counters[blocks], recording));
      ++blocks;
      if (position < header.inherited_used) ++inherited_blocks;
    } else if (record.kind != TARE_WIRE_FLOW) {  // flow_reader.h reads those
      return DamagedRecording(fmt::format("a record of unknown kind {}", record.kind));
    }
    position += record.size;
  }
  // Otherwise the counters would be assigned to the wrong blocks.
  if (inherited_blocks != header.inherited_blocks) {
    return DamagedRecording(fmt::format("{} blocks are inherited, but its header states {}",
                                        inherited_blocks, header.inherited_blocks));
  }
  return {};
}

}  // namespace

Result<Recording> ParseRecording(const RecordingSource& source,
                                 std::span<const RecordingSource> ancestors) {
  TRY(const auto header, ReadHeader(source));
  TRY(const auto records, ReadRecords(source, header, ancestors));
  TRY(const auto counters, ReadCounters(source, header));
  Recording recording;
  recording.engine = static_cast<tare_wire_engine>(header.engine);
  recording.machine = static_cast<std::uint16_t>(header.architecture);
  recording.state = static_cast<tare_wire_state>(header.state);
  recording.process = header.process;
  recording.parent_process = header.parent_process;
  recording.generation = header.generation;
  recording.has_region = header.has_region != 0;
  recording.region_entries = header.region_entries;
  recording.threads = header.threads;
  recording.lost_blocks = header.lost_blocks;
  recording.lost_threads = header.lost_threads;
  recording.lost_children = header.lost_children;
  if (header.sees_transfers != 0)
    recording.partial_transfers = {header.partial_transfers, header.partial_squares};
  TRY_VOID(ReadBody(records, header, counters, recording));
  return recording;
}

}  // namespace tare::format
