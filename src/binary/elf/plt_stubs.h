// plt_stubs.h: the PLT stubs through which a program calls functions of other libraries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binary/decode/architecture.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/elf_reference.h"
#include "binary/elf/function.h"

namespace tare::elf {

// "puts@plt" for a stub whose target a relocation names, or whose resolver is one of `resolvers`
// (name and address); "sub_1a40@plt" where only the address is known; "plt" for the code that the
// stubs share. `references` must be sorted by address.
std::vector<Function> PltStubs(const ElfFile& file, decode::Architecture architecture,
                               std::span<const Reference> references,
                               std::span<const std::pair<std::string, std::uint64_t>> resolvers);

}  // namespace tare::elf
