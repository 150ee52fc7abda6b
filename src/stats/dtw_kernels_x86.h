// dtw_kernels_x86.h: strips for the wider vectors that some x86-64 processors have.
#pragma once

#include "stats/dtw_kernels.h"

namespace tare::stats {

// The first of kKernelCount; to be called only where the processor has the instructions. Nothing
// else may be compiled in those files: the linker could choose their copy of an inline function.
const StripKernel* Avx2Kernels();
const StripKernel* Avx512Kernels();

}  // namespace tare::stats
