/* instruction_ends.h: finds the instructions at which control may leave a block: branches, calls,
 * returns and repeated string operations. */
#pragma once

#include <stdint.h>

/* Prefixes other than rep: operand and address size, segments, REX. */
static inline int tare_x86_is_plain_prefix(uint8_t byte) {
  return byte == 0x66 || byte == 0x67 || (byte >= 0x40 && byte <= 0x4f) || byte == 0x2e ||
         byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

/* Prefixes of x86 instructions, without lock. */
static inline int tare_x86_is_prefix(uint8_t byte) {
  return byte == 0xf2 || byte == 0xf3 || byte == 0x66 || byte == 0x67 ||
         (byte >= 0x40 && byte <= 0x4f) || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
         byte == 0x26 || byte == 0x64 || byte == 0x65;
}

/* Returns 1 when the x86 instruction is a string operation with a rep prefix (Intel SDM, volume 2,
 * "REP"). */
static inline int tare_x86_is_repeated(const uint8_t* code, uint32_t length) {
  int prefixed = 0;
  for (uint32_t i = 0; i < length; ++i) {
    const uint8_t byte = code[i];
    if (byte == 0xf2 || byte == 0xf3) {
      prefixed = 1;
      continue;
    }
    if (tare_x86_is_plain_prefix(byte)) continue;
    /* ins, outs; movs, cmps; stos, lods, scas. */
    return prefixed && ((byte >= 0x6c && byte <= 0x6f) || (byte >= 0xa4 && byte <= 0xa7) ||
                        (byte >= 0xaa && byte <= 0xaf));
  }
  return 0;
}

enum tare_end { TARE_END_OTHER, TARE_END_CONDITIONAL, TARE_END_CALL, TARE_END_RETURN };

static inline enum tare_end tare_x86_end(const uint8_t* code, uint32_t length) {
  uint32_t i = 0;
  /* A branch may have bnd, hint, segment, address-size (jecxz) and REX prefixes. */
  while (i + 1 < length &&
         (code[i] == 0xf2 || code[i] == 0xf3 || tare_x86_is_plain_prefix(code[i]))) {
    ++i;
  }
  const uint8_t byte = code[i];
  if (byte >= 0x70 && byte <= 0x7f) return TARE_END_CONDITIONAL;
  if (byte >= 0xe0 && byte <= 0xe3) return TARE_END_CONDITIONAL; /* loop, jrcxz */
  if (byte == 0x0f && i + 1 < length && (code[i + 1] & 0xf0) == 0x80) return TARE_END_CONDITIONAL;
  if (byte == 0xe8) return TARE_END_CALL;
  if (byte == 0xff && i + 1 < length && ((code[i + 1] >> 3) & 6) == 2) return TARE_END_CALL;
  if (byte == 0xc3 || byte == 0xc2 || byte == 0xcb || byte == 0xca) return TARE_END_RETURN;
  return TARE_END_OTHER;
}

static inline enum tare_end tare_a64_end(uint32_t word) {
  if ((word & 0xff000000u) == 0x54000000u) return TARE_END_CONDITIONAL; /* b.cond, bc.cond */
  if ((word & 0x7c000000u) == 0x34000000u) return TARE_END_CONDITIONAL; /* cbz, cbnz, tbz, tbnz */
  if ((word & 0xfc000000u) == 0x94000000u) return TARE_END_CALL;        /* bl */
  if ((word & 0xfefff000u) == 0xd63f0000u) return TARE_END_CALL;        /* blr, blraa, blrab */
  if ((word & 0xfffff000u) == 0xd65f0000u) return TARE_END_RETURN;      /* ret, retaa, retab */
  return TARE_END_OTHER;
}
