/* checksum.c: CRC-32 with eight tables, eight bytes at a time. */
#include "checksum.h"

#include <string.h>

static uint32_t tables[8][256];

__attribute__((constructor)) static void make_tables(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xedb88320u : 0);
    tables[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (int t = 1; t < 8; ++t) {
      tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xff];
    }
  }
}

uint32_t tare_crc32(uint32_t checksum, const void* bytes, size_t count) {
  const unsigned char* at = bytes;
  uint32_t value = ~checksum;
  for (; count >= 8; count -= 8, at += 8) {
    uint32_t low;
    uint32_t high;
    memcpy(&low, at, 4);
    memcpy(&high, at + 4, 4);
    low ^= value;
    value = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^
            tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^
            tables[1][(high >> 16) & 0xff] ^ tables[0][high >> 24];
  }
  for (; count > 0; --count, ++at) value = (value >> 8) ^ tables[0][(value ^ *at) & 0xff];
  return ~value;
}
