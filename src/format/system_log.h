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

enum class TapeKind : std::uint32_t {
  kTime = TARE_TAPE_TIME,
  kRandom = TARE_TAPE_RANDOM,
  kSystem = TARE_TAPE_SYSTEM,
  kProcess = TARE_TAPE_PROCESS,
  kThread = TARE_TAPE_THREAD,
  kNetwork = TARE_TAPE_NETWORK,
  kFileState = TARE_TAPE_FILE_STATE,
  kPath = TARE_TAPE_PATH,
};

// "time", "random", "system", "process", "thread", "network", "file-state", "path".
std::string_view Name(TapeKind kind);

// Time, random numbers and system files; the others are recorded only.
bool CanBePlayed(TapeKind kind);

struct TapeAnswer {
  std::int64_t result = 0;  // what the call returned; an error is -errno
  std::uint64_t place = 0;  // of the payload in the tape's bytes
  std::uint32_t bytes = 0;
};

// The answers of one source, in order.
struct TapeStream {
  TapeKind kind = TapeKind::kTime;
  std::uint32_t call = 0;  // number of the system call, or a tare_tape_instruction
  std::uint64_t key = 0;
  std::string name;  // path of a file, with "self" for the process's own id; name of the call
  std::vector<TapeAnswer> answers;
};

struct Tape {
  std::uint32_t architecture = 0;  // ELF's number
  std::uint64_t process = 0;
  std::uint64_t lost_answers = 0;                // found no room: their streams are cut short
  std::map<TapeKind, std::uint64_t> asked;       // how often; a kind never asked for has no entry
  std::map<std::uint32_t, std::uint64_t> calls;  // by number of the system call
  std::vector<TapeStream> streams;
  std::string bytes;  // the file; header and whole records only

  std::uint64_t Asked(TapeKind kind) const;
  std::span<const std::byte> Payload(const TapeAnswer& answer) const;
};

// kFormat for anything that is not a whole tape of this version; room behind the records is cut
// off.
Result<Tape> ParseTape(std::string bytes);
Result<Tape> ReadTape(const std::filesystem::path& path);

}  // namespace tare::format
