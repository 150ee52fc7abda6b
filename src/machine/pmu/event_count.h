// event_count.h: one open perf event of the calling thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "machine/pmu/pmu_event.h"

namespace tare::pmu {

// Returns a descriptor or a negated error number. Tests substitute their own for the kernel.
using OpenEvent = std::function<int(const EventCode& code)>;

// Opens the event, disabled, for the calling thread on any processor (perf_event_open(2)).
int OpenForThisThread(const EventCode& code);

struct EventCount {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;  // while it was enabled
  std::uint64_t running_ns =
      0;  // while it counted; less than enabled_ns: the counter was multiplexed
};

// Owns a descriptor from an OpenEvent; a negative one represents a failed open.
class EventHandle {
 public:
  explicit EventHandle(int descriptor) : descriptor_(descriptor) {}
  ~EventHandle();
  EventHandle(EventHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  EventHandle& operator=(EventHandle&&) = delete;

  bool IsOpen() const { return descriptor_ >= 0; }
  int Descriptor() const { return descriptor_; }

  // Counts from 0. False when the kernel refuses.
  bool Start() const;
  bool Stop() const;
  std::optional<EventCount> Read() const;

 private:
  int descriptor_;
};

}  // namespace tare::pmu
