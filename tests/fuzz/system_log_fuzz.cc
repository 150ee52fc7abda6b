// system_log_fuzz.cc: reads arbitrary system logs.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "format/system_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  // The first 8 KiB of a log are mostly zero, so the input contains the start of the header and
  // then the records.
  constexpr std::size_t kHeaderPart = 136;
  std::string bytes(TARE_SYSTEM_LOG_HEADER_BYTES, '\0');
  for (std::size_t i = 0; i < size && i < kHeaderPart; ++i) bytes[i] = static_cast<char>(data[i]);
  for (std::size_t i = kHeaderPart; i < size; ++i) bytes += static_cast<char>(data[i]);
  const auto system_log = format::ParseSystemLog(bytes);
  if (!system_log) return 0;
  std::size_t inputs = 0;
  for (const format::SystemLogStream& stream : system_log->streams) {
    CHECK(!format::Name(stream.kind).empty());
    for (const format::SystemLogInput& input : stream.inputs) {
      CHECK(system_log->Payload(input).size() == input.bytes);
      ++inputs;
    }
  }
  CHECK(inputs * sizeof(tare_system_log_record) <= size);
  // A log truncated to its records parses to the same log.
  const auto again = format::ParseSystemLog(system_log->bytes);
  CHECK(again && again->streams.size() == system_log->streams.size());
  return 0;
}
