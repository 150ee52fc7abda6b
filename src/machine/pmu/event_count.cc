// event_count.cc: the system calls of an event.
#include "machine/pmu/event_count.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace tare::pmu {

int OpenForThisThread(const EventCode& code) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = code.type;
  attributes.config = code.config;
  attributes.config1 = code.config1;
  attributes.config2 = code.config2;
  attributes.disabled = 1;
  attributes.exclude_user = !code.user;
  attributes.exclude_kernel = !code.kernel;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long descriptor =
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return descriptor < 0 ? -errno : static_cast<int>(descriptor);
}

EventHandle::~EventHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool EventHandle::Start() const {
  return ::ioctl(descriptor_, PERF_EVENT_IOC_RESET, 0) == 0 &&
         ::ioctl(descriptor_, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

bool EventHandle::Stop() const { return ::ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0) == 0; }

std::optional<EventCount> EventHandle::Read() const {
  std::array<std::uint64_t, 3> fields{};
  if (::read(descriptor_, fields.data(), sizeof fields) != static_cast<ssize_t>(sizeof fields)) {
    return std::nullopt;
  }
  return EventCount{.value = fields[0], .enabled_ns = fields[1], .running_ns = fields[2]};
}

}  // namespace tare::pmu
