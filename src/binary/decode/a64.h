// a64.h: the format of the rows of the A64 encoding tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "binary/decode/instruction.h"

namespace tare::decode {

// The fixed bits of a word. Written as in the manual, highest bit first: 0, 1, x for either, with
// optional blanks; bits omitted at the end are free.
struct A64Bits {
  std::uint32_t mask = 0;
  std::uint32_t value = 0;

  consteval A64Bits(const char* pattern) {  // NOLINT(google-explicit-constructor)
    int bit = 31;
    for (const char* at = pattern; *at != '\0'; ++at) {
      if (*at == ' ') continue;
      if (bit < 0 || (*at != '0' && *at != '1' && *at != 'x')) throw "bad pattern";
      if (*at != 'x') mask |= 1U << bit;
      if (*at == '1') value |= 1U << bit;
      --bit;
    }
  }
  consteval A64Bits(std::uint32_t fixed_value, std::uint32_t fixed_mask)
      : mask(fixed_mask), value(fixed_value) {
    if ((fixed_value & ~fixed_mask) != 0) throw "value outside of its mask";
  }
};

// The properties of an instruction that depend on more bits than those that select its name.
enum class A64Shape : std::uint8_t {
  kPlain,
  kTarget26,  // branch offsets
  kTarget19,
  kTarget14,
  kWriteBack,        // writes back its base register
  kSystemRegister,   // mrs
  kVector,           // width from Q
  kVector128,        // widening and narrowing: 128 bits on one of the sides
  kWideRegister,     // moves a whole q register
  kScalarFloat,      // element from bits 23:22, as in fadd d0, d1, d2
  kScalarSimdFloat,  // element from bit 22
  kHalfFloat,        // one lane of 16 bits
  kVectorFloat,      // width from Q, element from bit 22
  kVectorHalf,       // width from Q, elements of 16 bits
  kElementFloat,     // by element: width from Q, element from bits 23:22
  kScalarElement,    // by element, one lane
  kPairFloat,        // one result from two lanes; element from bit 22
  kPairHalf,
  kMixedFloat,  // products of narrow elements accumulated in 32 bits; width from Q
  kMixedFloat128,
  kStructures,         // ld1 to ld4 of whole registers
  kStructuresIndexed,  // the same with post-index write-back
  kLane,               // ld1 to ld4 of one lane
  kLaneIndexed,
  kReplicate,  // ld1r to ld4r
  kReplicateIndexed,
  kScalable,       // SVE
  kScalableFloat,  // element from bits 23:22
};

enum A64Flags : std::uint16_t {
  kNoFlags = 0,
  kAtomic = 1,
  kSystemCall = 2,
  kNop = 4,
  kPrefetch = 8,
  kQueriesProcessor = 16,
  kFloat = 32,
};

struct A64Effect {
  A64Shape shape = A64Shape::kPlain;
  BranchKind branch = BranchKind::kNone;
  std::uint8_t loads = 0;
  std::uint8_t stores = 0;
  std::uint16_t load_bytes = 0;
  std::uint16_t store_bytes = 0;
  std::uint8_t operations = 0;  // floating-point operations per lane
  std::uint16_t flags = kNoFlags;
};

struct A64Row {
  A64Bits bits;
  std::string_view name;
  A64Effect effect = {};
};

constexpr A64Effect Load(std::uint16_t bytes, A64Shape shape = A64Shape::kPlain,
                         std::uint16_t flags = kNoFlags) {
  return {.shape = shape, .loads = 1, .load_bytes = bytes, .flags = flags};
}
constexpr A64Effect Store(std::uint16_t bytes, A64Shape shape = A64Shape::kPlain,
                          std::uint16_t flags = kNoFlags) {
  return {.shape = shape, .stores = 1, .store_bytes = bytes, .flags = flags};
}
constexpr A64Effect Exchange(std::uint16_t bytes) {
  return {.loads = 1, .stores = 1, .load_bytes = bytes, .store_bytes = bytes, .flags = kAtomic};
}
constexpr A64Effect Flagged(std::uint16_t flags) { return {.flags = flags}; }
constexpr A64Effect Branch(BranchKind kind, A64Shape shape = A64Shape::kPlain) {
  return {.shape = shape, .branch = kind};
}
constexpr A64Effect Shaped(A64Shape shape) { return {.shape = shape}; }
constexpr A64Effect Float(A64Shape shape, std::uint8_t operations = 0) {
  return {.shape = shape, .operations = operations, .flags = kFloat};
}

// The first row that matches a word applies.
std::span<const A64Row> A64BranchRows();
std::span<const A64Row> A64IntegerRows();
std::span<const A64Row> A64AccessRows();
std::span<const A64Row> A64AtomicRows();
std::span<const A64Row> A64FloatRows();
std::span<const A64Row> A64SimdRows();
std::span<const A64Row> A64SimdElementRows();
std::span<const A64Row> A64ScalableRows();
std::span<const A64Row> A64ScalableAccessRows();

}  // namespace tare::decode
