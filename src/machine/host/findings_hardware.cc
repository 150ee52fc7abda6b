// findings_hardware.cc: rows about the processor, its caches and the virtualization around it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "machine/host/finding_rows.h"

namespace tare::host {
namespace {

using enum Level;

std::string Plural(unsigned count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

Judgement JudgeProcessor(const Machine& machine) {
  if (!machine.processor) return NotAvailable(machine.processor.error());
  const auto& models = machine.processor->models;
  if (models.empty()) return NotAvailable("the kernel does not name the processor");
  std::string value = ShortModelName(models.front().name);
  if (models.size() > 1) value += fmt::format(" and {} more", models.size() - 1);
  return {.level = kOk, .value = value, .meaning = "cycle counts and times hold for this model"};
}

Judgement JudgeFeatures(const Machine& machine) {
  if (!machine.processor) return NotAvailable(machine.processor.error());
  const auto rows = MeasuringFeatures(*machine.processor);
  if (rows.empty()) return NotAvailable("no feature that matters for measuring is named");
  std::string value;
  for (const FeatureRow& row : rows) {
    if (!value.empty()) value += ' ';
    value += row.flag;
  }
  const bool hidden = machine.processor->Has("avx512f") || machine.processor->Has("sve");
  if (hidden) {
    return {.level = kNote,
            .value = value,
            .meaning = "emulators hide some of these, and libraries choose their code by them",
            .advice = "pin the choice by GLIBC_TUNABLES where counts are compared"};
  }
  return {.level = kOk,
          .value = value,
          .meaning = "libraries choose their code by these; other machines run other instructions"};
}

Judgement JudgeCycleCounter(const Machine& machine) {
  if (!machine.processor) return NotAvailable(machine.processor.error());
  if (machine.processor->features.empty()) {
    return NotAvailable("the kernel lists no features of the processor");
  }
  if (machine.processor->invariant_counter) {
    return {.level = kOk,
            .value = "one rate in all power states",
            .meaning = "its ticks are time, not cycles: short times can be read from it"};
  }
  return {.level = kWarning,
          .value = "rate may change",
          .meaning = "its ticks are neither time nor cycles when the frequency changes",
          .advice = "use clock_gettime for times"};
}

Judgement JudgeCores(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const Topology& topology = *machine.topology;
  const std::string value =
      fmt::format("{}, {}, {}", Plural(topology.packages, "package"),
                  Plural(topology.cores, "core"), Plural(topology.threads, "thread"));
  if (topology.threads == 1) {
    return {.level = kWarning,
            .value = value,
            .meaning = "the measured program shares its only thread with everything else",
            .advice = "measure on a machine with two cores or more",
            .caveat = CaveatId::kBusyMachine};
  }
  return {.level = kOk, .value = value, .meaning = "one core can be kept for the measured program"};
}

Judgement JudgeUsable(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const Topology& topology = *machine.topology;
  const std::string value = fmt::format("{} of {}", topology.usable_threads, topology.threads);
  if (topology.usable_threads < topology.threads) {
    return {.level = kNote,
            .value = value,
            .meaning = "programs started from here are kept off the other hardware threads",
            .advice = "widen it with taskset or the container's cpuset if more are needed"};
  }
  return {.level = kOk, .value = value, .meaning = "programs may run on every hardware thread"};
}

Judgement JudgeCoreKinds(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const unsigned models =
      machine.processor ? static_cast<unsigned>(machine.processor->models.size()) : 0;
  const unsigned kinds = std::max(machine.topology->core_kinds, models);
  if (kinds == 0) return NotAvailable("neither the kernel nor hwloc tells kinds of cores apart");
  if (kinds == 1) {
    return {.level = kOk, .value = "all alike", .meaning = "any core gives the same time"};
  }
  return {.level = kWarning,
          .value = Plural(kinds, "kind"),
          .meaning = "fast and slow cores side by side: times depend on where a program lands",
          .advice = "pin the program to one kind with taskset"};
}

Judgement JudgeNuma(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const unsigned nodes = machine.topology->numa_nodes;
  if (nodes <= 1) {
    return {.level = kOk, .value = "1 node", .meaning = "all memory is equally far from a core"};
  }
  return {.level = kNote,
          .value = Plural(nodes, "node"),
          .meaning = "memory of another node is slower to reach",
          .advice = "pin the program and its memory with numactl"};
}

Judgement JudgeHypervisor(const Machine& machine) {
  if (!machine.identity.hypervisor) {
    return {.level = kOk,
            .value = "none seen",
            .meaning = "nothing between the kernel and the processor shows itself"};
  }
  const Hypervisor& hypervisor = *machine.identity.hypervisor;
  return {.level = kNote,
          .value = fmt::format("{} (by {})", hypervisor.name, hypervisor.evidence),
          .meaning = "other guests can disturb times; counters may be missing or emulated",
          .advice = "repeat, interleave and compare within one run",
          .caveat = CaveatId::kVirtualMachine};
}

Judgement JudgeContainer(const Machine& machine) {
  if (!machine.identity.container) {
    return {.level = kOk, .value = "none seen", .meaning = "no container limits system calls"};
  }
  return {.level = kNote,
          .value = *machine.identity.container,
          .meaning = "its filter may forbid perf_event_open, ptrace and personality",
          .advice = "if events fail, allow them in the container's seccomp profile"};
}

Judgement JudgeSystem(const Machine& machine) {
  if (machine.identity.system.empty()) return NotAvailable("there is no /etc/os-release");
  return {.level = kOk,
          .value = machine.identity.system,
          .meaning = "its libraries and compilers are part of what is measured"};
}

Judgement JudgeKernel(const Machine& machine) {
  if (machine.identity.kernel.empty()) {
    return NotAvailable("there is no /proc/sys/kernel/osrelease");
  }
  return {.level = kOk,
          .value = KernelName(machine.identity),
          .meaning = "faults, switches and system calls cost what this kernel makes them cost"};
}

constexpr auto kRows = std::to_array<FindingRow>({
    {"processor", "processor", JudgeProcessor},
    {"features", "features that matter", JudgeFeatures},
    {"cycle-counter", "cycle counter", JudgeCycleCounter},
    {"cores", "cores", JudgeCores},
    {"usable-threads", "usable hardware threads", JudgeUsable},
    {"core-kinds", "kinds of cores", JudgeCoreKinds},
    {"numa", "memory nodes", JudgeNuma},
});

constexpr auto kSurroundings = std::to_array<FindingRow>({
    {"hypervisor", "hypervisor", JudgeHypervisor},
    {"container", "container", JudgeContainer},
    {"kernel", "kernel", JudgeKernel},
    {"system", "operating system", JudgeSystem},
});

Judgement JudgeCache(const Cache& cache) {
  std::string value = Bytes(cache.bytes);
  if (cache.ways > 0) value += fmt::format(", {}-way", cache.ways);
  if (cache.ways < 0) value += ", fully associative";
  if (cache.line_bytes > 0) value += fmt::format(", {} B lines", cache.line_bytes);
  return {.level = kOk,
          .value = value,
          .meaning = fmt::format("{} of them, each for {}", cache.count,
                                 Plural(cache.threads, "hardware thread"))};
}

void AddCaches(const Machine& machine, std::vector<Finding>& findings) {
  if (!machine.topology || machine.topology->caches.empty()) {
    const std::string reason =
        machine.topology ? "the kernel describes no caches" : machine.topology.error().message;
    findings.push_back(Named(Group::kMachine, "caches", "caches", NotAvailable(reason)));
    return;
  }
  // Hybrid processors have several caches of one level and kind; each gets its own row.
  std::map<std::string, int> seen;
  for (const Cache& cache : machine.topology->caches) {
    std::string id = fmt::format("cache-l{}-{}", cache.level, Name(cache.kind));
    const int number = ++seen[id];
    if (number > 1) id += fmt::format("-{}", number);
    const std::string kind =
        cache.kind == CacheKind::kUnified ? "" : fmt::format(" {}", Name(cache.kind));
    findings.push_back(Named(Group::kMachine, id, fmt::format("L{}{} cache", cache.level, kind),
                             JudgeCache(cache)));
  }
}

}  // namespace

std::vector<Finding> ExamineHardware(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kMachine, kRows, machine, findings);
  AddCaches(machine, findings);
  AddRows(Group::kMachine, kSurroundings, machine, findings);
  return findings;
}

}  // namespace tare::host
