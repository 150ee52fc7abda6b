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
class PinnedThread {
 public:
  // Without a processor the affinity stays unchanged. Fails when the processor does not exist or is
  // not allowed for this process; the message lists the allowed ones.
  static Result<PinnedThread> To(std::optional<unsigned> processor);

  ~PinnedThread();
  PinnedThread(PinnedThread&& other) noexcept;
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  PinnedThread& operator=(PinnedThread&&) = delete;

 private:
  PinnedThread() = default;
  std::optional<cpu_set_t> before_;
};

}  // namespace tare::host
