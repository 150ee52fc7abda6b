// memory_rows.h: table rows of the microbenchmarks of one element size, for both architectures.
#pragma once

#include "machine/microbenchmark/walk.h"

#define TARE_ACCESS_ROWS(ACCESS, WORD, SUFFIX, BYTES, ELEMENTS)                                   \
  SequentialMicrobenchmark("tare_" #WORD "_sequential_" #SUFFIX, machine_profile::Access::ACCESS, \
                           BYTES, ELEMENTS, tare_##WORD##_sequential_##SUFFIX),                   \
      ElementMicrobenchmark("tare_" #WORD "_strided_" #SUFFIX, machine_profile::Access::ACCESS,   \
                            machine_profile::Pattern::kStrided, BYTES, kStridedElements,          \
                            tare_##WORD##_strided_##SUFFIX),                                      \
      ElementMicrobenchmark("tare_" #WORD "_random_" #SUFFIX, machine_profile::Access::ACCESS,    \
                            machine_profile::Pattern::kRandom, BYTES, kRandomElements,            \
                            tare_##WORD##_random_##SUFFIX)

// Loads, stores and updates of the element that SUFFIX names: sequential with ELEMENTS per
// iteration, strided and random.
#define TARE_ELEMENT_ROWS(SUFFIX, BYTES, ELEMENTS)              \
  TARE_ACCESS_ROWS(kLoad, load, SUFFIX, BYTES, ELEMENTS),       \
      TARE_ACCESS_ROWS(kStore, store, SUFFIX, BYTES, ELEMENTS), \
      TARE_ACCESS_ROWS(kUpdate, update, SUFFIX, BYTES, ELEMENTS)

#define TARE_CHAINED_ROW(ACCESS, WORD)                                               \
  ElementMicrobenchmark("tare_" #WORD "_chained_8", machine_profile::Access::ACCESS, \
                        machine_profile::Pattern::kChained, 8, kChainedElements,     \
                        tare_##WORD##_chained_8)
#define TARE_CHAINED_ROWS TARE_CHAINED_ROW(kLoad, load), TARE_CHAINED_ROW(kUpdate, update)
