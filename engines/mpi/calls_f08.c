/* calls_f08.c: the module mpi_f08. */
#define SYMBOL(name) mpi_##name##_f08_

#include "calls_fortran.h"
