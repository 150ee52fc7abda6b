// neighbours.cc: comparing two snapshots of /proc.
#include "machine/load/neighbours.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"

namespace tare::load {
namespace {

constexpr std::uint64_t kMaxProcBytes = 1 << 16;

bool IsNumber(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

double TickSeconds() {
  const long per_second = ::sysconf(_SC_CLK_TCK);
  return per_second > 0 ? 1.0 / static_cast<double>(per_second) : 0.01;
}

}  // namespace

Processes ListProcesses(const std::filesystem::path& proc) {
  Processes processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(proc, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!IsNumber(entry->path().filename().string())) continue;
    const auto text = ReadFile(entry->path() / "stat", kMaxProcBytes);
    if (!text) continue;
    auto stat = ParseProcessStat(*text);
    if (stat) processes[stat->pid] = std::move(*stat);
  }
  return processes;
}

std::string SchedulingGroup(const std::string& pid, const std::filesystem::path& proc) {
  const auto control = ReadFile(proc / pid / "cgroup", kMaxProcBytes);
  if (!control) return {};
  std::string group = CpuControlGroup(*control);
  if (group.empty()) group = "/";
  // Autogroups apply only to tasks of the root control group (sched(7)).
  const auto enabled = ReadFile(proc / "sys/kernel/sched_autogroup_enabled", kMaxProcBytes);
  if (group != "/" || !enabled || !enabled->starts_with('1')) return group;
  const auto session = ReadFile(proc / pid / "autogroup", kMaxProcBytes);
  return session ? group + Autogroup(*session) : group;
}

std::vector<Neighbour> UnequalNeighbours(const Processes& before, const Processes& after,
                                         std::uint64_t self, unsigned core, double min_seconds,
                                         const std::filesystem::path& proc) {
  std::vector<Neighbour> neighbours;
  const auto own = after.find(self);
  if (own == after.end()) return neighbours;
  const std::string own_group = SchedulingGroup(std::to_string(self), proc);
  const double tick_seconds = TickSeconds();
  for (const auto& [pid, process] : after) {
    if (pid == self || process.processor != core) continue;
    const auto earlier = before.find(pid);
    const std::uint64_t used_before = earlier == before.end() ? 0 : earlier->second.cpu_ticks;
    if (process.cpu_ticks <= used_before) continue;
    const double seconds = static_cast<double>(process.cpu_ticks - used_before) * tick_seconds;
    if (seconds <= min_seconds) continue;
    const std::string group = SchedulingGroup(std::to_string(pid), proc);
    const bool other_group = !group.empty() && group != own_group;
    const bool other_nice = process.nice != own->second.nice;
    if (other_group || other_nice)
      neighbours.push_back({process, seconds, other_group, other_nice});
  }
  std::ranges::sort(neighbours, std::ranges::greater(), &Neighbour::cpu_seconds);
  return neighbours;
}

}  // namespace tare::load
