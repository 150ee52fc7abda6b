// system_log.h: what a program asked the system for and was told, read from what the engine left.
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

// "time", "random", "system", "process", "thread", "network", "file-state", "path".
std::string_view Name(SystemLogKind kind);

// Time, random numbers and system files; the others are recorded only.
bool CanBePlayed(SystemLogKind kind);

struct SystemLogAnswer {
  std::int64_t result = 0;  // what the call returned; an error is -errno
  std::uint64_t place = 0;  // of the payload in the system_log's bytes
  std::uint32_t bytes = 0;
};

// The answers of one source, in order.
struct SystemLogStream {
  SystemLogKind kind = SystemLogKind::kTime;
  std::uint32_t call = 0;  // number of the system call, or a tare_system_log_instruction
  std::uint64_t key = 0;
  std::string name;  // path of a file, with "self" for the process's own id; name of the call
  std::vector<SystemLogAnswer> answers;
};

struct SystemLog {
  std::uint32_t architecture = 0;  // ELF's number
  std::uint64_t process = 0;
  std::uint64_t lost_answers = 0;                // found no room: their streams are cut short
  std::map<SystemLogKind, std::uint64_t> asked;  // how often; a kind never asked for has no entry
  std::map<std::uint32_t, std::uint64_t> calls;  // by number of the system call
  std::vector<SystemLogStream> streams;
  std::string bytes;  // the file; header and whole records only

  std::uint64_t Asked(SystemLogKind kind) const;
  std::span<const std::byte> Payload(const SystemLogAnswer& answer) const;
};

// kFormat for anything that is not a whole log of this version; room behind the records is cut
// off.
Result<SystemLog> ParseSystemLog(std::string bytes);
Result<SystemLog> ReadSystemLog(const std::filesystem::path& path);

}  // namespace tare::format
