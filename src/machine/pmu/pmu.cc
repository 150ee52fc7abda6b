// pmu.cc: the kernel's list of PMUs, and the mapped page that says whether user mode may read.
#include "machine/pmu/pmu.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/printable.h"
#include "machine/pmu/user_read.h"

namespace tare::pmu {
namespace {

constexpr auto kKernelPmus = std::to_array<std::string_view>(
    {"software", "tracepoint", "breakpoint", "kprobe", "uprobe", "dynamic_pmu"});

// "cpu" on most x86 processors, "cpu_core" and "cpu_atom" on hybrid ones; ARM units are named after
// their architecture or core.
constexpr auto kCorePrefixes = std::to_array<std::string_view>({"cpu", "armv", "apple_"});

}  // namespace

PmuKind KindOfPmu(std::string_view name) {
  if (std::ranges::find(kKernelPmus, name) != kKernelPmus.end()) return PmuKind::kKernel;
  const bool core = std::ranges::any_of(
      kCorePrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
  return core ? PmuKind::kCore : PmuKind::kOther;
}

std::vector<Pmu> ReadPmus(const host::SystemFiles& files) {
  constexpr std::string_view kDirectory = "/sys/bus/event_source/devices";
  std::vector<Pmu> pmus;
  for (const std::string& name : files.Names(kDirectory)) {
    Pmu pmu{.name = Printable(name), .kind = KindOfPmu(name), .type = std::nullopt};
    if (const auto type = files.Whole(fmt::format("{}/{}/type", kDirectory, name)))
      pmu.type = *type;
    pmus.push_back(std::move(pmu));
  }
  return pmus;
}

bool HasCounters(const OpenEvent& open) {
  for (const std::uint64_t config : {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES}) {
    EventCode code;
    code.type = PERF_TYPE_HARDWARE;
    code.config = config;
    if (EventHandle(open(code)).IsOpen()) return true;
  }
  return false;
}

UserRead TryUserRead(const OpenEvent& open) {
  EventCode code;
  code.type = PERF_TYPE_HARDWARE;
  code.config = PERF_COUNT_HW_INSTRUCTIONS;
  code = WithUserRead(code);
  const int descriptor = open(code);
  const EventHandle event(descriptor);
  if (!event.IsOpen()) {
    const bool refused = descriptor == -EINVAL && code.config1 != 0;
    return {.available = false,
            .reason = refused ? "kernel.perf_user_access does not allow it"
                              : "no hardware event can be opened"};
  }
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, event.Descriptor(), 0);
  if (page == MAP_FAILED) return {.available = false, .reason = "the event cannot be mapped"};
  const bool allowed = static_cast<const perf_event_mmap_page*>(page)->cap_user_rdpmc != 0;
  ::munmap(page, page_bytes);
  if (!allowed) return {.available = false, .reason = "the kernel does not allow it"};
  return {.available = true, .reason = ""};
}

}  // namespace tare::pmu
