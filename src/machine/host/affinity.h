// affinity.h: pinning the calling thread to one processor while it measures.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

#include "base/result.h"

namespace tare::host {

// The processors that the calling thread may use, in ascending order.
Result<std::vector<unsigned>> AllowedProcessors();

// Pins the calling thread to one processor. The destructor restores the previous affinity mask and
// must run on the same thread.
class Pinned {
 public:
  // Without a processor the affinity stays unchanged. Fails when the processor does not exist or is
  // not allowed for this process; the message lists the allowed ones.
  static Result<Pinned> To(std::optional<unsigned> processor);

  ~Pinned();
  Pinned(Pinned&& other) noexcept;
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  Pinned& operator=(Pinned&&) = delete;

 private:
  Pinned() = default;
  std::optional<cpu_set_t> before_;
};

}  // namespace tare::host
