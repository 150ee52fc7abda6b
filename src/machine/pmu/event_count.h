// event_count.h: one open event of the calling thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "machine/pmu/pmu_event.h"

namespace tare::pmu {

// A descriptor, or the error number negated. Tests put their own in place of the kernel.
using OpenEvent = std::function<int(const EventCode& code)>;

// Opens the event for the calling thread on whichever processor it runs, switched off.
int OpenForThisThread(const EventCode& code);

struct EventCount {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;  // while it was switched on
  std::uint64_t running_ns = 0;  // while it really counted; less: the counter was shared
};

// Owns a descriptor from an OpenEvent; a negative one is a failed opening.
class EventHandle {
 public:
  explicit EventHandle(int descriptor) : descriptor_(descriptor) {}
  ~EventHandle();
  EventHandle(EventHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  EventHandle& operator=(EventHandle&&) = delete;

  bool IsOpen() const { return descriptor_ >= 0; }
  int Descriptor() const { return descriptor_; }

  // From 0. False when the kernel refuses.
  bool Start() const;
  bool Stop() const;
  std::optional<EventCount> Read() const;

 private:
  int descriptor_;
};

}  // namespace tare::pmu
