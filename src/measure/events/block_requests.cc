// block_requests.cc: reads identifiers and formats of tracepoints from tracefs.
#include "measure/events/block_requests.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "base/byte_reader.h"
#include "base/file.h"

namespace tare::events {
namespace {

constexpr std::uint64_t kMaxTracefsBytes = 1u << 16;
constexpr std::uint64_t kSectorBytes = 512;

// The number behind "offset:" in the line of a field, such as
// "field:dev_t dev;	offset:8;	size:4;	signed:0;".
std::optional<std::uint32_t> OffsetOf(std::string_view text, std::string_view field,
                                      std::uint32_t min_bytes) {
  const auto number_behind = [](std::string_view line,
                                std::string_view key) -> std::optional<std::uint32_t> {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    line.remove_prefix(at + key.size());
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    return number;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // A name is followed by its end or by the length of its array.
    const std::string_view declared = line.substr(0, line.find(';'));
    const std::size_t name = declared.rfind(' ');
    if (!declared.contains("field:") || name == std::string_view::npos) continue;
    const std::string_view behind = declared.substr(name + 1);
    if (behind.substr(0, behind.find('[')) != field) continue;
    const auto size = number_behind(line, "size:");
    if (!size || *size < min_bytes) return std::nullopt;
    return number_behind(line, "offset:");
  }
  return std::nullopt;
}

}  // namespace

Result<RequestFields> ParseRequestFormat(std::string_view text) {
  const auto device = OffsetOf(text, "dev", 4);
  const auto sector = OffsetOf(text, "sector", 8);
  const auto sectors = OffsetOf(text, "nr_sector", 4);
  const auto kind = OffsetOf(text, "rwbs", 1);
  if (!device || !sector || !sectors || !kind)
    return Fail(ErrorKind::kFormat, "this kernel describes disk requests in another way");
  return RequestFields{*device, *sector, *sectors, *kind};
}

Result<RequestTracepoint> ReadRequestTracepoint(std::string_view name,
                                                const std::filesystem::path& tracefs) {
  const auto directory = tracefs / "events/block" / name;
  TRY(const auto id, ReadFile(directory / "id", kMaxTracefsBytes));
  TRY(const auto format, ReadFile(directory / "format", kMaxTracefsBytes));
  RequestTracepoint tracepoint;
  if (std::from_chars(id.data(), id.data() + id.size(), tracepoint.id).ec != std::errc())
    return Fail(ErrorKind::kFormat, "the kernel gives disk requests no identifier");
  TRY(tracepoint.fields, ParseRequestFormat(format));
  return tracepoint;
}

Result<RequestTracepoint> ReadRequestTracepoint(std::string_view name) {
  constexpr std::array kPlaces = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
  for (const char* place : kPlaces) {
    const std::filesystem::path tracefs = place;
    if (::access((tracefs / "events").c_str(), F_OK) == 0)
      return ReadRequestTracepoint(name, tracefs);
  }
  return Fail(ErrorKind::kUnsupported,
              ::access("/sys/kernel/tracing", R_OK | X_OK) == 0
                  ? "tracefs is not mounted; mount it with 'mount -t tracefs nodev "
                    "/sys/kernel/tracing'"
                  : "tracefs is not readable: only root may read it");
}

Result<DiskRequest> ParseRequest(std::string_view data, const RequestFields& fields) {
  ByteReader reader(data);
  DiskRequest request;
  TRY_VOID(reader.Seek(fields.device_at));
  TRY(request.device, reader.Read<std::uint32_t>());
  TRY_VOID(reader.Seek(fields.sector_at));
  TRY(request.sector, reader.Read<std::uint64_t>());
  TRY_VOID(reader.Seek(fields.sectors_at));
  TRY(const auto sectors, reader.Read<std::uint32_t>());
  request.bytes = sectors * kSectorBytes;
  TRY_VOID(reader.Seek(fields.kind_at));
  TRY(request.kind, reader.Read<char>());
  return request;
}

}  // namespace tare::events
