/* calls_mpifh.c: mpif.h and the module mpi. */
#define SYMBOL(name) mpi_##name##_

#include "calls_fortran.h"
