// dtw_kernels_x86.h: strips for AVX2 and AVX-512.
#pragma once

#include "stats/dtw_kernels.h"

namespace tare::stats {

// Each returns a pointer to the first of kKernelCount strips and may be called only if the
// processor supports the instructions. Their source files must contain no other code: the linker
// could pick their copy of an inline function for the whole program.
const StripKernel* Avx2Kernels();
const StripKernel* Avx512Kernels();

}  // namespace tare::stats
