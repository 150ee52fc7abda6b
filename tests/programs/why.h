/* why.h: a known amount of work, for programs with planted causes of count variation. */
#pragma once

#include <stdint.h>

static volatile uint64_t why_sink;

/* A loop of `rounds` iterations, plus a constant number that all programs share. */
static inline void why_work(uint64_t rounds) {
  uint64_t value = 1;
  for (uint64_t i = 0; i < 20000 + rounds; ++i) value = value * 6364136223846793005u + i;
  why_sink = value;
}

/* Maps a number to 0 to 4095. */
static inline uint64_t why_hash(uint64_t number) {
  number ^= number >> 33;
  number *= 0xff51afd7ed558ccdu;
  number ^= number >> 33;
  number *= 0xc4ceb9fe1a85ec53u;
  return (number >> 40) & 4095;
}
