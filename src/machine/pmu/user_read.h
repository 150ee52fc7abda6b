// user_read.h: reading a running event by an instruction instead of a system call.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/pmu/event_count.h"

struct perf_event_mmap_page;

namespace tare::pmu {

// Sets what makes the kernel permit the instruction for this event: nothing on x86-64, a bit of
// config1 on AArch64. AArch64 also needs kernel.perf_user_access=1; otherwise the event does not
// open.
EventCode WithUserRead(EventCode code);

// Executes the instruction that reads counter `index` of the processor, from 0; 31 is AArch64's
// cycle counter. Traps unless the kernel permits it.
std::uint64_t ReadCounterRegister(std::uint32_t index);

// One read by the protocol of perf_event_mmap_page (perf_event_open(2)). Absent when the page does
// not permit it or no counter is assigned to the event at the moment. The event must count the
// calling thread.
std::optional<std::uint64_t> ReadByPage(const volatile perf_event_mmap_page& page,
                                        std::uint64_t (*read_register)(std::uint32_t));

// The mapped page of an event. The event must outlive it.
class UserReadPage {
 public:
  explicit UserReadPage(const EventHandle& event);
  ~UserReadPage();
  UserReadPage(const UserReadPage&) = delete;
  UserReadPage& operator=(const UserReadPage&) = delete;

  // Whether the kernel permits user-mode reads of this event. Also false when mapping fails.
  bool IsAllowed() const;
  // Absent: use EventHandle::Read() instead.
  std::optional<std::uint64_t> Read() const;

 private:
  const perf_event_mmap_page* page_ = nullptr;
};

}  // namespace tare::pmu
