// sampling_events.cc: perf_event_open(2) with the smallest demands that answer the question.
#include "measure/profile/sampling_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "machine/host/conditions.h"
#include "machine/pmu/event_probe.h"
#include "measure/profile/sampled_registers.h"

namespace tare::profile {
namespace {

constexpr std::uint32_t kStackBytes = 8192;
// Both timers together have the requested rate; the ratio of their periods is the golden ratio,
// which is farthest from every ratio of small integers.
constexpr double kGolden = 1.618033988749895;

std::array<std::uint64_t, 2> PeriodsOf(double per_second, double units_per_second) {
  const auto period = [&](double share) {
    return static_cast<std::uint64_t>(std::llround(units_per_second / (per_second * share)));
  };
  return {period(1 / kGolden), period(1 - 1 / kGolden)};
}

perf_event_attr AttributesOf(const Granted& granted, const SamplingPlan& plan, Start start,
                             bool system) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  const bool clock = granted.event == SamplingEvent::kClock;
  attributes.type = clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
  attributes.config =
      clock ? std::uint64_t{PERF_COUNT_SW_CPU_CLOCK} : std::uint64_t{PERF_COUNT_HW_CPU_CYCLES};
  attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                           PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  if (granted.layout.chain) attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
  if (granted.layout.registers != 0) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER;
    attributes.sample_regs_user = granted.layout.registers;
  }
  if (granted.layout.stack_bytes != 0) {
    attributes.sample_type |= PERF_SAMPLE_STACK_USER;
    attributes.sample_stack_user = granted.layout.stack_bytes;
  }
  attributes.exclude_callchain_user = plan.chains == Chains::kDwarf ? 1 : 0;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 1;
  attributes.enable_on_exec = start == Start::kAtExec ? 1 : 0;
  attributes.inherit = system ? 0 : 1;
  attributes.exclude_kernel = granted.with_kernel ? 0 : 1;
  attributes.exclude_callchain_kernel = granted.with_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.exclude_idle = 1;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.watermark = 1;
  attributes.wakeup_watermark = PerfRings::QuarterBytes();
  return attributes;
}

// Only one event of each ring reports what else happens to the processes.
void ReportTasks(perf_event_attr& attributes) {
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.task = 1;
  // Which build of a file was mapped; the file may be replaced before it is read.
  attributes.build_id = 1;
}

int OpenTimer(const perf_event_attr& attributes, pid_t thread, int processor) {
  const long opened =
      ::syscall(SYS_perf_event_open, &attributes, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
  return opened < 0 ? -errno : static_cast<int>(opened);
}

std::unexpected<Error> Refused(int error_number, const Granted& granted, bool system) {
  if (error_number == ESRCH) return Fail(ErrorKind::kNotFound, "there is no such process");
  const auto conditions = host::ReadConditions(host::SystemFiles{}, {});
  const auto permissions = pmu::PermissionsOf(conditions);
  const auto event_class = granted.event == SamplingEvent::kClock ? pmu::EventClass::kSoftware
                                                                  : pmu::EventClass::kHardware;
  std::string remedy = "count instructions instead: tare profile --exact";
  if (error_number == EACCES || error_number == EPERM || error_number == ENOSYS) {
    remedy = permissions.filtered
                 ? "start the container with --cap-add PERFMON and a seccomp profile that allows "
                   "perf_event_open, or count instructions instead: tare profile --exact"
                 : fmt::format(
                       "allow it with 'sysctl kernel.perf_event_paranoid={}' or "
                       "CAP_PERFMON, or count instructions instead: tare profile --exact",
                       system ? 0 : 2);
  }
  if (granted.event == SamplingEvent::kCycles) remedy = "use --event clock";
  return Fail(ErrorKind::kUnsupported,
              fmt::format("cannot sample: {}; {}",
                          pmu::WhyNotOpened(error_number, event_class,
                                            granted.with_kernel || system, permissions),
                          remedy));
}

// Tries both modes of both events and returns the best that opens for this thread.
Result<Granted> Negotiate(pid_t thread, const SamplingPlan& plan, Start start) {
  Granted granted;
  granted.layout.chain = plan.chains != Chains::kNone;
  if (plan.chains == Chains::kDwarf) {
    granted.layout.registers = UnwindingRegisters();
    granted.layout.stack_bytes = kStackBytes;
  } else if (plan.chains == Chains::kFramePointer) {
    granted.layout.registers = ChainRegisters();
    granted.layout.stack_bytes = ChainStackBytes();
  }
  std::vector<SamplingEvent> events;
  if (plan.event != SamplingEvent::kClock) events.push_back(SamplingEvent::kCycles);
  if (plan.event != SamplingEvent::kCycles) events.push_back(SamplingEvent::kClock);
  int error_number = 0;
  for (const SamplingEvent event : events) {
    for (const bool with_kernel : {true, false}) {
      granted.event = event;
      granted.with_kernel = with_kernel;
      auto attributes = AttributesOf(granted, plan, start, thread < 0);
      attributes.sample_period = 1'000'000;
      const int opened = OpenTimer(attributes, thread, thread < 0 ? 0 : -1);
      const Descriptor event_descriptor(std::max(opened, -1));
      if (opened < 0) {
        error_number = -opened;
        continue;
      }
      // A processor's clock is some GHz; the exact rate does not matter.
      constexpr double kCyclesPerSecond = 2.5e9;
      granted.period =
          PeriodsOf(plan.frequency, event == SamplingEvent::kClock ? 1e9 : kCyclesPerSecond);
      return granted;
    }
  }
  return Refused(error_number, granted, thread < 0);
}

}  // namespace

