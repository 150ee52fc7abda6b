// dtw_kernels_avx512.cc: strips of eight lanes; compiled with -mavx512f.
#if defined(__x86_64__)

#include "stats/dtw_kernels_x86.h"
#include "stats/dtw_strip.h"

namespace tare::stats {

const StripKernel* Avx512Kernels() { return kKernels; }

}  // namespace tare::stats

#endif
