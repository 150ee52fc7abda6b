// affinity.cc: sched_setaffinity(2), undone by the destructor.
#include "machine/host/affinity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tare::host {

Result<std::vector<unsigned>> AllowedProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {
    return Fail(ErrorKind::kUnsupported, fmt::format("cannot read the processor affinity: {}",
                                                     std::generic_category().message(errno)));
  }
  std::vector<unsigned> allowed;
  for (unsigned processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &set)) allowed.push_back(processor);
  }
  return allowed;
}

Result<PinnedThread> PinnedThread::To(std::optional<unsigned> processor) {
  PinnedThread pinned;
  if (!processor) return pinned;
  TRY(const auto allowed, AllowedProcessors());
  cpu_set_t before;
  CPU_ZERO(&before);
  for (unsigned one : allowed) CPU_SET(one, &before);
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  if (*processor < CPU_SETSIZE) CPU_SET(*processor, &wanted);
  if (*processor >= CPU_SETSIZE || !CPU_ISSET(*processor, &before) ||
      ::sched_setaffinity(0, sizeof wanted, &wanted) != 0) {
    return Fail(ErrorKind::kUsage, fmt::format("cannot run on processor {}; allowed here: {}",
                                               *processor, fmt::join(allowed, ", ")));
  }
  pinned.before_ = before;
  return pinned;
}

PinnedThread::PinnedThread(PinnedThread&& other) noexcept
    : before_(std::exchange(other.before_, std::nullopt)) {}

PinnedThread::~PinnedThread() {
  if (before_) ::sched_setaffinity(0, sizeof *before_, &*before_);
}

}  // namespace tare::host
