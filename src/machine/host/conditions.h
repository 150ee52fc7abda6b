// conditions.h: system settings and the current state that permit, prevent or disturb measuring.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/control_group.h"
#include "machine/host/processor_time.h"
#include "machine/host/system_files.h"

namespace tare::host {

struct Load {
  double one_minute = 0;
  double five_minutes = 0;
  double fifteen_minutes = 0;
  std::uint64_t running = 0;  // runnable threads, including those of this program
};

struct Memory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
  std::uint64_t swap_used_bytes = 0;
  std::uint64_t huge_pages = 0;  // in the reserved pool
  std::uint64_t huge_pages_free = 0;
  std::uint64_t huge_page_bytes = 0;
};

// Share of the last ten seconds in which some task waited for the resource (PSI), from 0 to 1.
struct Pressure {
  double some_10s = 0;
};

struct DiskSpace {
  std::filesystem::path directory;
  Reading<std::uint64_t> free_bytes;  // available to an unprivileged user
};

struct Frequency {
  std::string governor;       // "performance"; "mixed" when the cores differ
  std::string driver;         // may be empty
  std::optional<bool> turbo;  // boost above the nominal frequency; absent: unknown
};

struct ClockSource {
  std::string current;
  std::vector<std::string> available;
};

struct Isolation {
  std::string isolated;  // processors excluded from the scheduler, as a CPU list; empty: none
  std::string tickless;  // processors without a periodic timer tick, as a CPU list; empty: none
};

enum class Seccomp { kOff, kStrict, kFilter };

// Privileges of the process beyond those of an ordinary user (capabilities(7)).
struct Privileges {
  bool count_all = false;  // CAP_PERFMON or CAP_SYS_ADMIN
  bool trace_all = false;  // CAP_SYS_PTRACE
};

// Each field is read independently; a missing one does not affect the others.
struct Conditions {
  Reading<std::int64_t> perf_event_paranoid;
  Reading<std::int64_t> ptrace_scope;
  Reading<Seccomp> seccomp;
  Reading<Privileges> privileges;
  Reading<std::uint64_t> randomize_va_space;
  Reading<Frequency> frequency;
  Reading<bool> smt_active;
  Reading<std::string> transparent_huge_pages;
  Reading<ClockSource> clock_source;
  Reading<bool> nmi_watchdog;
  Reading<Load> load;
  Reading<ProcessorTimes> times_since_boot;
  Reading<ProcessorTimes> times_now;  // during ConditionOptions::wait
  Reading<Memory> memory;
  Reading<Isolation> isolation;
  Reading<Pressure> cpu_pressure;
  Reading<Pressure> memory_pressure;
  Reading<Pressure> io_pressure;
  Reading<ControlGroup> control_group;
  std::vector<DiskSpace> disks;
};

// `wait` is called once, between two readings of the processors' times: sleeping for half a second
// samples the current load. Without it times_now is absent. Relative directories are resolved
// against the working directory of this process.
struct ConditionOptions {
  std::function<void()> wait;
  std::vector<std::filesystem::path> directories = {".", "/tmp", "/dev/shm"};
};

Conditions ReadConditions(const SystemFiles& files, const ConditionOptions& options);

std::optional<Load> ParseLoadavg(std::string_view text);
std::optional<Memory> ParseMeminfo(std::string_view text);
std::optional<Pressure> ParsePressure(std::string_view text);
// Parses the line "Seccomp:" of /proc/self/status.
std::optional<Seccomp> ParseSeccomp(std::string_view status);
// Parses the line "CapEff:" of /proc/self/status.
std::optional<Privileges> ParsePrivileges(std::string_view status);

}  // namespace tare::host
