// system_log.cc: parses a log without trusting its contents, in one pass over its records.
#include "format/system_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/file.h"

namespace tare::format {
namespace {

constexpr std::array kKindNames = {
    std::pair{SystemLogKind::kTime, std::string_view("time")},
    std::pair{SystemLogKind::kRandom, std::string_view("random")},
    std::pair{SystemLogKind::kSystem, std::string_view("system")},
    std::pair{SystemLogKind::kProcess, std::string_view("process")},
    std::pair{SystemLogKind::kThread, std::string_view("thread")},
    std::pair{SystemLogKind::kNetwork, std::string_view("network")},
    std::pair{SystemLogKind::kFileState, std::string_view("file-state")},
    std::pair{SystemLogKind::kPath, std::string_view("path")},
};

std::unexpected<Error> DamagedLog(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("not a complete system log: {}", what));
}

std::optional<SystemLogKind> KindOf(std::uint32_t number) {
  if (number < TARE_SYSTEM_LOG_TIME || number > TARE_SYSTEM_LOG_PATH) return std::nullopt;
  return static_cast<SystemLogKind>(number);
}

Result<void> TakeHeader(const tare_system_log_header& header, std::uint64_t file_bytes,
                        SystemLog& system_log) {
  if (header.magic != TARE_SYSTEM_LOG_MAGIC) return DamagedLog("it has no system log header");
  if (header.version != TARE_SYSTEM_LOG_VERSION) {
    return Fail(ErrorKind::kFormat,
                fmt::format("the system log has version {}; this tare reads version {}",
                            header.version, TARE_SYSTEM_LOG_VERSION));
  }
  if (header.records_bytes > TARE_SYSTEM_LOG_RECORDS_BYTES || header.used > header.records_bytes ||
      header.used > file_bytes - TARE_SYSTEM_LOG_HEADER_BYTES) {
    return DamagedLog("its records are longer than the file");
  }
  system_log.architecture = header.architecture;
  system_log.process = header.process;
  system_log.lost_inputs = header.lost_inputs;
  for (const auto& [kind, name] : kKindNames) {
    const std::uint64_t requests = header.requests[static_cast<std::size_t>(kind)];
    if (requests > 0) system_log.requests[kind] = requests;
  }
  for (std::uint32_t call = 0; call < TARE_SYSTEM_LOG_CALLS; ++call) {
    if (header.calls[call] > 0) system_log.calls[call] = header.calls[call];
  }
  return {};
}

Result<SystemLogStream> TakeStream(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  TRY(const auto read, reader.Read<tare_system_log_stream>());
  TRY(const auto name, reader.ReadTerminatedText());
  const auto kind = KindOf(read.kind);
  if (!kind) return DamagedLog(fmt::format("a stream of unknown kind {}", read.kind));
  if (name.size() >= TARE_SYSTEM_LOG_NAME_BYTES) return DamagedLog("a name is too long");
  SystemLogStream stream;
  stream.kind = *kind;
  stream.call = read.call;
  stream.key = read.key;
  stream.name = name;
  return stream;
}

Result<void> TakeRecords(std::string_view bytes, SystemLog& system_log) {
  ByteReader reader(bytes);
  TRY_VOID(reader.Seek(TARE_SYSTEM_LOG_HEADER_BYTES));
  while (!reader.AtEnd()) {
    TRY(const auto record, reader.Read<tare_system_log_record>());
    const std::uint64_t place = reader.Position();
    TRY(const auto padded, reader.Take(tare_system_log_record_bytes(record.bytes) - sizeof record));
    if (record.stream == 0) {
      if (system_log.streams.size() == TARE_SYSTEM_LOG_STREAMS)
        return DamagedLog("too many streams");
      TRY(auto stream, TakeStream(padded.first(record.bytes)));
      system_log.streams.push_back(std::move(stream));
    } else if (record.stream <= system_log.streams.size()) {
      system_log.streams[record.stream - 1].inputs.push_back({record.result, place, record.bytes});
    } else {
      return DamagedLog("an input of a stream that was not described");
    }
  }
  return {};
}

}  // namespace

std::string_view Name(SystemLogKind kind) {
  const auto found = std::ranges::find(kKindNames, kind, [](const auto& row) { return row.first; });
  CHECK(found != kKindNames.end());
  return found->second;
}

bool CanReplay(SystemLogKind kind) {
  return kind == SystemLogKind::kTime || kind == SystemLogKind::kRandom ||
         kind == SystemLogKind::kSystem;
}

std::uint64_t SystemLog::Requests(SystemLogKind kind) const {
  const auto found = requests.find(kind);
  return found == requests.end() ? 0 : found->second;
}

std::span<const std::byte> SystemLog::Payload(const SystemLogInput& input) const {
  return std::as_bytes(std::span(bytes)).subspan(input.place, input.bytes);
}

Result<SystemLog> ParseSystemLog(std::string bytes) {
  SystemLog system_log;
  if (bytes.size() < TARE_SYSTEM_LOG_HEADER_BYTES) return DamagedLog("it is too short");
  TRY(const auto header, ByteReader(bytes).Read<tare_system_log_header>());
  TRY_VOID(TakeHeader(header, bytes.size(), system_log));
  bytes.resize(TARE_SYSTEM_LOG_HEADER_BYTES + header.used);
  TRY_VOID(TakeRecords(bytes, system_log));
  system_log.bytes = std::move(bytes);
  return system_log;
}

Result<SystemLog> ReadSystemLog(const std::filesystem::path& path) {
  TRY(auto bytes, ReadFile(path, TARE_SYSTEM_LOG_HEADER_BYTES + TARE_SYSTEM_LOG_RECORDS_BYTES));
  auto system_log = ParseSystemLog(std::move(bytes));
  if (system_log) return system_log;
  return Fail(system_log.error().kind,
              fmt::format("{}: {}", path.string(), system_log.error().message));
}

}  // namespace tare::format
