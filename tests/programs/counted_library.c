// counted_library.c: a library with its own counters.
#include "counted.h"

COUNTED_UNIT(2, "metric\tlibrary calls\tcount\t0\n");

__attribute__((visibility("default"))) void library_call(void) { counted_add(0, 1); }
