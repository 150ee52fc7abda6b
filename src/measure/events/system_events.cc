// system_events.cc: perf_event_open(2) with a record for every event.
#include "measure/events/system_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/split.h"
#include "machine/host/conditions.h"
#include "machine/pmu/event_probe.h"

namespace tare::events {
namespace {

// The program's disk requests that are under way; more are forgotten.
constexpr std::size_t kMaxRequests = 65536;

// All events have the same layout, because they share rings.
constexpr profile::SampleLayout kLayout = {.data_address = true, .raw = true};

perf_event_attr AttributesOf(bool with_kernel, bool on_exec) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.sample_period = 1;
  attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                           PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
  attributes.disabled = on_exec ? 1 : 0;
  attributes.enable_on_exec = on_exec ? 1 : 0;
  attributes.inherit = on_exec ? 1 : 0;
  attributes.exclude_kernel = with_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.watermark = 1;
  attributes.wakeup_watermark = profile::PerfRings::QuarterBytes();
  return attributes;
}

int OpenSystemEvent(const perf_event_attr& attributes, pid_t process, std::size_t processor) {
  const long opened = ::syscall(SYS_perf_event_open, &attributes, process,
                                static_cast<int>(processor), -1, PERF_FLAG_FD_CLOEXEC);
  return opened < 0 ? -errno : static_cast<int>(opened);
}

std::string WhyRefused(int error_number, bool with_kernel) {
  const auto conditions = host::ReadConditions(host::SystemFiles{}, {});
  return pmu::WhyNotOpened(error_number, pmu::EventClass::kSoftware, with_kernel,
                           pmu::PermissionsOf(conditions));
}

// Why there are no such events; empty if there are.
std::string Reason(std::string_view what, const Result<void>& opened) {
  return opened ? "" : fmt::format("{}: {}", what, opened.error().message);
}

std::uint32_t AddSite(format::EventTables& tables, std::string_view name, std::string absent = {}) {
  tables.sites.push_back({format::SiteKind::kSystem, std::string(name), std::move(absent), 0});
  return static_cast<std::uint32_t>(tables.sites.size() - 1);
}

// A request is made on a partition and issued to its disk. Both have the same major number (the
// upper bits) and, by then, the same sector.
std::pair<std::uint32_t, std::uint64_t> KeyOf(const DiskRequest& request) {
  constexpr unsigned kMinorBits = 20;
  return {request.device >> kMinorBits, request.sector};
}

}  // namespace

Result<SystemKinds> ParseSystemKinds(std::span<const std::string> lists) {
  SystemKinds kinds;
  for (const std::string& list : lists) {
    for (const std::string_view name : Split(list, ',')) {
      const bool all = name == "all";
      if (!all && name != "faults" && name != "switches" && name != "disk")
        return Fail(ErrorKind::kUsage, "--system: expected all, or some of faults,switches,disk");
      kinds.faults |= all || name == "faults";
      kinds.switches |= all || name == "switches";
      kinds.disk |= all || name == "disk";
    }
  }
  return kinds;
}

std::uint64_t MonotonicNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Result<void> SystemEvents::OpenEverywhere(Kind kind, std::uint64_t tracepoint, bool with_kernel,
                                          pid_t process) {
  perf_event_attr attributes = AttributesOf(with_kernel, process >= 0);
  if (tracepoint != 0) {
    attributes.type = PERF_TYPE_TRACEPOINT;
    attributes.config = tracepoint;
  } else {
    // Switches are reported beside the samples, of which a dummy has none.
    const bool switches = kind == Kind::kSwitchIn;
    attributes.config = switches ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_PAGE_FAULTS;
    attributes.context_switch = switches ? 1 : 0;
  }
  std::vector<std::pair<std::size_t, Descriptor>> opened;
  for (std::size_t processor = 0; processor < profile::PerfRings::Processors(); ++processor) {
    const int event = OpenSystemEvent(attributes, process, processor);
    if (event == -ENODEV) continue;  // the processor is offline
    if (event < 0) return Fail(ErrorKind::kUnsupported, WhyRefused(-event, with_kernel));
    opened.emplace_back(processor, Descriptor::AboveStandard(event));
  }
  std::vector<std::uint64_t> ids;
  for (auto& [processor, event] : opened) {
    std::uint64_t id = 0;
    if (::ioctl(event.Number(), PERF_EVENT_IOC_ID, &id) != 0)
      return Fail(ErrorKind::kUnsupported, "the kernel gives events no identifiers");
    TRY_VOID(rings_.Add(processor, event));
    ids.push_back(id);
    events_.push_back(std::move(event));
  }
  for (const std::uint64_t id : ids) kind_of_[id] = kind;
  return {};
}

void SystemEvents::OpenFaults(pid_t process, format::EventTables& tables) {
  const auto everywhere = OpenEverywhere(Kind::kFault, 0, true, process);
  if (everywhere) {
    sites_[Kind::kFault] = AddSite(tables, kPageFault);
    return;
  }
  const auto in_user_mode = OpenEverywhere(Kind::kFault, 0, false, process);
  sites_[Kind::kFault] = AddSite(tables, kPageFault, Reason("no page faults", in_user_mode));
  // The kernel's accesses to the program's memory, as in read(2), fault in kernel mode.
  if (in_user_mode) {
    AddSite(tables, "page-fault-in-kernel", Reason("no page faults in kernel mode", everywhere));
  }
}

void SystemEvents::OpenSwitches(pid_t process, format::EventTables& tables) {
  const std::string absent =
      Reason("no context switches", OpenEverywhere(Kind::kSwitchIn, 0, false, process));
  sites_[Kind::kSwitchOut] = AddSite(tables, "switch-out", absent);
  sites_[Kind::kPreempted] = AddSite(tables, "switch-out-preempted", absent);
  sites_[Kind::kSwitchIn] = AddSite(tables, "switch-in", absent);
}

