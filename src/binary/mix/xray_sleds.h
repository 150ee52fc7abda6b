// xray_sleds.h: the places that clang's XRay reserves for patching in a call.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/elf/elf_image.h"

namespace tare::mix {

// Their addresses from the section xray_instr_map; empty where there is none.
std::vector<std::uint64_t> XraySleds(const elf::ElfImage& image);

}  // namespace tare::mix
