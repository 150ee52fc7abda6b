// recording_fuzz.cc: reads arbitrary recordings of engines; the file is also its own parent.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/check.h"
#include "format/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  // The 4,096-byte header is nearly all zeros, so the input contains only its fields, directly
  // followed by records and counters.
  const std::size_t fields = std::min(size, sizeof(tare_wire_header));
  std::vector<std::byte> file(TARE_WIRE_HEADER_BYTES + (size - fields));
  if (size > 0) {
    std::memcpy(file.data(), data, fields);
    std::memcpy(file.data() + TARE_WIRE_HEADER_BYTES, data + fields, size - fields);
  }
  const format::RecordingSource source{
      file.size(), [&](std::uint64_t place, std::span<std::byte> to) {
        // The reader must not request more than the file contains: no damaged size allocates
        // memory.
        CHECK(to.size() <= file.size());
        if (place > file.size() || to.size() > file.size() - place) return false;
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(place), to.size(), to.begin());
        return true;
      }};
  const std::vector<format::RecordingSource> ancestors(3, source);
  for (std::size_t known = 0; known <= ancestors.size(); known += ancestors.size()) {
    const auto recording = format::ParseRecording(source, std::span(ancestors).first(known));
    if (!recording) {
      CHECK(recording.error().kind == ErrorKind::kFormat && !recording.error().message.empty());
      continue;
    }
    for (const format::Block& block : recording->blocks) {
      CHECK(block.executions > 0 || block.second > 0);
      CHECK(block.code.size() <= file.size());
      CHECK(!block.object || *block.object < recording->objects.size());
    }
    for (const format::MappedObject& object : recording->objects) CHECK(object.start < object.end);
  }
  return 0;
}
