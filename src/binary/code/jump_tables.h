// jump_tables.h: where the indirect jumps of a function go that stay inside of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "binary/decode/decoder.h"
#include "binary/elf/elf_image.h"

namespace tare::code {

// By address of the jump: its targets, ascending and each once. A jump whose table was not found
// has none; one that leaves the function is not there. May name a target too many, where nothing
// tells how long a table is.
using JumpTargets = std::map<std::uint64_t, std::vector<std::uint64_t>>;

JumpTargets FindJumpTargets(const elf::ElfImage& image, const elf::Function& function,
                            decode::Decoder& decoder, std::span<const elf::AddressRange> literals);

}  // namespace tare::code
