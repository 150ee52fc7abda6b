// a64_bits.h: extracting fields of an A64 word.
#pragma once

#include <cstdint>

namespace tare::decode {

// Bits `high` down to `low`, inclusive.
constexpr std::uint32_t Bits(std::uint32_t word, int high, int low) {
  return (word >> low) & ((1U << (high - low + 1)) - 1);
}

// Sign-extends the lowest `bits` of the value.
constexpr std::uint64_t Signed(std::uint64_t value, int bits) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
}

}  // namespace tare::decode
