// dtw_kernels.cc: the strips for the baseline instruction set, and the choice at run time.
#include "stats/dtw_kernels.h"

#include "stats/dtw_kernels_x86.h"
#include "stats/dtw_strip.h"

namespace tare::stats {

std::span<const StripKernel> StripKernels(InstructionSet set) {
  switch (set) {
    case InstructionSet::kBaseline:
      return kKernels;
    case InstructionSet::kAvx2:
#if defined(__x86_64__)
      if (__builtin_cpu_supports("avx2")) return {Avx2Kernels(), kKernelCount};
#endif
      return {};
    case InstructionSet::kAvx512:
#if defined(__x86_64__)
      if (__builtin_cpu_supports("avx512f")) return {Avx512Kernels(), kKernelCount};
#endif
      return {};
  }
  return {};
}

std::span<const StripKernel> BestStripKernels() {
  for (InstructionSet set : {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
    if (auto kernels = StripKernels(set); !kernels.empty()) return kernels;
  }
  return StripKernels(InstructionSet::kBaseline);
}

}  // namespace tare::stats
