// unwind_frames.h: where functions begin and end according to .eh_frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/elf/elf_file.h"

namespace tare::elf {

// One range for each frame description that makes sense, in the order of the section. `contents`
// is loaded at `address`. Damage ends the walk; what was read before stands.
std::vector<AddressRange> UnwindFrames(std::span<const std::byte> contents, std::uint64_t address);

// A function whose exceptions go to code of its own, and where the table about that lies.
struct ExceptionFrame {
  AddressRange range;
  std::uint64_t table = 0;
};

// As UnwindFrames, those with a table only.
std::vector<ExceptionFrame> ExceptionFrames(std::span<const std::byte> contents,
                                            std::uint64_t address);

// A call during which an exception goes to `pad`.
struct LandingPad {
  AddressRange calls;
  std::uint64_t pad = 0;
};

// Of the table of a function that begins at `start`. `contents` begins at `address`, which is the
// table's. Damage ends the walk.
std::vector<LandingPad> LandingPads(std::span<const std::byte> contents, std::uint64_t address,
                                    std::uint64_t start);

}  // namespace tare::elf
