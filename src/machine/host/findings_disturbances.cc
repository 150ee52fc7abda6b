// findings_disturbances.cc: rows about what makes runs differ from each other.
#include <fmt/format.h>

#include <array>
#include <span>

#include "base/units.h"
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

Assessment AssessRandomization(const Machine& machine) {
  const auto& setting = machine.conditions.randomize_va_space;
  if (!setting) return NotAvailable(setting.error());
  const std::string value = fmt::format("{}", *setting);
  if (*setting == 0) {
    return {.level = kOk,
            .value = value + " (off)",
            .meaning = "every run has the same addresses; results hold for this one layout"};
  }
  return {.level = kNote,
          .value = value + (*setting == 1 ? " (stack, libraries)" : " (stack, libraries, heap)"),
          .meaning = "addresses differ from run to run, and so does cache and branch behaviour",
          .advice = "repeat often, or fix addresses with setarch -R and vary them deliberately"};
}

Assessment AssessGovernor(const Machine& machine) {
  const auto& frequency = machine.conditions.frequency;
  if (!frequency) {
    return NotAvailable(frequency.error(), IsVirtual(machine)
                                               ? "the host controls it; compare within one session"
                                               : "");
  }
  const std::string value = frequency->driver.empty()
                                ? frequency->governor
                                : fmt::format("{} ({})", frequency->governor, frequency->driver);
  if (frequency->governor == "performance") {
    return {
        .level = kOk, .value = value, .meaning = "the kernel keeps the frequency at its maximum"};
  }
  return {.level = kWarning,
          .value = value,
          .meaning = "the frequency follows the load: short runs are timed while it rises",
          .advice = "set the governor to performance: cpupower frequency-set -g performance",
          .caveat = CaveatId::kFrequencyScaling};
}

Assessment AssessTurbo(const Machine& machine) {
  const auto& frequency = machine.conditions.frequency;
  if (!frequency) return NotAvailable(frequency.error());
  const std::optional<bool> turbo = frequency->turbo;
  if (!turbo) return NotAvailable("the frequency driver does not report it");
  if (!*turbo) {
    return {.level = kOk, .value = "off", .meaning = "the frequency stays at or below nominal"};
  }
  return {.level = kNote,
          .value = "on",
          .meaning = "the frequency depends on heat and on how many cores are busy",
          .advice = "for steady times write 1 to intel_pstate/no_turbo or 0 to cpufreq/boost"};
}

Assessment AssessSmt(const Machine& machine) {
  const auto& active = machine.conditions.smt_active;
  if (!active) return NotAvailable(active.error());
  if (!*active) {
    return {.level = kOk, .value = "off", .meaning = "no two hardware threads share a core"};
  }
  return {.level = kWarning,
          .value = "on",
          .meaning = "another program on the same core can take part of its capacity",
          .advice =
              "keep the sibling thread idle, or write 'off' to /sys/devices/system/cpu/smt/control",
          .caveat = CaveatId::kSharedCore};
}

Assessment AssessIsolation(const Machine& machine) {
  const auto& isolation = machine.conditions.isolation;
  if (!isolation) return NotAvailable(isolation.error());
  if (isolation->isolated.empty() && isolation->tickless.empty()) {
    return {.level = kNote,
            .value = "none",
            .meaning = "the scheduler may run other tasks on any core",
            .advice = "for an undisturbed core, boot the kernel with isolcpus= and nohz_full="};
  }
  return {.level = kOk,
          .value = fmt::format("isolated {}; tickless {}",
                               isolation->isolated.empty() ? "none" : isolation->isolated,
                               isolation->tickless.empty() ? "none" : isolation->tickless),
          .meaning = "the scheduler runs nothing there on its own: measure there with taskset"};
}

bool IsSlowClock(std::string_view name) {
  return name == "hpet" || name == "acpi_pm" || name == "jiffies" || name == "refined-jiffies";
}

Assessment AssessClockSource(const Machine& machine) {
  const auto& source = machine.conditions.clock_source;
  if (!source) return NotAvailable(source.error());
  if (IsSlowClock(source->current)) {
    return {.level = kWarning,
            .value = source->current,
            .meaning = "reading the time is a slow system call (1 µs or more)",
            .advice = "see the kernel log (dmesg) for why it does not use tsc"};
  }
  // Only the kernel can read the xen clock source; the vDSO reads tsc, kvm-clock, hyperv and ARM's
  // counter.
  if (source->current == "xen") {
    return {.level = kNote,
            .value = source->current,
            .meaning = "reading the time is a system call",
            .advice = "write tsc to current_clocksource if it is available"};
  }
  return {.level = kOk,
          .value = source->current,
          .meaning = "the time is read without entering the kernel"};
}

