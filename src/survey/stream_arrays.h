// stream_arrays.h: arrays for streams, and streams as loops that can be timed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "kernels/streams.h"
#include "survey/timing.h"

namespace tare::survey {

// Three equal arrays in `memory`; nothing when that is too small for them.
std::optional<kernels::Arrays> ArraysIn(std::span<std::byte> memory);

// Counts bytes, and goes over whole arrays only.
Loop StreamLoop(const kernels::Stream& stream, const kernels::Arrays& arrays);

}  // namespace tare::survey
