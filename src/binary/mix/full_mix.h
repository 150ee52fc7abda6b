// full_mix.h: operand types and finer classes of some functions, read again on demand, because
// keeping them for every function takes much memory.
#pragma once

#include <cstdint>
#include <span>

#include "binary/code/program_code.h"

namespace tare::mix {

// The sum over the functions, each of which is read once more.
code::FullMix FullMixOf(const code::ProgramCode& code, std::span<const std::uint32_t> functions);

}  // namespace tare::mix
