/* numbers.h: writes the numbers of records: LEB128, signed ones zigzag encoded. */
#pragma once

#include <stdint.h>

static inline unsigned char* tare_put(unsigned char* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = (unsigned char)(value | 0x80);
    value >>= 7;
  }
  *to++ = (unsigned char)value;
  return to;
}

static inline unsigned char* tare_put_signed(unsigned char* to, int64_t value) {
  return tare_put(to, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}
