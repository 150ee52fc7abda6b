// target_buffer.h: remembers where indirect jumps and calls went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare::model {

// Sets by the lowest bits of the address, the one used longest ago leaves. With one way it is a
// table without names, as Cachegrind's: a jump is told the target of whichever jump shares its
// place.
class TargetBuffer {
 public:
  // `entries` are `ways` times a power of two. The lowest `aligned_bits` of an instruction's
  // address are always zero.
  TargetBuffer(unsigned entries, unsigned ways, unsigned aligned_bits);

  // Whether the target was not known or another one; learns it.
  bool Wrong(std::uint64_t address, std::uint64_t target);

 private:
  struct Entry {
    std::uint64_t address = 0;
    std::uint64_t target = 0;
  };

  std::vector<Entry> entries_;  // of each set the one used last first
  std::size_t ways_;
  std::uint64_t set_mask_;
  unsigned aligned_bits_;
};

}  // namespace tare::model
