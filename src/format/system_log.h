// system_log.h: reads the system log, the system inputs that an engine recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/system_log_wire.h"

namespace tare::format {

enum class SystemLogKind : std::uint32_t {
  kTime = TARE_SYSTEM_LOG_TIME,
  kRandom = TARE_SYSTEM_LOG_RANDOM,
  kSystem = TARE_SYSTEM_LOG_SYSTEM,
  kProcess = TARE_SYSTEM_LOG_PROCESS,
  kThread = TARE_SYSTEM_LOG_THREAD,
  kNetwork = TARE_SYSTEM_LOG_NETWORK,
  kFileState = TARE_SYSTEM_LOG_FILE_STATE,
  kPath = TARE_SYSTEM_LOG_PATH,
};

// "time", "random", "system", "process", "thread", "network", "file-state" or "path".
std::string_view Name(SystemLogKind kind);

// Whether inputs of this kind can be replayed: time, random numbers and system files. The others
// are only recorded.
bool CanReplay(SystemLogKind kind);

struct SystemLogInput {
  std::int64_t result = 0;  // return value of the call; an error is -errno
  std::uint64_t place = 0;  // offset of the payload in SystemLog::bytes
  std::uint32_t bytes = 0;
};

// The inputs from one source, in order.
struct SystemLogStream {
  SystemLogKind kind = SystemLogKind::kTime;
  std::uint32_t call = 0;  // number of the system call, or a tare_system_log_instruction
  std::uint64_t key = 0;
  std::string name;  // path of the file, with "self" for the process's own ID, or name of the call
  std::vector<SystemLogInput> inputs;
};

struct SystemLog {
  std::uint32_t architecture = 0;  // e_machine of ELF
  std::uint64_t process = 0;
  std::uint64_t lost_inputs = 0;  // inputs that found no room: their streams are truncated
  std::map<SystemLogKind, std::uint64_t> requests;  // requests; no entry for a kind without any
  std::map<std::uint32_t, std::uint64_t> calls;     // by system call number
  std::vector<SystemLogStream> streams;
  std::string bytes;  // the file; only the header and whole records

  std::uint64_t Requests(SystemLogKind kind) const;
  std::span<const std::byte> Payload(const SystemLogInput& input) const;
};

// Fails (kFormat) if it is not a complete log of this version. Unused space after the records is
// removed.
Result<SystemLog> ParseSystemLog(std::string bytes);
Result<SystemLog> ReadSystemLog(const std::filesystem::path& path);

}  // namespace tare::format
