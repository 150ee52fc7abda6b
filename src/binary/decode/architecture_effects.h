// architecture_effects.h: EffectOf for each architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "binary/decode/register_effect.h"

namespace tare::decode {

RegisterEffect X86EffectOf(std::span<const std::byte> code, std::uint64_t address);
RegisterEffect A64EffectOf(std::span<const std::byte> code, std::uint64_t address);

}  // namespace tare::decode
