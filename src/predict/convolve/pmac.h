// pmac.h: the convolution of Carrington, Wolter and Snavely: rates of blocks, weighted by their
// share of memory references.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "predict/signature/cache_hits.h"
#include "predict/signature/signature.h"

namespace tare::convolve {

// A block on the curves of a machine.
struct PlacedBlock {
  std::size_t part = 0;
  std::size_t block = 0;
  double share = 0;        // of all references
  double rate = 0;         // references per second, on the curves of its pattern
  double random = 0;       // share of its references
  double working_set = 0;  // bytes at which the curve has the hit rates nearest to the block's
};

struct PmacResult {
  double metasim = 0;   // equation 1: the weighted arithmetic mean of rates, references per second
  double harmonic = 0;  // the same references divided by the sum of their times
  double references = 0;
  double seconds = 0;               // references / metasim
  double harmonic_seconds = 0;      // references / harmonic
  std::vector<PlacedBlock> blocks;  // by share, descending
};

// Needs curves of loads with stride one and of random loads, or levels from which they can be
// computed. kUnsupported with the curve that is missing.
Result<PmacResult> Pmac(const signature::Signature& signature,
                        const machine_profile::Profile& profile);

}  // namespace tare::convolve
