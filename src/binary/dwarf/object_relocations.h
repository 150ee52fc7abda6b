// object_relocations.h: does to a debug section of an object file what the linker would do.
#pragma once

#include <cstddef>
#include <span>

#include "binary/elf/elf_file.h"

namespace tare::dwarf {

// Fills the places in `contents` that `relocations` (a section of type SHT_RELA) tells of. An
// address of code becomes that of ElfImage, its offset in the file. Returns how many entries could
// not be followed.
std::size_t ApplyRelocations(const elf::ElfFile& file, const elf::Section& relocations,
                             std::span<std::byte> contents);

}  // namespace tare::dwarf
