// target_buffer.cc: finds a jump in its set and moves it to the front.
#include "model/core/target_buffer.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/check.h"

namespace tare::model {

TargetBuffer::TargetBuffer(unsigned entries, unsigned ways, unsigned aligned_bits)
    : entries_(entries), ways_(ways), aligned_bits_(aligned_bits) {
  CHECK(ways > 0 && entries % ways == 0 && std::has_single_bit(entries / ways));
  set_mask_ = entries / ways - 1U;
}

bool TargetBuffer::Mispredicts(std::uint64_t address, std::uint64_t target) {
  const std::size_t set = (address >> aligned_bits_) & set_mask_;
  if (ways_ == 1) {
    const bool wrong = entries_[set].target != target;
    entries_[set].target = target;
    return wrong;
  }
  const std::span<Entry> of_set = std::span(entries_).subspan(set * ways_, ways_);
  // No instruction is at address 0, so an empty entry never matches.
  const auto found = std::ranges::find(of_set, address, &Entry::address);
  const bool known = found != of_set.end();
  const bool wrong = !known || found->target != target;
  const auto last = known ? found : std::prev(of_set.end());
  std::move_backward(of_set.begin(), last, std::next(last));
  of_set.front() = {.address = address, .target = target};
  return wrong;
}

}  // namespace tare::model
