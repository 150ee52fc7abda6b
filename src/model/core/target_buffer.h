// target_buffer.h: a branch target buffer: predicts the targets of indirect jumps and calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare::model {

// Sets are selected by the lowest address bits, with LRU replacement. With one way it is an
// untagged table, as in Cachegrind: a jump gets the target of whichever jump used its entry last.
class TargetBuffer {
 public:
  // `entries` must be `ways` times a power of two. The lowest `aligned_bits` of an instruction's
  // address are always zero.
  TargetBuffer(unsigned entries, unsigned ways, unsigned aligned_bits);

  // Returns whether the target was unknown or mispredicted, and stores it.
  bool Mispredicts(std::uint64_t address, std::uint64_t target);

 private:
  struct Entry {
    std::uint64_t address = 0;
    std::uint64_t target = 0;
  };

  std::vector<Entry> entries_;  // in each set most recently used first
  std::size_t ways_;
  std::uint64_t set_mask_;
  unsigned aligned_bits_;
};

}  // namespace tare::model
