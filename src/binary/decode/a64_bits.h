// a64_bits.h: fields of an A64 word.
#pragma once

#include <cstdint>

namespace tare::decode {

// From bit `high` down to bit `low`, both included.
constexpr std::uint32_t Bits(std::uint32_t word, int high, int low) {
  return (word >> low) & ((1U << (high - low + 1)) - 1);
}

// The lowest `bits` of the value taken as a signed number.
constexpr std::uint64_t Signed(std::uint64_t value, int bits) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
}

}  // namespace tare::decode
