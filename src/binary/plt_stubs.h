// plt_stubs.h: the stubs through which a program calls functions of other libraries.
#pragma once

#include <span>
#include <vector>

#include "binary/architecture.h"
#include "binary/elf_file.h"
#include "binary/function.h"
#include "binary/symbol_table.h"

namespace tare::binary {

// "puts@plt" for a stub whose target a relocation names; "sub_1a40@plt" where it names only an
// address; "plt" for the code that the stubs share. `relocations` sorted by address.
std::vector<Function> PltStubs(const ElfFile& file, Architecture architecture,
                               std::span<const Relocation> relocations);

}  // namespace tare::binary
