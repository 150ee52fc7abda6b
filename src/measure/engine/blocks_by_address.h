// blocks_by_address.h: finds the blocks of a recording whose blocks do not overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "format/recording.h"

namespace tare::engine {

// The recording must outlive it.
class BlocksByAddress {
 public:
  explicit BlocksByAddress(const format::Recording& recording) {
    for (const format::Block& block : recording.blocks) blocks_.push_back(&block);
    std::ranges::sort(blocks_, {}, &format::Block::address);
  }

  // The block that contains the address; null if there is none.
  const format::Block* At(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(blocks_, address, {}, &format::Block::address);
    if (behind == blocks_.begin()) return nullptr;
    const format::Block* const block = *std::prev(behind);
    return address - block->address < block->code.size() ? block : nullptr;
  }

 private:
  std::vector<const format::Block*> blocks_;
};

// Numbers the blocks of a recording of the compiled engine, which have no numbers, from 0.
inline void NumberBlocks(format::Recording& recording) {
  for (std::size_t number = 0; number < recording.blocks.size(); ++number)
    recording.blocks[number].number = number;
}

}  // namespace tare::engine
