// recording_fuzz.cc: recordings of engines with anything in them; the file is its own parent too.
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
  // A header of 4,096 bytes is nearly all zeros: only the fields are in the input, and the
  // records and counters follow them at once.
  const std::size_t fields = std::min(size, sizeof(tare_wire_header));
  std::vector<std::byte> file(TARE_WIRE_HEADER_BYTES + (size - fields));
  if (size > 0) {
    std::memcpy(file.data(), data, fields);
    std::memcpy(file.data() + TARE_WIRE_HEADER_BYTES, data + fields, size - fields);
  }
  const format::RecordingSource source{
      file.size(), [&](std::uint64_t place, std::span<std::byte> to) {
        // Nothing that the file does not hold is asked for: no damaged size takes memory.
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
