// object_relocations.h: relocating a debug section of an object file, as the linker would.
#pragma once

#include <cstddef>
#include <span>

#include "binary/elf/elf_file.h"

namespace tare::dwarf {

// Applies `relocations` (a section of type SHT_RELA) to `contents`. A code address becomes that of
// ElfImage, its offset in the file. Returns the number of entries that could not be applied.
std::size_t ApplyRelocations(const elf::ElfFile& file, const elf::Section& relocations,
                             std::span<std::byte> contents);

}  // namespace tare::dwarf