std::string_view Name(Chains chains) {
  switch (chains) {
    case Chains::kNone:
      return "none";
    case Chains::kFramePointer:
      return "fp";
    case Chains::kDwarf:
      return "dwarf";
  }
  return "";
}

Result<SamplingEvents> SamplingEvents::Open(const std::vector<pid_t>& threads,
                                            const SamplingPlan& plan, Start start) {
  SamplingEvents events;
  const pid_t first = threads.empty() ? -1 : threads.front();
  TRY(events.granted_, Negotiate(first, plan, start));
  TRY_VOID(events.OpenAll(threads.empty() ? std::vector<pid_t>{-1} : threads, plan, start));
  return events;
}

Result<void> SamplingEvents::OpenAll(const std::vector<pid_t>& threads, const SamplingPlan& plan,
                                     Start start) {
  const std::size_t processors = PerfRings::Processors();
  const bool system = threads.front() < 0;
  for (const pid_t thread : threads) {
    for (std::size_t processor = 0; processor < processors; ++processor) {
      for (std::uint32_t timer = 0; timer < 2; ++timer) {
        auto attributes = AttributesOf(granted_, plan, start, system);
        attributes.sample_period = granted_.period[timer];
        if (timer == 0) ReportTasks(attributes);
        int opened = OpenTimer(attributes, thread, static_cast<int>(processor));
        if (opened == -EINVAL && attributes.build_id != 0) {  // Linux before 5.12
          attributes.build_id = 0;
          opened = OpenTimer(attributes, thread, static_cast<int>(processor));
        }
        if (opened == -ENODEV) break;                        // the processor is offline
        if (opened < 0 && thread != threads.front()) break;  // the thread has ended
        if (opened < 0 && timer == 1 && granted_.event == SamplingEvent::kCycles) {
          granted_.period[1] = 0;  // no second counter
          break;
        }
        if (opened < 0) return Refused(-opened, granted_, system);
        Descriptor event = Descriptor::AboveStandard(opened);
        std::uint64_t id = 0;
        if (::ioctl(event.Number(), PERF_EVENT_IOC_ID, &id) != 0)
          return Fail(ErrorKind::kUnsupported, "the kernel gives sampling events no identifiers");
        TRY_VOID(rings_.Add(processor, event));
        if (timer == 0) first_timer_.push_back(events_.size());
        timers_.push_back({id, timer});
        events_.push_back(std::move(event));
      }
    }
  }
  if (events_.empty()) return Fail(ErrorKind::kNotFound, "there is no such process");
  if (start == Start::kAtOnce) Resume();
  return {};
}

void SamplingEvents::Stop() const {
  for (const Descriptor& event : events_) ::ioctl(event.Number(), PERF_EVENT_IOC_DISABLE, 0);
}

void SamplingEvents::Resume() const {
  for (const Descriptor& event : events_) ::ioctl(event.Number(), PERF_EVENT_IOC_ENABLE, 0);
}

SampledTime SamplingEvents::Time() const {
  SampledTime time;
  for (const std::size_t first : first_timer_) {
    std::uint64_t values[3] = {};  // count, enabled, running
    if (::read(events_[first].Number(), values, sizeof values) == sizeof values)
      time.cpu_ns += values[2];
  }
  return time;
}

}  // namespace tare::profile
