/* inputs_wire.h: what tare and the library of engines/inputs tell each other. C and C++. */
#pragma once

#include <stdint.h>

/* TARE_INPUTS=START:SEED:FILE, numbers in 20 decimal digits. The date begins at START seconds and
 * goes on as real time does; random numbers follow from SEED. FILE has a struct
 * tare_native_inputs. */
#define TARE_INPUTS_VARIABLE "TARE_INPUTS"
#define TARE_INPUTS_DIGITS 20

struct tare_native_inputs {
  int64_t began;   /* CLOCK_MONOTONIC of the first process, ns; 0: none yet */
  uint64_t times;  /* requests for the date */
  uint64_t random; /* requests for random numbers */
};
