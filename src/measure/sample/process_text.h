// process_text.h: what the kernel tells of a process in files under /proc/PID.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tare::sample {

// Of all threads of the process, ended ones included. "Waited" is of children that it has waited
// for.
struct ProcessStat {
  char state = '?';  // 'Z': it has ended and nobody has taken its status
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

// Of /proc/PID/stat. The name of the program stands in it without any quoting, so it can hold
// brackets, spaces and line ends. Nothing when the text is cut or not such a file.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// Calls, and bytes asked for and given: of files, pipes and sockets alike.
struct ProcessIo {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t read_calls = 0;
  std::uint64_t write_calls = 0;
  std::uint64_t storage_read_bytes = 0;  // from the device
  std::uint64_t storage_written_bytes = 0;
};

// Of /proc/PID/io. Nothing when a field is missing.
std::optional<ProcessIo> ParseProcessIo(std::string_view text);

struct Switches {
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
};

// Of /proc/PID/task/TID/status. Nothing when a field is missing.
std::optional<Switches> ParseSwitches(std::string_view text);

}  // namespace tare::sample
