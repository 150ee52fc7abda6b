// stream_arrays.cc: splitting a buffer into three arrays.
#include "machine/survey/stream_arrays.h"

namespace tare::survey {

std::optional<microbenchmark::Arrays> ArraysIn(std::span<std::byte> memory) {
  const std::size_t length = memory.size() / 3 / 1024 * 1024;
  if (length == 0) return std::nullopt;
  return microbenchmark::Arrays{memory.first(length), memory.subspan(length, length),
                                memory.subspan(2 * length, length)};
}

Loop StreamLoop(const microbenchmark::Stream& stream, const microbenchmark::Arrays& arrays) {
  return [&stream, &arrays](std::uint64_t bytes) {
    const std::uint64_t once = arrays.a.size() * stream.bytes_per_byte;
    const std::uint64_t times = bytes / once + 1;
    for (std::uint64_t i = 0; i < times; ++i) stream.run(arrays);
    return times * once;
  };
}

}  // namespace tare::survey
