// block_times.h: what one execution of a piece of code takes on a machine, from a signature.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/convolve/machine_rates.h"
#include "predict/signature/signature.h"

namespace tare::convolve {

// The code of one file of a signature. A loop takes the time that a prediction gives it; its blocks
// share it in proportion to what each would take alone.
class BlockTimes {
 public:
  // `object` is an index into the objects of the signature.
  BlockTimes(const signature::Signature& signature, std::uint32_t object,
             const MachineRates& rates);

  // Seconds of one execution of the code at this place of the file. Code that the signature has no
  // execution of takes the mean time of the file's code.
  double Seconds(std::uint64_t offset, std::uint64_t bytes) const;
  // Of all executions.
  double Total() const { return total_; }

 private:
  struct Piece {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    double seconds_per_byte = 0;  // of one execution
  };

  std::vector<Piece> pieces_;  // by start, disjoint
  double mean_ = 0;            // seconds per byte of one execution
  double total_ = 0;
};

}  // namespace tare::convolve