// The program's own threads make a request, a thread of the kernel may issue it, and it ends in an
// interrupt of any thread. So the latter two are observed in the whole system.
Result<void> SystemEvents::OpenRequests(pid_t process) {
  struct Point {
    Kind kind;
    const char* name;
    pid_t process;
  };
  for (const Point& point :
       {Point{Kind::kClaim, "block_getrq", process}, Point{Kind::kRequest, "block_rq_issue", -1},
        Point{Kind::kCompletion, "block_rq_complete", -1}}) {
    TRY(const auto tracepoint, ReadRequestTracepoint(point.name));
    fields_[point.kind] = tracepoint.fields;
    TRY_VOID(OpenEverywhere(point.kind, tracepoint.id, true, point.process));
  }
  return {};
}

void SystemEvents::OpenDisk(pid_t process, format::EventTables& tables) {
  const std::string absent = Reason("no disk requests", OpenRequests(process));
  request_sites_['R'] = AddSite(tables, "disk-read", absent);
  request_sites_['W'] = AddSite(tables, "disk-write", absent);
  request_sites_[0] = AddSite(tables, "disk-other", absent);
  sites_[Kind::kCompletion] = AddSite(tables, "disk-latency", absent);
}

void SystemEvents::Open(pid_t process, format::EventTables& tables) {
  if (kinds_.faults) OpenFaults(process, tables);
  if (kinds_.switches) OpenSwitches(process, tables);
  if (kinds_.disk) OpenDisk(process, tables);
}

void SystemEvents::Wait(const profile::PerfRecord& record) {
  Happened event{Kind::kFault, record.process, record.thread, record.time_ns, 0, {}};
  if (record.kind == profile::RecordKind::kLost) {
    lost_ += record.lost;
    return;
  }
  if (record.kind == profile::RecordKind::kSwitch) {
    event.kind = !record.leaves     ? Kind::kSwitchIn
                 : record.preempted ? Kind::kPreempted
                                    : Kind::kSwitchOut;
    event.value = record.processor;
  } else if (record.kind == profile::RecordKind::kSample && kind_of_.contains(record.event)) {
    event.kind = kind_of_[record.event];
    event.value = record.data_address;
    if (const auto fields = fields_.find(event.kind); fields != fields_.end()) {
      const auto request = ParseRequest(record.raw, fields->second);
      if (!request) return;
      event.request = *request;
    }
  } else {
    return;
  }
  waiting_.push_back(event);
}

void SystemEvents::Take(format::EventTraceWriter& writer, bool last) {
  if (events_.empty()) return;
  std::uint64_t newest = newest_ns_;
  rings_.Drain([&](std::span<const std::byte> bytes) {
    const auto record = profile::ParseRecord(bytes, kLayout);
    if (!record) return;
    Wait(*record);
    newest = std::max(newest, record->time_ns);
  });
  // Records of one processor are in order. What is older than the newest of the round before is
  // older than all that is still to come.
  std::ranges::stable_sort(waiting_, {}, &Happened::time_ns);
  const auto end = last ? waiting_.end()
                        : std::ranges::upper_bound(waiting_, newest_ns_, {}, &Happened::time_ns);
  for (auto event = waiting_.begin(); event != end; ++event) TakeOne(*event, writer);
  waiting_.erase(waiting_.begin(), end);
  newest_ns_ = newest;
  writer.AddLost(lost_, "the kernel's rings of system events were full");
  lost_ = 0;
}

std::uint64_t SystemEvents::SinceStart(const Happened& event) const {
  return event.time_ns - std::min(event.time_ns, start_ns_);
}

std::uint32_t SystemEvents::ThreadOf(const Happened& event, format::EventTables& tables) {
  const auto [found, is_new] = threads_.try_emplace(
      {event.process, event.thread}, static_cast<std::uint32_t>(tables.threads.size()));
  if (is_new) tables.threads.push_back({event.process, event.thread, 0});
  return found->second;
}

void SystemEvents::TakeOne(const Happened& event, format::EventTraceWriter& writer) {
  if (event.kind == Kind::kClaim) {
    Claim(event, writer.tables());
  } else if (event.kind == Kind::kRequest || event.kind == Kind::kCompletion) {
    TakeRequest(event, writer);
  } else {
    writer.AddTimed({format::TimedKind::kValue, true, sites_[event.kind],
                     ThreadOf(event, writer.tables()), SinceStart(event), event.value});
  }
}

void SystemEvents::Claim(const Happened& event, format::EventTables& tables) {
  // A request that was merged with another is never issued.
  if (requests_.size() == kMaxRequests) requests_.erase(requests_.begin());
  requests_[KeyOf(event.request)] = {ThreadOf(event, tables), 0};
}

// Those of other programs are not claimed.
void SystemEvents::TakeRequest(const Happened& event, format::EventTraceWriter& writer) {
  const auto claimed = requests_.find(KeyOf(event.request));
  if (claimed == requests_.end()) return;
  auto& [thread, issued_ns] = claimed->second;
  const std::uint64_t now = SinceStart(event);
  if (event.kind == Kind::kRequest) {
    const auto known = request_sites_.find(event.request.kind);
    const std::uint32_t site = known != request_sites_.end() ? known->second : request_sites_[0];
    writer.AddTimed({format::TimedKind::kValue, true, site, thread, now, event.request.bytes});
    issued_ns = now;
    return;
  }
  if (issued_ns != 0) {
    writer.AddTimed({format::TimedKind::kValue, true, sites_[Kind::kCompletion], thread, now,
                     now - std::min(now, issued_ns)});
  }
  requests_.erase(claimed);
}

}  // namespace tare::events
