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

Assessment AssessProcessor(const Machine& machine) {
  if (!machine.processor) return NotAvailable(machine.processor.error());
  const auto& models = machine.processor->models;
  if (models.empty()) return NotAvailable("the kernel does not name the processor");
  std::string value = ShortModelName(models.front().name);
  if (models.size() > 1) value += fmt::format(" and {} more", models.size() - 1);
  return {
      .level = kOk, .value = value, .meaning = "cycle counts and times apply to this model only"};
}

Assessment AssessFeatures(const Machine& machine) {
  if (!machine.processor) return NotAvailable(machine.processor.error());
  const auto rows = MeasuringFeatures(*machine.processor);
  if (rows.empty()) return NotAvailable("the processor lists no feature that affects measurements");
  std::string value;
  for (const FeatureRow& row : rows) {
    if (!value.empty()) value += ' ';
    value += row.flag;
  }
  const bool hidden = machine.processor->Has("avx512f") || machine.processor->Has("sve");
  if (hidden) {
    return {.level = kNote,
            .value = value,
            .meaning = "emulators hide some of these, and libraries select their code by them",
            .advice = "fix the selection with GLIBC_TUNABLES when comparing counts"};
  }
  return {.level = kOk,
          .value = value,
          .meaning = "libraries select their code by these; other machines run other instructions"};
}

Assessment AssessCycleCounter(const Machine& machine) {
  if (!machine.processor) return NotAvailable(machine.processor.error());
  if (machine.processor->features.empty()) {
    return NotAvailable("the kernel lists no features of the processor");
  }
  if (machine.processor->invariant_counter) {
    return {.level = kOk,
            .value = "one rate in all power states",
            .meaning = "its ticks measure time, not cycles: it can time short intervals"};
  }
  return {.level = kWarning,
          .value = "rate may change",
          .meaning = "its ticks measure neither time nor cycles when the frequency changes",
          .advice = "use clock_gettime for times"};
}

Assessment AssessCores(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const Topology& topology = *machine.topology;
  const std::string value =
      fmt::format("{}, {}, {}", Plural(topology.packages, "package"),
                  Plural(topology.cores, "core"), Plural(topology.threads, "thread"));
  if (topology.threads == 1) {
    return {.level = kWarning,
            .value = value,
            .meaning = "the measured program shares the only hardware thread with everything else",
            .advice = "measure on a machine with two cores or more",
            .caveat = CaveatId::kBusyMachine};
  }
  return {
      .level = kOk, .value = value, .meaning = "one core can be reserved for the measured program"};
}

Assessment AssessUsable(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const Topology& topology = *machine.topology;
  const std::string value = fmt::format("{} of {}", topology.usable_threads, topology.threads);
  if (topology.usable_threads < topology.threads) {
    return {.level = kNote,
            .value = value,
            .meaning = "programs started from here cannot use the other hardware threads",
            .advice = "if more are needed, widen the set with taskset or the container's cpuset"};
  }
  return {.level = kOk, .value = value, .meaning = "programs may run on every hardware thread"};
}

Assessment AssessCoreKinds(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const unsigned models =
      machine.processor ? static_cast<unsigned>(machine.processor->models.size()) : 0;
  const unsigned kinds = std::max(machine.topology->core_kinds, models);
  if (kinds == 0) return NotAvailable("neither the kernel nor hwloc reports kinds of cores");
  if (kinds == 1) {
    return {.level = kOk, .value = "all the same", .meaning = "any core gives the same time"};
  }
  return {
      .level = kWarning,
      .value = Plural(kinds, "kind"),
      .meaning = "some cores are faster than others: times depend on the core a program runs on",
      .advice = "pin the program to one kind with taskset"};
}

Assessment AssessNuma(const Machine& machine) {
  if (!machine.topology) return NotAvailable(machine.topology.error().message);
  const unsigned nodes = machine.topology->numa_nodes;
  if (nodes <= 1) {
    return {
        .level = kOk, .value = "1 node", .meaning = "all memory is equally close to every core"};
  }
  return {.level = kNote,
          .value = Plural(nodes, "node"),
          .meaning = "access to the memory of another node is slower",
          .advice = "pin the program and its memory with numactl"};
}

Assessment AssessHypervisor(const Machine& machine) {
  if (!machine.identity.hypervisor) {
    return {.level = kOk,
            .value = "none detected",
            .meaning = "the kernel seems to run directly on the hardware"};
  }
  const Hypervisor& hypervisor = *machine.identity.hypervisor;
  return {.level = kNote,
          .value = fmt::format("{} (by {})", hypervisor.name, hypervisor.evidence),
          .meaning = "other guests can disturb times; counters may be missing or emulated",
          .advice = "repeat, interleave, and compare within one session",
          .caveat = CaveatId::kVirtualMachine};
}

Assessment AssessContainer(const Machine& machine) {
  if (!machine.identity.container) {
    return {.level = kOk, .value = "none detected", .meaning = "no container limits system calls"};
  }
  return {.level = kNote,
          .value = *machine.identity.container,
          .meaning = "its filter may forbid perf_event_open, ptrace and personality",
          .advice = "if events cannot be opened, allow them in the container's seccomp profile"};
}

Assessment AssessSystem(const Machine& machine) {
  if (machine.identity.system.empty()) return NotAvailable("there is no /etc/os-release");
  return {.level = kOk,
          .value = machine.identity.system,
          .meaning = "its libraries and compilers affect what is measured"};
}

Assessment AssessKernel(const Machine& machine) {
  if (machine.identity.kernel.empty()) {
    return NotAvailable("there is no /proc/sys/kernel/osrelease");
  }
  return {.level = kOk,
          .value = KernelName(machine.identity),
          .meaning = "it determines the cost of page faults, context switches and system calls"};
}

constexpr auto kHardwareRows = std::to_array<FindingRow>({
    {"processor", "processor", AssessProcessor},
    {"features", "relevant features", AssessFeatures},
    {"cycle-counter", "cycle counter", AssessCycleCounter},
    {"cores", "cores", AssessCores},
    {"usable-threads", "usable hardware threads", AssessUsable},
    {"core-kinds", "kinds of cores", AssessCoreKinds},
    {"numa", "NUMA nodes", AssessNuma},
});

constexpr auto kSoftwareRows = std::to_array<FindingRow>({
    {"hypervisor", "hypervisor", AssessHypervisor},
    {"container", "container", AssessContainer},
    {"kernel", "kernel", AssessKernel},
    {"system", "operating system", AssessSystem},
});

Assessment AssessCache(const Cache& cache) {
  std::string value = Bytes(cache.bytes);
  if (cache.ways > 0) value += fmt::format(", {}-way", cache.ways);
  if (cache.ways < 0) value += ", fully associative";
  if (cache.line_bytes > 0) value += fmt::format(", {} B lines", cache.line_bytes);
  return {.level = kOk,
          .value = value,
          .meaning = fmt::format("count: {}, each shared by {}", cache.count,
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
                             AssessCache(cache)));
  }
}

}  // namespace

std::vector<Finding> ExamineHardware(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kMachine, kHardwareRows, machine, findings);
  AddCaches(machine, findings);
  AddRows(Group::kMachine, kSoftwareRows, machine, findings);
  return findings;
}

}  // namespace tare::host
