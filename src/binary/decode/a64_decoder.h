// a64_decoder.h: decoding one A64 word.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "binary/decode/instruction.h"

namespace tare::decode {

// Nothing for an unknown word.
std::optional<Instruction> DecodeA64(std::uint32_t word, std::uint64_t address);

// Empty for an id that DecodeA64 never returned.
std::string_view A64MnemonicName(std::uint32_t id);

}  // namespace tare::decode
