// process_text.h: parses the files of /proc/PID; see proc(5).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tare::sample {

// Sums over all threads of the process, including ended ones. "waited": of children that it has
// waited for.
struct ProcessStat {
  char state = '?';  // 'Z': zombie
  std::uint64_t minor_faults = 0;
  std::uint64_t waited_minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t waited_major_faults = 0;
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t waited_user_ticks = 0;
  std::uint64_t waited_system_ticks = 0;
  std::uint64_t threads = 0;
  std::uint64_t resident_pages = 0;
};

// Parses /proc/PID/stat. The program's name is not quoted, so it may contain parentheses, spaces
// and newlines. Absent if the text is truncated or not such a file.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// Calls and bytes of read and write system calls: files, pipes and sockets alike.
struct ProcessIo {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t read_calls = 0;
  std::uint64_t write_calls = 0;
  std::uint64_t storage_read_bytes = 0;  // from the storage device
  std::uint64_t storage_written_bytes = 0;
};

// Parses /proc/PID/io. Absent if a field is missing.
std::optional<ProcessIo> ParseProcessIo(std::string_view text);

struct Switches {
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
};

// Parses /proc/PID/task/TID/status. Absent if a field is missing.
std::optional<Switches> ParseSwitches(std::string_view text);

}  // namespace tare::sample
