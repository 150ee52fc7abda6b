// sampling_events.h: the kernel's sampling timers of a program, a process or the whole system, and
// the rings into which they write.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "measure/profile/perf_records.h"
#include "measure/profile/perf_rings.h"

namespace tare::profile {

enum class SamplingEvent { kAutomatic, kClock, kCycles };
enum class Chains { kNone, kFramePointer, kDwarf };

std::string_view Name(Chains chains);

struct SamplingPlan {
  SamplingEvent event = SamplingEvent::kAutomatic;
  Chains chains = Chains::kFramePointer;
  double frequency = 1000;  // samples per second of processor time, of both timers together
};

// What the kernel granted.
struct Granted {
  SamplingEvent event = SamplingEvent::kClock;
  bool with_kernel = false;
  std::array<std::uint64_t, 2> period = {0, 0};  // ns or cycles; 0: this timer is not used
  SampleLayout layout;
};

enum class Start {
  kAtExec,  // when the process calls execve
  kAtOnce,
};

// The totals of the timers so far.
struct SampledTime {
  std::uint64_t cpu_ns = 0;  // processor time of the sampled threads
};

// An event whose identifier occurs in samples.
struct OpenedTimer {
  std::uint64_t event = 0;
  std::uint32_t timer = 0;
};

// Two timers per processor with incommensurate periods. Children and threads inherit them. Closing
// them does not affect the program.
class SamplingEvents {
 public:
  // Opens timers on these threads, or on all tasks of the system if there are none. kUnsupported
  // with the reason and the remedy when the kernel refuses.
  static Result<SamplingEvents> Open(const std::vector<pid_t>& threads, const SamplingPlan& plan,
                                     Start start);

  const Granted& Facts() const { return granted_; }
  const std::vector<OpenedTimer>& Timers() const { return timers_; }

  // Waits until a ring is a quarter full, at most so long.
  void Wait(int milliseconds) const { rings_.Wait(milliseconds); }
  // Calls `take` on every whole record in the rings and frees their space.
  void Drain(const std::function<void(std::span<const std::byte>)>& take) { rings_.Drain(take); }
  void Stop() const;
  void Resume() const;
  SampledTime Time() const;

 private:
  SamplingEvents() = default;
  Result<void> OpenAll(const std::vector<pid_t>& threads, const SamplingPlan& plan, Start start);

  Granted granted_;
  std::vector<Descriptor> events_;
  std::vector<std::size_t> first_timer_;  // indices into events_
  std::vector<OpenedTimer> timers_;
  PerfRings rings_;
};

}  // namespace tare::profile
