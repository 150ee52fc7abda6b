// synthetic_machine.h: directories that imitate /proc and /sys of synthetic machines.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/system_files.h"

namespace tare::host {

struct SyntheticFile {
  std::string_view path;
  std::string content;
};
using SyntheticFiles = std::vector<SyntheticFile>;

// A temporary root that contains the given files and is removed with the object.
class SyntheticMachine {
 public:
  explicit SyntheticMachine(const SyntheticFiles& files) {
    std::string name = (std::filesystem::temp_directory_path() / "tare-machine-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    for (const auto& [path, content] : files) Write(path, content);
  }
  ~SyntheticMachine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  SyntheticMachine(const SyntheticMachine&) = delete;
  SyntheticMachine& operator=(const SyntheticMachine&) = delete;

  SystemFiles Files() const { return {.root = root_}; }

  void Write(std::string_view path, std::string_view content) const {
    const auto place = Files().Place(path);
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place, std::ios::binary) << content;
  }

 private:
  std::filesystem::path root_;
};

inline SyntheticFiles IntelLaptop() {
  return {
      {"/proc/cpuinfo",
       "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 140\n"
       "model name\t: 11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz\nflags\t\t: fpu vme tsc "
       "rdtscp constant_tsc arch_perfmon pebs nonstop_tsc avx2 erms avx512f fsrm\n\n"
       "processor\t: 1\nvendor_id\t: GenuineIntel\n"
       "model name\t: 11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz\nflags\t\t: fpu vme tsc\n\n"},
      {"/proc/sys/kernel/hostname", "lapwing\n"},
      {"/proc/sys/kernel/ostype", "Linux\n"},
      {"/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"},
      {"/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n"},
      {"/proc/sys/kernel/perf_event_paranoid", "3\n"},
      {"/proc/sys/kernel/yama/ptrace_scope", "1\n"},
      {"/proc/sys/kernel/randomize_va_space", "2\n"},
      {"/proc/sys/kernel/nmi_watchdog", "1\n"},
      {"/proc/self/status",
       "Name:\ttare\nCapEff:\t0000000000000000\nSeccomp:\t0\nSeccomp_filters:\t0\n"},
      {"/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"},
      {"/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "intel_pstate\n"},
      {"/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n"},
      {"/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"},
      {"/sys/devices/system/cpu/smt/active", "1\n"},
      {"/sys/devices/system/cpu/isolated", "\n"},
      {"/sys/devices/system/cpu/nohz_full", "  (null)\n"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"},
      {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
      {"/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n"},
      {"/proc/loadavg", "2.51 1.20 0.80 3/1210 4242\n"},
      {"/proc/stat", "cpu  1000 10 500 8000 100 0 20 0 0 0\ncpu0 500 5 250 4000 50 0 10 0 0 0\n"},
      {"/proc/meminfo",
       "MemTotal:       16000000 kB\nMemFree:          500000 kB\nMemAvailable:    1000000 kB\n"
       "SwapTotal:       2000000 kB\nSwapFree:        1500000 kB\nHugePages_Total:       0\n"
       "HugePages_Free:        0\nHugepagesize:       2048 kB\n"},
      {"/proc/pressure/cpu", "some avg10=12.34 avg60=1.00 avg300=0.50 total=123\n"},
      {"/proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"},
      {"/sys/class/dmi/id/sys_vendor", "LENOVO\n"},
      {"/sys/class/dmi/id/product_name", "20W6\n"},
      {"/sys/bus/event_source/devices/cpu/type", "4\n"},
      {"/sys/bus/event_source/devices/software/type", "1\n"},
      {"/sys/bus/event_source/devices/uncore_imc/type", "16\n"},
      {"/tmp/x", ""},
      {"/dev/shm/x", ""},
  };
}

inline SyntheticFiles AmdServer() {
  return {
      {"/proc/cpuinfo",
       "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
       "model name\t: AMD EPYC 7763 64-Core Processor\n"
       "flags\t\t: fpu tsc rdtscp constant_tsc nonstop_tsc perfctr_core avx2 erms\n"},
      {"/proc/sys/kernel/hostname", "ostrich\n"},
      {"/proc/sys/kernel/osrelease", "5.14.0-362.el9.x86_64\n"},
      {"/proc/sys/kernel/perf_event_paranoid", "-1\n"},
      {"/proc/sys/kernel/yama/ptrace_scope", "0\n"},
      {"/proc/sys/kernel/randomize_va_space", "0\n"},
      {"/proc/sys/kernel/nmi_watchdog", "0\n"},
      {"/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n"},
      {"/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "acpi-cpufreq\n"},
      {"/sys/devices/system/cpu/cpufreq/boost", "0\n"},
      {"/sys/devices/system/cpu/smt/active", "0\n"},
      {"/sys/devices/system/cpu/isolated", "8-15\n"},
      {"/sys/devices/system/cpu/nohz_full", "8-15\n"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"},
      {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"},
      {"/proc/loadavg", "0.00 0.01 0.05 1/900 77\n"},
      {"/proc/stat", "cpu  10 0 10 100000 0 0 0 0 0 0\n"},
      {"/proc/meminfo",
       "MemTotal:       527000000 kB\nMemAvailable:   500000000 kB\nSwapTotal: 0 kB\n"
       "SwapFree: 0 kB\nHugePages_Total:    1024\nHugePages_Free:     1000\n"
       "Hugepagesize:       2048 kB\n"},
      {"/proc/self/cgroup", "4:memory:/\n3:cpu,cpuacct:/batch/job7\n1:name=systemd:/\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/batch/job7/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/batch/job7/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "1600000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
  };
}

inline SyntheticFiles ArmVirtualMachine() {
  return {
      {"/proc/cpuinfo",
       "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm atomics cpuid sve\n"
       "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
       "CPU revision\t: 1\n\n"
       "processor\t: 1\nFeatures\t: fp\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"},
      {"/proc/sys/kernel/hostname", "wren\n"},
      {"/proc/sys/kernel/osrelease", "6.5.0-1014-aws\n"},
      {"/proc/sys/kernel/perf_event_paranoid", "2\n"},
      {"/proc/sys/kernel/randomize_va_space", "2\n"},
      {"/proc/self/status", "CapEff:\t00000000a80425fb\nSeccomp:\t2\n"},
      {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n"},
      {"/proc/loadavg", "0.00 0.00 0.00 1/90 4\n"},
      {"/proc/stat", "cpu  100 0 100 9000 0 0 0 800 0 0\n"},
      {"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/cpu.max", "150000 100000\n"},
      {"/sys/fs/cgroup/memory.max", "536870912\n"},
      {"/sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_periods 10\nnr_throttled 7\n"},
      {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"},
      {"/sys/class/dmi/id/product_name", "c6g.large\n"},
      {"/sys/bus/event_source/devices/software/type", "1\n"},
      {"/.dockerenv", ""},
  };
}

}  // namespace tare::host
