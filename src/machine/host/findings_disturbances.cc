// findings_disturbances.cc: rows about what makes runs differ from each other.
#include <fmt/format.h>

#include <array>
#include <span>

#include "machine/host/finding_rows.h"

namespace tare::host {
namespace {

using enum Level;

constexpr double kNotableSteal = 0.005;
constexpr double kMuchSteal = 0.02;
constexpr double kNotablePressure = 0.05;
constexpr double kBusy = 0.10;
constexpr double kLoadPerThread = 0.3;

bool IsVirtual(const Machine& machine) { return machine.identity.hypervisor.has_value(); }

Judgement JudgeRandomization(const Machine& machine) {
  const auto& setting = machine.conditions.randomize_va_space;
  if (!setting) return NotAvailable(setting.error());
  const std::string value = fmt::format("{}", *setting);
  if (*setting == 0) {
    return {.level = kOk,
            .value = value + " (off)",
            .meaning = "every run has the same addresses; one layout is not all layouts"};
  }
  return {.level = kNote,
          .value = value + (*setting == 1 ? " (stack, libraries)" : " (stack, libraries, heap)"),
          .meaning = "addresses differ from run to run, and cache and branch behaviour with them",
          .advice = "repeat enough, or fix addresses with setarch -R and vary them on purpose"};
}

Judgement JudgeGovernor(const Machine& machine) {
  const auto& frequency = machine.conditions.frequency;
  if (!frequency) {
    return NotAvailable(frequency.error(),
                        IsVirtual(machine) ? "the host decides; compare within one run" : "");
  }
  const std::string value = frequency->driver.empty()
                                ? frequency->governor
                                : fmt::format("{} ({})", frequency->governor, frequency->driver);
  if (frequency->governor == "performance") {
    return {.level = kOk, .value = value, .meaning = "the kernel keeps the frequency high"};
  }
  return {.level = kWarning,
          .value = value,
          .meaning = "the frequency follows the load: short runs are timed while it rises",
          .advice = "set the governor to performance: cpupower frequency-set -g performance",
          .caveat = CaveatId::kFrequencyScaling};
}

Judgement JudgeTurbo(const Machine& machine) {
  const auto& frequency = machine.conditions.frequency;
  if (!frequency) return NotAvailable(frequency.error());
  const std::optional<bool> turbo = frequency->turbo;
  if (!turbo) return NotAvailable("the frequency driver does not tell");
  if (!*turbo) {
    return {.level = kOk, .value = "off", .meaning = "the frequency stays at or below nominal"};
  }
  return {.level = kNote,
          .value = "on",
          .meaning = "the frequency depends on heat and on how many cores are busy",
          .advice = "for steady times write 1 to intel_pstate/no_turbo or 0 to cpufreq/boost"};
}

Judgement JudgeSmt(const Machine& machine) {
  const auto& active = machine.conditions.smt_active;
  if (!active) return NotAvailable(active.error());
  if (!*active) {
    return {.level = kOk, .value = "off", .meaning = "no two hardware threads share a core"};
  }
  return {.level = kWarning,
          .value = "on",
          .meaning = "a neighbour on the same core takes part of it unseen",
          .advice = "keep the sibling idle, or write off to /sys/devices/system/cpu/smt/control",
          .caveat = CaveatId::kSharedCore};
}

Judgement JudgeIsolation(const Machine& machine) {
  const auto& isolation = machine.conditions.isolation;
  if (!isolation) return NotAvailable(isolation.error());
  if (isolation->isolated.empty() && isolation->tickless.empty()) {
    return {.level = kNote,
            .value = "none",
            .meaning = "the scheduler may put other work on any core",
            .advice = "for the quietest core start the kernel with isolcpus= and nohz_full="};
  }
  return {.level = kOk,
          .value = fmt::format("isolated {}; tickless {}",
                               isolation->isolated.empty() ? "none" : isolation->isolated,
                               isolation->tickless.empty() ? "none" : isolation->tickless),
          .meaning = "the scheduler puts nothing there by itself: measure there with taskset"};
}

bool IsSlowClock(std::string_view name) {
  return name == "hpet" || name == "acpi_pm" || name == "jiffies" || name == "refined-jiffies";
}

Judgement JudgeClockSource(const Machine& machine) {
  const auto& source = machine.conditions.clock_source;
  if (!source) return NotAvailable(source.error());
  if (IsSlowClock(source->current)) {
    return {.level = kWarning,
            .value = source->current,
            .meaning = "reading the time is a slow system call, a microsecond or more",
            .advice = "find out in the kernel's log why it gave up tsc"};
  }
  // Only the kernel can read the xen clock source; the vDSO reads tsc, kvm-clock, hyperv and ARM's
  // counter.
  if (source->current == "xen") {
    return {.level = kNote,
            .value = source->current,
            .meaning = "reading the time is a system call",
            .advice = "write tsc to current_clocksource where it is available"};
  }
  return {.level = kOk,
          .value = source->current,
          .meaning = "the time is read without entering the kernel"};
}

Judgement JudgeLoad(const Machine& machine) {
  const auto& load = machine.conditions.load;
  if (!load) return NotAvailable(load.error());
  const double threads = machine.topology && machine.topology->threads > 0
                             ? static_cast<double>(machine.topology->threads)
                             : 1.0;
  const std::string value = fmt::format("{:.2f} {:.2f} {:.2f}", load->one_minute,
                                        load->five_minutes, load->fifteen_minutes);
  if (load->one_minute > kLoadPerThread * threads) {
    return {.level = kWarning,
            .value = value,
            .meaning = "other programs were running in the last minute",
            .advice = "stop them, or wait until the machine is quiet",
            .caveat = CaveatId::kBusyMachine};
  }
  return {.level = kOk, .value = value, .meaning = "little was running in the last minute"};
}

Judgement JudgeBusyNow(const Machine& machine) {
  const auto& now = machine.conditions.times_now;
  if (!now) return NotAvailable(now.error());
  const auto share = BusyShare(*now);
  if (!share) return NotAvailable("no tick passed while sampling");
  if (*share > kBusy) {
    return {.level = kWarning,
            .value = Percent(*share),
            .meaning = "other programs are running now, while tare only waited",
            .advice = "stop them: top shows which",
            .caveat = CaveatId::kBusyMachine};
  }
  return {.level = kOk, .value = Percent(*share), .meaning = "the machine is quiet now"};
}

Judgement JudgeSteal(const Reading<ProcessorTimes>& times, bool is_virtual) {
  if (!times) return NotAvailable(times.error());
  const auto share = StealShare(*times);
  if (!share) return NotAvailable("no tick passed while sampling");
  if (*share == 0 && !is_virtual) {
    return {.level = kOk, .value = Percent(0), .meaning = "no hypervisor takes time away"};
  }
  if (*share < kNotableSteal) {
    return {.level = kOk,
            .value = Percent(*share),
            .meaning = "the hypervisor took next to no time away, as far as it tells"};
  }
  return {.level = *share < kMuchSteal ? kNote : kWarning,
          .value = Percent(*share),
          .meaning = "the hypervisor gave time to others while this machine wanted it",
          .advice = "repeat when the host is quieter",
          .caveat = CaveatId::kSteal};
}

Judgement JudgeStealSinceBoot(const Machine& machine) {
  auto judgement = JudgeSteal(machine.conditions.times_since_boot, IsVirtual(machine));
  // Stolen time of the past does not disturb the current measurement.
  if (judgement.level == kWarning) judgement.level = kNote;
  judgement.caveat.reset();
  return judgement;
}

Judgement JudgeStealNow(const Machine& machine) {
  return JudgeSteal(machine.conditions.times_now, IsVirtual(machine));
}

Judgement JudgePressure(const Reading<Pressure>& pressure, std::string_view what) {
  if (!pressure) return NotAvailable(pressure.error());
  const std::string value = Percent(pressure->some_10s);
  if (pressure->some_10s < kNotablePressure) {
    return {.level = kOk,
            .value = value,
            .meaning = fmt::format("hardly anything waited for {} in the last 10 s", what)};
  }
  return {.level = kWarning,
          .value = value,
          .meaning = fmt::format("tasks waited for {} in the last 10 s", what),
          .advice = "find what else uses it, or wait",
          .caveat = CaveatId::kBusyMachine};
}

Judgement JudgeCpuPressure(const Machine& machine) {
  return JudgePressure(machine.conditions.cpu_pressure, "a processor");
}
Judgement JudgeMemoryPressure(const Machine& machine) {
  return JudgePressure(machine.conditions.memory_pressure, "memory");
}
Judgement JudgeIoPressure(const Machine& machine) {
  return JudgePressure(machine.conditions.io_pressure, "input or output");
}

Judgement JudgeQuota(const Machine& machine) {
  const auto& group = machine.conditions.control_group;
  if (!group) return NotAvailable(group.error());
  const std::optional<double> cores = group->cores;
  if (!cores) return {.level = kOk, .value = "none", .meaning = "processor time is not rationed"};
  std::string value = fmt::format("{:.4g} cores", *cores);
  const std::uint64_t throttled = group->throttled.value_or(0);
  if (throttled > 0) value += fmt::format(", stopped {} times", throttled);
  return {.level = kWarning,
          .value = value,
          .meaning = "beyond it the kernel stops programs for up to 0.1 s at a time",
          .advice = "raise cpu.max of the control group, or the container's CPU limit"};
}

constexpr auto kRows = std::to_array<FindingRow>({
    {"address-randomization", "address randomization", JudgeRandomization},
    {"governor", "frequency governor", JudgeGovernor},
    {"turbo", "turbo", JudgeTurbo},
    {"smt", "hardware threads sharing a core", JudgeSmt},
    {"isolation", "isolated processors", JudgeIsolation},
    {"clock-source", "clock source", JudgeClockSource},
    {"load", "load over 1, 5 and 15 minutes", JudgeLoad},
    {"busy-now", "busy now", JudgeBusyNow},
    {"steal-now", "stolen time now", JudgeStealNow},
    {"steal-since-boot", "stolen time since start", JudgeStealSinceBoot},
    {"cpu-pressure", "waiting for processors", JudgeCpuPressure},
    {"memory-pressure", "waiting for memory", JudgeMemoryPressure},
    {"io-pressure", "waiting for disks", JudgeIoPressure},
    {"cpu-quota", "processor time limit", JudgeQuota},
});

}  // namespace

std::vector<Finding> ExamineDisturbances(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kDisturbance, kRows, machine, findings);
  return findings;
}

}  // namespace tare::host
