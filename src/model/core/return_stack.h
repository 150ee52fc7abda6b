// return_stack.h: remembers where calls are to come back to.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::model {

// When it is full, the oldest one is overwritten.
class ReturnStack {
 public:
  // 1 entry or more.
  explicit ReturnStack(unsigned entries) : addresses_(entries), last_(entries - 1) {}

  void Push(std::uint64_t address) {
    top_ = top_ == last_ ? 0 : top_ + 1;
    if (depth_ <= last_) ++depth_;
    addresses_[top_] = address;
  }

  // Whether the stack was empty or named another address; takes one off.
  bool Wrong(std::uint64_t target) {
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
