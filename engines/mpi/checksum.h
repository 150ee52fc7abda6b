/* checksum.h: CRC-32 as in zlib, so that the program need not load zlib. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Continues `checksum` (0 at first) over `bytes`. */
uint32_t tare_crc32(uint32_t checksum, const void* bytes, size_t count);
