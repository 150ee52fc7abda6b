// user_read.h: the value of a running event, read by an instruction instead of a system call.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/pmu/event_count.h"

struct perf_event_mmap_page;

namespace tare::pmu {

// What makes the kernel allow the instruction for this event: nothing on x86-64, a bit of config1
// on AArch64, where kernel.perf_user_access must be 1 as well or the event does not open.
EventCode WithUserRead(EventCode code);

// The instruction that reads counter `index` of the processor, from 0. 31 is AArch64's counter of
// cycles. Traps unless the kernel allows it.
std::uint64_t ReadCounterRegister(std::uint32_t index);

// One reading by the protocol of perf_event_mmap_page. Absent when the page does not allow it or
// the event is on no counter at the moment. The calling thread is the one that the event counts.
std::optional<std::uint64_t> ReadByPage(const volatile perf_event_mmap_page& page,
                                        std::uint64_t (*read_register)(std::uint32_t));

// The page of an event. The event outlives it.
class UserReadPage {
 public:
  explicit UserReadPage(const EventHandle& event);
  ~UserReadPage();
  UserReadPage(const UserReadPage&) = delete;
  UserReadPage& operator=(const UserReadPage&) = delete;

  // Whether the kernel allows it for this event. False as well when it cannot be mapped.
  bool IsAllowed() const;
  // Absent: take EventHandle::Read() instead.
  std::optional<std::uint64_t> Read() const;

 private:
  const perf_event_mmap_page* page_ = nullptr;
};

}  // namespace tare::pmu
