// descriptor.h: a file descriptor with an owner, kept out of the way of the standard three.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace tare {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }

  // Takes over `number`, which may be -1. Whoever starts us can have closed 0, 1 or 2, and then
  // the kernel gives out these numbers, which are the program's.
  static Descriptor AboveStandard(int number) {
    if (number < 0 || number > STDERR_FILENO) return Descriptor(number);
    const Descriptor low(number);
    return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }

  int Number() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  // 0, or -1 when what was written before could not be kept (NFS, quotas): the caller's to see.
  int Close() { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_ = -1;
};

}  // namespace tare
