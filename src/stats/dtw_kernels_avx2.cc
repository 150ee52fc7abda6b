// dtw_kernels_avx2.cc: strips of four lanes; compiled with -mavx2.
#if defined(__x86_64__)

#include "stats/dtw_kernels_x86.h"
#include "stats/dtw_strip.h"

namespace tare::stats {

const StripKernel* Avx2Kernels() { return kKernels; }

}  // namespace tare::stats

#endif
