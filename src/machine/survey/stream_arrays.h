// stream_arrays.h: arrays for streams, and streams as loops that can be timed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "machine/microbenchmark/streams.h"
#include "machine/survey/timing.h"

namespace tare::survey {

// Three equal arrays in `memory`; nothing when it is too small.
std::optional<microbenchmark::Arrays> ArraysIn(std::span<std::byte> memory);

// Counts bytes; processes whole arrays only.
Loop StreamLoop(const microbenchmark::Stream& stream, const microbenchmark::Arrays& arrays);

}  // namespace tare::survey
