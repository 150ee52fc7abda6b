// system_events.h: what the kernel does to a program while it is recorded: page faults, context
// switches and disk requests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "format/event_writer.h"
#include "measure/events/block_requests.h"
#include "measure/profile/perf_records.h"
#include "measure/profile/perf_rings.h"

namespace tare::events {

struct SystemKinds {
  bool faults = false;
  bool switches = false;
  bool disk = false;

  bool Any() const { return faults || switches || disk; }
};

// Each is a list, separated by commas, of "all", "faults", "switches" and "disk".
Result<SystemKinds> ParseSystemKinds(std::span<const std::string> lists);

// The name of the events whose value is an address.
inline constexpr std::string_view kPageFault = "page-fault";

// CLOCK_MONOTONIC, which the kernel's records have.
std::uint64_t MonotonicNs();

// Events of the program's process and of all its descendants. Not thread-safe.
class SystemEvents {
 public:
  // `start_ns` is MonotonicNs() at the start of the trace.
  SystemEvents(const SystemKinds& kinds, std::uint64_t start_ns)
      : kinds_(kinds), start_ns_(start_ns) {}

  // To be called before the process calls execve. Adds the sites of the events. A kind that the
  // kernel does not grant gets a site that is absent, with the reason as its file.
  void Open(pid_t process, format::EventTables& tables);

  // Moves what has arrived to the trace, in the order of time. Events that may be preceded by
  // others wait for the next call, unless it is the last.
  void Take(format::EventTraceWriter& writer, bool last = false);

 private:
  enum class Kind { kFault, kSwitchIn, kSwitchOut, kPreempted, kClaim, kRequest, kCompletion };
  struct Happened {
    Kind kind = Kind::kFault;
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t value = 0;  // address or processor
    DiskRequest request;
  };
  // A disk request of the program.
  struct Claimed {
    std::uint32_t thread = 0;
    std::uint64_t issued_ns = 0;  // 0: not yet
  };

  // Opens an event on every processor. Fails with the reason.
  Result<void> OpenEverywhere(Kind kind, std::uint64_t tracepoint, bool with_kernel, pid_t process);
  void OpenFaults(pid_t process, format::EventTables& tables);
  void OpenSwitches(pid_t process, format::EventTables& tables);
  void OpenDisk(pid_t process, format::EventTables& tables);
  Result<void> OpenRequests(pid_t process);
  void Wait(const profile::PerfRecord& record);
  void TakeOne(const Happened& event, format::EventTraceWriter& writer);
  void Claim(const Happened& event, format::EventTables& tables);
  void TakeRequest(const Happened& event, format::EventTraceWriter& writer);
  std::uint64_t SinceStart(const Happened& event) const;
  std::uint32_t ThreadOf(const Happened& event, format::EventTables& tables);

  SystemKinds kinds_;
  std::uint64_t start_ns_;
  std::vector<Descriptor> events_;
  profile::PerfRings rings_;
  std::unordered_map<std::uint64_t, Kind> kind_of_;  // by the identifier in samples
  std::map<Kind, RequestFields> fields_;
  std::map<Kind, std::uint32_t> sites_;
  std::map<char, std::uint32_t> request_sites_;  // by the letter of the request; 0: others
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> threads_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Claimed> requests_;  // by major, sector
  std::vector<Happened> waiting_;
  std::uint64_t newest_ns_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace tare::events
