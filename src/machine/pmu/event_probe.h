// event_probe.h: which events can be opened here, and why the others cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/host/conditions.h"
#include "machine/pmu/event_count.h"
#include "machine/pmu/event_self_test.h"

namespace tare::pmu {

// Settings that decide whether an event may be opened.
struct Permissions {
  std::optional<std::int64_t> paranoid;  // kernel.perf_event_paranoid
  bool filtered = false;                 // a seccomp filter is active
};

Permissions PermissionsOf(const host::Conditions& conditions);

// Why perf_event_open(2) failed with that error number, in plain words.
std::string WhyNotOpened(int error_number, EventClass event_class, bool with_kernel,
                         const Permissions& permissions);

struct Attempt {
  bool opens = false;
  int error_number = 0;  // 0 when it opens
  std::string reason;    // why it does not open
  SelfTest test;         // of an event that opens
};

struct ProbedEvent {
  EventRow row;
  Attempt user;         // counting in user mode only
  Attempt with_kernel;  // counting in kernel mode as well

  bool OpensAtAll() const { return user.opens || with_kernel.opens; }
};

// Tries to open every known event in both modes and tests those that open, on a separate thread.
// Takes some ten milliseconds.
std::vector<ProbedEvent> ProbeEvents(const Permissions& permissions,
                                     const OpenEvent& open = OpenForThisThread);

}  // namespace tare::pmu
