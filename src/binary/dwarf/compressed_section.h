// compressed_section.h: decompressing debug sections.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::dwarf {

// `contents` of a section with SHF_COMPRESSED, including its header.
Result<std::vector<std::byte>> Decompressed(std::span<const std::byte> contents);

// `contents` of a section with the old name .zdebug_...
Result<std::vector<std::byte>> DecompressedOldStyle(std::span<const std::byte> contents);

}  // namespace tare::dwarf
