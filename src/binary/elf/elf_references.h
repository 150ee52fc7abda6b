// elf_references.h: reading relocation tables.
#pragma once

#include <vector>

#include "binary/elf/elf_file.h"
#include "binary/elf/elf_reference.h"

namespace tare::elf {

// Sorted by address; see ElfImage::references.
std::vector<Reference> References(const ElfFile& file);

// One per entry of .rela.plt, in its order.
std::vector<Reference> PltReferences(const ElfFile& file);

}  // namespace tare::elf
