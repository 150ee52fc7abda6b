// stream_fuzz.cc: reads arbitrary stream descriptions, and records that match them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "format/stream_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  const auto parsed =
      format::StreamDescriptions::Parse(std::as_bytes(std::span(data, size)), 0x1000);
  if (!parsed) return 0;
  for (const format::StreamStretch& stretch : parsed->stretches()) {
    // A record is as long as its description says; nothing after it is read.
    const std::vector<std::uint64_t> words(stretch.words, 1);
    std::size_t touched = 0;
    format::ForEachAccess({stretch, 0, words, 0}, [&](const format::TouchedMemory&) { ++touched; });
    CHECK(touched <= 2 * stretch.accesses.size());
  }
  return 0;
}
