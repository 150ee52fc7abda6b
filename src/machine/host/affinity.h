// affinity.h: keeps a thread on one processor for as long as it measures.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

#include "base/result.h"

namespace tare::host {

// The processors that the calling thread may use, in rising order.
Result<std::vector<unsigned>> AllowedProcessors();

// Holds the calling thread on a processor; what was allowed before is allowed again at the end of
// its life. To be destroyed by the thread that made it.
class Pinned {
 public:
  // No processor given: the thread stays where it may be. Fails when the processor does not exist
  // or is forbidden to this process, and names those that are allowed.
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
