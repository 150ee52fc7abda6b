// perf_records.cc: parses records as perf_event_open(2) describes them.
#include "measure/profile/perf_records.h"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <bit>

#include "base/byte_reader.h"

namespace tare::profile {
namespace {

// Behind every record but samples (sample_id_all): process and thread, time, processor, event.
constexpr std::size_t kTrailerBytes = 32;
constexpr std::uint64_t kMaxChain = 1024;

struct Header {
  std::uint32_t type;
  std::uint16_t misc;
  std::uint16_t size;
};
static_assert(sizeof(Header) == sizeof(perf_event_header));

Result<void> ReadSample(ByteReader& reader, const SampleLayout& layout, PerfRecord& record) {
  TRY(record.event, reader.Read<std::uint64_t>());
  TRY(record.address, reader.Read<std::uint64_t>());
  TRY(record.process, reader.Read<std::uint32_t>());
  TRY(record.thread, reader.Read<std::uint32_t>());
  TRY(record.time_ns, reader.Read<std::uint64_t>());
  if (layout.data_address) {
    TRY(record.data_address, reader.Read<std::uint64_t>());
  }
  TRY(record.processor, reader.Read<std::uint32_t>());
  TRY_VOID(reader.Take(sizeof(std::uint32_t)));
  if (layout.chain) {
    TRY(const auto count, reader.Read<std::uint64_t>());
    if (count > kMaxChain) return Fail(ErrorKind::kFormat, "a call chain is too long");
    record.chain.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      TRY(const auto address, reader.Read<std::uint64_t>());
      record.chain.push_back(address);
    }
  }
  if (layout.raw) {
    TRY(const auto size, reader.Read<std::uint32_t>());
    TRY(const auto bytes, reader.Take(size));
    record.raw.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (layout.registers != 0) {
    TRY(const auto abi, reader.Read<std::uint64_t>());
    if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
      const auto count = std::popcount(layout.registers);
      for (int i = 0; i < count; ++i) {
        TRY(const auto value, reader.Read<std::uint64_t>());
        record.registers.push_back(value);
      }
    }
  }
  if (layout.stack_bytes != 0) {
    TRY(const auto size, reader.Read<std::uint64_t>());
    TRY(const auto bytes, reader.Take(size));
    if (size != 0) {
      TRY(const auto used, reader.Read<std::uint64_t>());
      if (used > size) return Fail(ErrorKind::kFormat, "a copied stack is too long");
      record.stack.assign(reinterpret_cast<const char*>(bytes.data()), used);
    }
  }
  return {};
}

// Instead of device and inode.
Result<void> ReadBuildId(std::span<const std::byte> bytes, PerfRecord& record) {
  constexpr std::size_t kAt = 4;  // size, three bytes without meaning
  constexpr std::size_t kMaxBytes = 20;
  const auto size = std::to_integer<std::size_t>(bytes[0]);
  if (size > kMaxBytes) return Fail(ErrorKind::kFormat, "a build id is too long");
  for (const std::byte byte : bytes.subspan(kAt, size))
    record.build_id += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return {};
}

Result<void> ReadMapping(ByteReader& reader, bool has_build_id, PerfRecord& record) {
  TRY(record.process, reader.Read<std::uint32_t>());
  TRY(record.thread, reader.Read<std::uint32_t>());
  TRY(record.start, reader.Read<std::uint64_t>());
  TRY(record.bytes, reader.Read<std::uint64_t>());
  TRY(record.file_offset, reader.Read<std::uint64_t>());
  TRY(const auto file, reader.Take(24));  // device, inode
  if (has_build_id) TRY_VOID(ReadBuildId(file, record));
  TRY_VOID(reader.Take(8));  // protection
  TRY(const auto name, reader.ReadTerminatedText());
  record.name = name;
  return {};
}

Result<void> ReadCommand(ByteReader& reader, PerfRecord& record) {
  TRY(record.process, reader.Read<std::uint32_t>());
  TRY(record.thread, reader.Read<std::uint32_t>());
  TRY(const auto name, reader.ReadTerminatedText());
  record.name = name;
  return {};
}

Result<void> ReadFork(ByteReader& reader, PerfRecord& record) {
  TRY(record.process, reader.Read<std::uint32_t>());
  TRY(record.parent_process, reader.Read<std::uint32_t>());
  TRY(record.thread, reader.Read<std::uint32_t>());
  return {};
}

Result<void> ReadLost(ByteReader& reader, bool has_event, PerfRecord& record) {
  if (has_event) TRY_VOID(reader.Take(sizeof(std::uint64_t)));
  TRY(record.lost, reader.Read<std::uint64_t>());
  return {};
}

}  // namespace

std::size_t RecordBytes(std::span<const std::byte> bytes) {
  const auto header = ByteReader(bytes).Read<Header>();
  if (!header || header->size < sizeof(Header) || header->size > bytes.size()) return 0;
  return header->size;
}

Result<PerfRecord> ParseRecord(std::span<const std::byte> bytes, const SampleLayout& layout) {
  ByteReader reader(bytes);
  TRY(const auto header, reader.Read<Header>());
  PerfRecord record;
  if (header.type != PERF_RECORD_SAMPLE && bytes.size() >= sizeof(Header) + kTrailerBytes) {
    ByteReader trailer(bytes.subspan(bytes.size() - kTrailerBytes));
    TRY(record.process, trailer.Read<std::uint32_t>());
    TRY(record.thread, trailer.Read<std::uint32_t>());
    TRY(record.time_ns, trailer.Read<std::uint64_t>());
    TRY(record.processor, trailer.Read<std::uint32_t>());
  }
  switch (header.type) {
    case PERF_RECORD_SAMPLE:
      record.kind = RecordKind::kSample;
      record.in_kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
      TRY_VOID(ReadSample(reader, layout, record));
      break;
    case PERF_RECORD_MMAP2:
      record.kind = RecordKind::kMapping;
      TRY_VOID(ReadMapping(reader, (header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0, record));
      break;
    case PERF_RECORD_COMM:
      record.kind = RecordKind::kCommand;
      record.is_exec = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
      TRY_VOID(ReadCommand(reader, record));
      break;
    case PERF_RECORD_FORK:
      record.kind = RecordKind::kFork;
      TRY_VOID(ReadFork(reader, record));
      break;
    case PERF_RECORD_LOST:
      record.kind = RecordKind::kLost;
      TRY_VOID(ReadLost(reader, true, record));
      break;
    case PERF_RECORD_LOST_SAMPLES:
      record.kind = RecordKind::kLost;
      TRY_VOID(ReadLost(reader, false, record));
      break;
    case PERF_RECORD_SWITCH:
      record.kind = RecordKind::kSwitch;
      record.leaves = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
      record.preempted = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      break;
    case PERF_RECORD_THROTTLE:
      record.kind = RecordKind::kThrottle;
      break;
    default:
      break;
  }
  return record;
}

}  // namespace tare::profile
