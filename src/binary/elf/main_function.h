// main_function.h: main() of a program that has no symbol for it.
#pragma once

#include <cstdint>
#include <optional>

#include "binary/elf/elf_image.h"

namespace tare::elf {

// What the code at the entry hands to __libc_start_main as its first argument. Nothing where it
// does not look like the C library's start code.
std::optional<std::uint64_t> MainByEntryCode(const ElfImage& image);

}  // namespace tare::elf
