// main_function.h: finding main() in a program without a symbol for it.
#pragma once

#include <cstdint>
#include <optional>

#include "binary/elf/elf_image.h"

namespace tare::elf {

// The first argument that the entry code passes to __libc_start_main. Nothing where it does not
// look like the C library's start code.
std::optional<std::uint64_t> MainByEntryCode(const ElfImage& image);

}  // namespace tare::elf
