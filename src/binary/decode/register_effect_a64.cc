// register_effect_a64.cc: address arithmetic, loads and moves of A64; all others are unknown.
#include <cstring>

#include "binary/decode/a64_bits.h"
#include "binary/decode/a64_decoder.h"
#include "binary/decode/architecture_effects.h"

namespace tare::decode {
namespace {

using Kind = RegisterEffect::Kind;

// x0 to x18 and x30 are caller-saved (AAPCS64, 6.1.1).
constexpr std::uint64_t kCallChanges = 0x7ffff | std::uint64_t{1} << 30;

std::uint8_t To(std::uint32_t word) { return static_cast<std::uint8_t>(word & 31); }
std::uint8_t From(std::uint32_t word) { return static_cast<std::uint8_t>(Bits(word, 9, 5)); }
std::uint8_t Second(std::uint32_t word) { return static_cast<std::uint8_t>(Bits(word, 20, 16)); }

// adr, adrp.
RegisterEffect PcRelative(std::uint32_t word, std::uint64_t address) {
  const std::uint64_t offset = Signed((Bits(word, 23, 5) << 2) | Bits(word, 30, 29), 21);
  RegisterEffect effect{.kind = Kind::kConstant, .to = To(word)};
  effect.constant =
      (word >> 31) != 0 ? (address & ~std::uint64_t{0xfff}) + (offset << 12) : address + offset;
  return effect;
}

// add and sub (immediate).
RegisterEffect AddImmediate(std::uint32_t word) {
  const std::uint64_t amount = std::uint64_t{Bits(word, 21, 10)} << (Bits(word, 22, 22) * 12);
  RegisterEffect effect{.kind = Kind::kAddress, .to = To(word), .base = From(word)};
  effect.constant = Bits(word, 30, 30) != 0 ? 0 - amount : amount;
  return effect;
}

// add (shifted register) and add (extended register).
RegisterEffect AddRegister(std::uint32_t word, std::uint32_t shift) {
  RegisterEffect effect{.kind = Kind::kAddress, .to = To(word), .base = From(word)};
  effect.index = Second(word);
  effect.scale = static_cast<std::uint8_t>(1U << (shift & 7));
  if (shift > 6) effect.kind = Kind::kUnknown;
  return effect;
}

RegisterEffect MoveWide(std::uint32_t word) {
  const std::uint32_t shift = Bits(word, 22, 21) * 16;
  const std::uint64_t part = std::uint64_t{Bits(word, 20, 5)} << shift;
  const std::uint32_t operation = Bits(word, 30, 29);  // 0 movn, 2 movz, 3 movk
  RegisterEffect effect{.kind = Kind::kConstant, .to = To(word)};
  effect.constant = operation == 0 ? ~part : part;
  if (Bits(word, 31, 31) == 0) effect.constant &= 0xffffffff;
  if (operation == 3) {
    effect.kind = Kind::kInsert;
    effect.scale = static_cast<std::uint8_t>(shift);
  }
  return effect;
}

// ldr of a general-purpose register, with and without an index.
RegisterEffect Load(std::uint32_t word) {
  const std::uint32_t size = Bits(word, 31, 30);
  RegisterEffect effect{.kind = Kind::kLoad, .to = To(word), .base = From(word)};
  effect.bytes = static_cast<std::uint8_t>(1U << size);
  if (Bits(word, 24, 24) != 0) {  // unsigned offset
    effect.constant = std::uint64_t{Bits(word, 21, 10)} << size;
    return effect;
  }
  if (Bits(word, 21, 21) != 0) {  // register offset
    effect.index = Second(word);
    effect.scale = static_cast<std::uint8_t>(Bits(word, 12, 12) != 0 ? 1U << size : 1U);
    return effect;
  }
  const bool before = Bits(word, 11, 10) == 3;
  const bool after = Bits(word, 11, 10) == 1;
  if (!after) effect.constant = Signed(Bits(word, 20, 12), 9);
  if (before || after) effect.also = std::uint64_t{1} << effect.base;
  return effect;
}

bool IsLoadOfGeneral(std::uint32_t word) {
  if ((word & 0x3e000000) != 0x38000000) return false;                   // one register, not SIMD
  if (Bits(word, 23, 22) == 0) return false;                             // stores
  if (Bits(word, 31, 30) == 3 && Bits(word, 23, 22) == 2) return false;  // prfm
  if (Bits(word, 24, 24) != 0) return true;
  return Bits(word, 21, 21) == 0 || Bits(word, 11, 10) == 2;  // the others are atomics
}

// System instructions: mrs and sysl write the register in their lowest bits, and hints that sign or
// authenticate an address write fixed registers (Arm ARM, C6.2 "HINT").
std::uint64_t WrittenBySystem(std::uint32_t word) {
  if ((word & 0xffe00000) == 0xd5200000) return std::uint64_t{1} << To(word);
  if ((word & 0xfff00000) == 0xd5700000) return std::uint64_t{3} << (To(word) & 30);  // mrrs
  if ((word & 0xfffff01f) != 0xd503201f) return 0;
  const std::uint32_t hint = Bits(word, 11, 5);
  if (hint == 7 || (hint >= 24 && hint <= 31)) return std::uint64_t{1} << 30;  // xpaclri, paciasp
  if (hint >= 8 && hint <= 15) return std::uint64_t{1} << 17;                  // pacia1716
  return hint == 40 ? std::uint64_t{1} << 16 : 0;                              // chkfeat
}

// Exclusive accesses, compare and swap, structures, memory copies, tags: the data, the status and
// the base may change, depending on more bits than are worth reading. Pairs of registers start at
// an even one.
std::uint64_t WrittenByRareAccess(std::uint32_t word) {
  const auto bit = [](std::uint32_t number) { return std::uint64_t{1} << number; };
  if (Bits(word, 29, 26) == 3)  // ld1 to ld4 and st1 to st4 change the base, if any
    return Bits(word, 23, 23) != 0 ? bit(From(word)) : 0;
  return bit(To(word)) | bit(To(word) | 1) | bit(From(word)) | bit(Second(word)) |
         bit(Second(word) | 1) | bit(Bits(word, 14, 10));
}

// Any other instruction that may write the general-purpose register in its lowest bits, or its
// base.
RegisterEffect Unknown(std::uint32_t word) {
  RegisterEffect effect;
  effect.also = std::uint64_t{1} << To(word);
  const bool pair = (word & 0x3a000000) == 0x28000000;
  if (pair) {
    if (Bits(word, 22, 22) == 0) effect.also = 0;  // a store
    if (Bits(word, 22, 22) != 0) effect.also |= std::uint64_t{1} << Bits(word, 14, 10);
    if (Bits(word, 26, 26) != 0) effect.also = 0;  // SIMD registers
    if (Bits(word, 23, 23) != 0) effect.also |= std::uint64_t{1} << From(word);
    return effect;
  }
  const bool access = (word & 0x3a000000) == 0x38000000;
  if (access) {
    const bool stores = Bits(word, 23, 22) == 0 && Bits(word, 21, 21) == 0;
    if (stores || Bits(word, 26, 26) != 0) effect.also = 0;
    const bool written_back =
        Bits(word, 24, 24) == 0 && Bits(word, 21, 21) == 0 && Bits(word, 10, 10) != 0;
    if (written_back) effect.also |= std::uint64_t{1} << From(word);
    // Atomic accesses of 64 bytes, and loads of authenticated addresses.
    const bool atomic = Bits(word, 26, 24) == 0 && Bits(word, 21, 21) != 0;
    if ((word & 0xfffffc00) == 0xf83fd000) effect.also |= std::uint64_t{0xff} << To(word);  // ld64b
    if (atomic && Bits(word, 15, 15) != 0) effect.also |= std::uint64_t{1} << Second(word);
    if (atomic && Bits(word, 11, 10) == 3) effect.also |= std::uint64_t{1} << From(word);
    return effect;
  }
  const bool literal = (word & 0x3b000000) == 0x18000000;
  if ((word & 0x0a000000) == 0x08000000 && !literal) {
    effect.also = WrittenByRareAccess(word);
    return effect;
  }
  const bool simd = (word & 0x0e000000) == 0x0e000000;
  const bool to_general = (word & 0x5f000000) == 0x1e000000 || (word & 0xbfe08400) == 0x0e000400;
  if (simd && !to_general) effect.also = 0;
  return effect;
}

}  // namespace

RegisterEffect A64EffectOf(std::span<const std::byte> code, std::uint64_t address) {
  std::uint32_t word = 0;
  if (code.size() < sizeof(word)) return {};
  std::memcpy(&word, code.data(), sizeof(word));
  if ((word & 0x1f000000) == 0x10000000) return PcRelative(word, address);
  if ((word & 0x9f800000) == 0x91000000) return AddImmediate(word);
  if ((word & 0xffe00000) == 0x8b000000) return AddRegister(word, Bits(word, 15, 10));
  if ((word & 0xffe00000) == 0x8b200000) return AddRegister(word, Bits(word, 12, 10));
  if ((word & 0x1f800000) == 0x12800000) return MoveWide(word);
  if ((word & 0xffe0ffe0) == 0xaa0003e0)  // mov
    return {.kind = Kind::kAddress, .to = To(word), .base = Second(word)};
  if (IsLoadOfGeneral(word)) return Load(word);
  if ((word & 0xfe000000) == 0xd6000000) {  // br, blr, ret and their authenticated forms
    RegisterEffect effect;
    const bool call = Bits(word, 22, 21) == 1;
    if (Bits(word, 22, 21) != 2) {
      effect = {.kind = Kind::kAddress, .to = kBranchTarget, .base = From(word)};
    }
    if (call) effect.also = kCallChanges;
    return effect;
  }
  if ((word & 0xfc000000) == 0x94000000) return {.also = kCallChanges};           // bl
  if ((word & 0x1c000000) == 0x14000000) return {.also = WrittenBySystem(word)};  // other branches
  return Unknown(word);
}

}  // namespace tare::decode
