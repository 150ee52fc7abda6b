// xray_sleds.h: places that clang's XRay keeps free to patch in a call.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/elf/elf_image.h"

namespace tare::mix {

// Their addresses as the section xray_instr_map lists them; empty where there is none.
std::vector<std::uint64_t> XraySleds(const elf::ElfImage& image);

}  // namespace tare::mix
