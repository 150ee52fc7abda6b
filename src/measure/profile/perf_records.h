// perf_records.h: the records that the kernel writes into the ring of a sampling event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::profile {

// What each sample contains besides its address, thread, time, processor and event.
struct SampleLayout {
  bool data_address = false;
  bool chain = false;
  bool raw = false;             // data of a tracepoint
  std::uint64_t registers = 0;  // mask of user registers; 0: none
  std::uint32_t stack_bytes = 0;
};

enum class RecordKind {
  kSample,
  kMapping,
  kCommand,
  kFork,
  kExit,
  kLost,
  kThrottle,
  kSwitch,
  kOther,
};

// One record; which members are set depends on the kind. Numbers are those of
// perf_event_open(2).
struct PerfRecord {
  RecordKind kind = RecordKind::kOther;
  std::uint64_t time_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  // Sample.
  std::uint64_t event = 0;  // identifier of the event
  std::uint64_t address = 0;
  std::uint64_t data_address = 0;
  bool in_kernel = false;
  std::vector<std::uint64_t> chain;      // with the kernel's context markers
  std::vector<std::uint64_t> registers;  // in the order of the mask; empty where there are none
  std::string stack;                     // copied user stack
  std::string raw;
  // Sample and switch.
  std::uint32_t processor = 0;
  // Switch: the thread leaves its processor; because another one takes it.
  bool leaves = false;
  bool preempted = false;
  // Mapping.
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::uint64_t file_offset = 0;
  std::string build_id;  // in hexadecimal digits; empty where the kernel found none
  // Mapping: path. Command: name of the thread.
  std::string name;
  bool is_exec = false;  // command: by execve
  // Fork.
  std::uint32_t parent_process = 0;
  // Lost.
  std::uint64_t lost = 0;
};

// The size of the record at the start of `bytes`, header included; 0 if there is none.
std::size_t RecordBytes(std::span<const std::byte> bytes);

// Parses one whole record. Fails (kFormat) on impossible lengths.
Result<PerfRecord> ParseRecord(std::span<const std::byte> bytes, const SampleLayout& layout);

}  // namespace tare::profile
