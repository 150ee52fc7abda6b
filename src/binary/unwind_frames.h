// unwind_frames.h: where functions begin and end according to .eh_frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/elf_file.h"

namespace tare::binary {

// One range for each frame description that makes sense, in the order of the section. `contents`
// is loaded at `address`. Damage ends the walk; what was read before stands.
std::vector<AddressRange> UnwindFrames(std::span<const std::byte> contents, std::uint64_t address);

}  // namespace tare::binary
