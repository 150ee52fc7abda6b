// elf_call_targets.h: function starts, inferred from the calls that reach them.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/elf/elf_image.h"

namespace tare::elf {

// The targets of direct calls and of virtual-table slots within those `functions` whose end is a
// guess: sorted and unique. Empty when no end is a guess. `functions` must be sorted and disjoint;
// all other parts of the image must be set.
std::vector<std::uint64_t> CallTargets(const ElfImage& image,
                                       const std::vector<Function>& functions);

}  // namespace tare::elf
