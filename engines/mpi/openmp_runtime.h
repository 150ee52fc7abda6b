/* openmp_runtime.h: which OpenMP runtime the process has, and whether it reports its regions. */
#pragma once

#include "format/mpi_wire.h"

enum tare_mpi_openmp tare_openmp_runtime(void);
