// elf_call_targets.h: where functions begin according to the calls that reach them.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/elf/elf_image.h"

namespace tare::elf {

// What direct calls of `functions` and slots of virtual tables reach inside of those whose end is a
// guess: sorted, each once. Nothing where no end is. `functions` are sorted and apart; of the image
// all but them must be there.
std::vector<std::uint64_t> CallTargets(const ElfImage& image,
                                       const std::vector<Function>& functions);

}  // namespace tare::elf
