// architecture_uses.h: UseOf for each architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "binary/decode/register_use.h"

namespace tare::decode {

RegisterUse X86UseOf(std::span<const std::byte> code, std::uint64_t address);
RegisterUse A64UseOf(std::span<const std::byte> code, std::uint64_t address);

}  // namespace tare::decode