Assessment AssessLoad(const Machine& machine) {
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

Assessment AssessBusyNow(const Machine& machine) {
  const auto& now = machine.conditions.times_now;
  if (!now) return NotAvailable(now.error());
  const auto share = BusyShare(*now);
  if (!share) return NotAvailable("no tick passed while sampling");
  if (*share > kBusy) {
    return {.level = kWarning,
            .value = Percent(*share),
            .meaning = "other programs are running now, while tare only waited",
            .advice = "stop them; top lists them",
            .caveat = CaveatId::kBusyMachine};
  }
  return {.level = kOk, .value = Percent(*share), .meaning = "the machine is idle now"};
}

Assessment AssessSteal(const Reading<ProcessorTimes>& times, bool is_virtual) {
  if (!times) return NotAvailable(times.error());
  const auto share = StealShare(*times);
  if (!share) return NotAvailable("no tick passed while sampling");
  if (*share == 0 && !is_virtual) {
    return {.level = kOk, .value = Percent(0), .meaning = "no time is stolen by a hypervisor"};
  }
  if (*share < kNotableSteal) {
    return {.level = kOk,
            .value = Percent(*share),
            .meaning = "the hypervisor reports almost no stolen time"};
  }
  return {.level = *share < kMuchSteal ? kNote : kWarning,
          .value = Percent(*share),
          .meaning = "the hypervisor ran other guests while this machine had work to do",
          .advice = "repeat when the host is less busy",
          .caveat = CaveatId::kSteal};
}

Assessment AssessStealSinceBoot(const Machine& machine) {
  auto assessment = AssessSteal(machine.conditions.times_since_boot, IsVirtual(machine));
  // Stolen time of the past does not disturb the current measurement.
  if (assessment.level == kWarning) assessment.level = kNote;
  assessment.caveat.reset();
  return assessment;
}

Assessment AssessStealNow(const Machine& machine) {
  return AssessSteal(machine.conditions.times_now, IsVirtual(machine));
}

Assessment AssessPressure(const Reading<Pressure>& pressure, std::string_view what) {
  if (!pressure) return NotAvailable(pressure.error());
  const std::string value = Percent(pressure->some_10s);
  if (pressure->some_10s < kNotablePressure) {
    return {.level = kOk,
            .value = value,
            .meaning = fmt::format("almost no task waited for {} in the last 10 s", what)};
  }
  return {.level = kWarning,
          .value = value,
          .meaning = fmt::format("tasks waited for {} in the last 10 s", what),
          .advice = "find what uses it, or wait until it is free",
          .caveat = CaveatId::kBusyMachine};
}

Assessment AssessCpuPressure(const Machine& machine) {
  return AssessPressure(machine.conditions.cpu_pressure, "a processor");
}
Assessment AssessMemoryPressure(const Machine& machine) {
  return AssessPressure(machine.conditions.memory_pressure, "memory");
}
Assessment AssessIoPressure(const Machine& machine) {
  return AssessPressure(machine.conditions.io_pressure, "I/O");
}

Assessment AssessQuota(const Machine& machine) {
  const auto& group = machine.conditions.control_group;
  if (!group) return NotAvailable(group.error());
  const std::optional<double> cores = group->cores;
  if (!cores) return {.level = kOk, .value = "none", .meaning = "CPU time is not limited"};
  std::string value = fmt::format("{} cores", Rounded(*cores, 4));
  const std::uint64_t throttled = group->throttled.value_or(0);
  if (throttled > 0) value += fmt::format(", throttled {} times", throttled);
  return {.level = kWarning,
          .value = value,
          .meaning = "above it the kernel throttles programs for up to 0.1 s at a time",
          .advice = "raise cpu.max of the cgroup, or the container's CPU limit"};
}

constexpr auto kDisturbanceRows = std::to_array<FindingRow>({
    {"address-randomization", "address randomization", AssessRandomization},
    {"governor", "frequency governor", AssessGovernor},
    {"turbo", "turbo", AssessTurbo},
    {"smt", "hardware threads sharing a core", AssessSmt},
    {"isolation", "isolated processors", AssessIsolation},
    {"clock-source", "clock source", AssessClockSource},
    {"load", "load over 1, 5 and 15 minutes", AssessLoad},
    {"busy-now", "busy now", AssessBusyNow},
    {"steal-now", "stolen time now", AssessStealNow},
    {"steal-since-boot", "stolen time since boot", AssessStealSinceBoot},
    {"cpu-pressure", "waiting for processors", AssessCpuPressure},
    {"memory-pressure", "waiting for memory", AssessMemoryPressure},
    {"io-pressure", "waiting for disks", AssessIoPressure},
    {"cpu-quota", "CPU time limit", AssessQuota},
});

}  // namespace

std::vector<Finding> ExamineDisturbances(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kDisturbance, kDisturbanceRows, machine, findings);
  return findings;
}

}  // namespace tare::host
