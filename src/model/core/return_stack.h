// return_stack.h: predicts return addresses with a stack of calls.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::model {

// When it is full, the oldest entry is overwritten.
class ReturnStack {
 public:
  // Needs at least 1 entry.
  explicit ReturnStack(unsigned entries) : addresses_(entries), last_(entries - 1) {}

  void Push(std::uint64_t address) {
    top_ = top_ == last_ ? 0 : top_ + 1;
    if (depth_ <= last_) ++depth_;
    addresses_[top_] = address;
  }

  // Pops an entry. Returns true if the stack was empty or predicted another address.
  bool Mispredicts(std::uint64_t target) {
    if (depth_ == 0) return true;
    --depth_;
    const std::uint64_t predicted = addresses_[top_];
    top_ = top_ == 0 ? last_ : top_ - 1;
    return predicted != target;
  }

 private:
  std::vector<std::uint64_t> addresses_;
  unsigned last_;
  unsigned top_ = 0;
  unsigned depth_ = 0;
};

}  // namespace tare::model
