// jump_tables.h: the targets of a function's indirect jumps that stay inside of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "binary/decode/decoder.h"
#include "binary/elf/elf_image.h"

namespace tare::code {

// By address of the jump: its targets, ascending and unique. A jump whose table was not found has
// no targets; a jump that leaves the function is absent. May contain excess targets where the
// length of a table is unknown.
using JumpTargets = std::map<std::uint64_t, std::vector<std::uint64_t>>;

JumpTargets FindJumpTargets(const elf::ElfImage& image, const elf::Function& function,
                            decode::Decoder& decoder, std::span<const elf::AddressRange> literals);

}  // namespace tare::code
