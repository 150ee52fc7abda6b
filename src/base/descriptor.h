// descriptor.h: an owning file descriptor that can be kept off numbers 0 to 2.
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

  // Takes ownership of `number`, which may be -1. If tare was started with descriptor 0, 1 or 2
  // closed, open(2) returns that number, but the target expects it to be a standard stream. So a
  // number below 3 is duplicated to 3 or above.
  static Descriptor AboveStandard(int number) {
    if (number < 0 || number > STDERR_FILENO) return Descriptor(number);
    const Descriptor low(number);
    return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }

  int Number() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  // Returns 0, or -1 with errno set when earlier writes could not be stored (NFS, quotas; see
  // close(2)). The caller must check it after writing.
  int Close() { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_ = -1;
};

}  // namespace tare
