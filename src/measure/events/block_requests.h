// block_requests.h: the kernel's tracepoints of disk requests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace tare::events {

// Where the fields of a request are in the data of a tracepoint.
struct RequestFields {
  std::uint32_t device_at = 0;   // 4 bytes
  std::uint32_t sector_at = 0;   // 8 bytes
  std::uint32_t sectors_at = 0;  // 4 bytes
  std::uint32_t kind_at = 0;     // a letter: R, W, F, D, ...

  friend bool operator==(const RequestFields&, const RequestFields&) = default;
};

struct RequestTracepoint {
  std::uint64_t id = 0;
  RequestFields fields;
};

// Parses the file "format" of a tracepoint. Fails (kFormat) if it lacks a field.
Result<RequestFields> ParseRequestFormat(std::string_view text);

// Reads a tracepoint of block requests, such as "block_rq_issue", from the tracefs that is mounted,
// or that is in `tracefs`. Fails with the reason.
Result<RequestTracepoint> ReadRequestTracepoint(std::string_view name);
Result<RequestTracepoint> ReadRequestTracepoint(std::string_view name,
                                                const std::filesystem::path& tracefs);

struct DiskRequest {
  std::uint32_t device = 0;
  std::uint64_t sector = 0;
  std::uint64_t bytes = 0;
  char kind = 0;
};

// Fails (kFormat) if the data are too short.
Result<DiskRequest> ParseRequest(std::string_view data, const RequestFields& fields);

}  // namespace tare::events
