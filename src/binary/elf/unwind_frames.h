// unwind_frames.h: function ranges according to .eh_frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/elf/elf_file.h"

namespace tare::elf {

// One range per valid frame description entry (FDE), in the order of the section. `contents` is
// loaded at `address`. Damage ends the walk; earlier entries are kept.
std::vector<AddressRange> UnwindFrames(std::span<const std::byte> contents, std::uint64_t address);

// A function with exception handlers, and the address of its LSDA.
struct ExceptionFrame {
  AddressRange range;
  std::uint64_t table = 0;
};

// As UnwindFrames, but only those with an LSDA.
std::vector<ExceptionFrame> ExceptionFrames(std::span<const std::byte> contents,
                                            std::uint64_t address);

// A range of calls whose exceptions continue at `pad`.
struct LandingPad {
  AddressRange calls;
  std::uint64_t pad = 0;
};

// The landing pads of the function that starts at `start`. `contents` is its LSDA, loaded at
// `address`. Damage ends the walk.
std::vector<LandingPad> LandingPads(std::span<const std::byte> contents, std::uint64_t address,
                                    std::uint64_t start);

}  // namespace tare::elf
