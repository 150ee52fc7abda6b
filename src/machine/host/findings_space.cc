// findings_space.cc: rows about memory, page sizes and free disk space.
#include <fmt/format.h>

#include <array>
#include <span>

#include "base/printable.h"
#include "machine/host/finding_rows.h"

namespace tare::host {
namespace {

using enum Level;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;
constexpr std::uint64_t kLittleDisk = kGiB;
// Engines pass their recordings through shared memory; containers get 64 MiB of it by default.
constexpr std::uint64_t kLittleSharedMemory = 128 * kMiB;
constexpr double kLittleMemory = 0.1;

Assessment AssessMemory(const Machine& machine) {
  const auto& memory = machine.conditions.memory;
  if (!memory) return NotAvailable(memory.error());
  const std::string value =
      fmt::format("{} of {}", Bytes(memory->available_bytes), Bytes(memory->total_bytes));
  if (static_cast<double>(memory->available_bytes) <
      kLittleMemory * static_cast<double>(memory->total_bytes)) {
    return {.level = kWarning,
            .value = value,
            .meaning = "the kernel has to reclaim pages while programs run",
            .advice = "stop programs that use much memory"};
  }
  return {.level = kOk, .value = value, .meaning = "enough for the measured program"};
}

Assessment AssessSwap(const Machine& machine) {
  const auto& memory = machine.conditions.memory;
  if (!memory) return NotAvailable(memory.error());
  if (memory->swap_used_bytes == 0) {
    return {.level = kOk, .value = "none", .meaning = "no page is swapped out"};
  }
  return {.level = kNote,
          .value = Bytes(memory->swap_used_bytes),
          .meaning = "swapped-out pages are read back by slow page faults",
          .advice = "check the major faults of the measured program"};
}

Assessment AssessMemoryLimit(const Machine& machine) {
  const auto& group = machine.conditions.control_group;
  if (!group) return NotAvailable(group.error());
  const std::optional<std::uint64_t> limit = group->memory_bytes;
  if (!limit) {
    return {.level = kOk, .value = "none", .meaning = "no cgroup limits memory"};
  }
  return {.level = kNote,
          .value = Bytes(*limit),
          .meaning = "near it the kernel reclaims pages, above it the kernel kills programs",
          .advice = "raise memory.max if the program needs more"};
}

Assessment AssessTransparentPages(const Machine& machine) {
  const auto& setting = machine.conditions.transparent_huge_pages;
  if (!setting) return NotAvailable(setting.error());
  if (*setting == "always") {
    return {.level = kNote,
            .value = *setting,
            .meaning = "large areas get huge pages if some are free, which varies from run to run",
            .advice = "set it to madvise or never when comparing page faults"};
  }
  return {.level = kOk,
          .value = *setting,
          .meaning = *setting == "never" ? "only pages of the base size are used"
                                         : "only programs that request huge pages get them"};
}

Assessment AssessHugePool(const Machine& machine) {
  const auto& memory = machine.conditions.memory;
  if (!memory) return NotAvailable(memory.error());
  if (memory->huge_page_bytes == 0) return NotAvailable("the kernel has no pool of huge pages");
  if (memory->huge_pages == 0) {
    return {.level = kOk, .value = "none", .meaning = "no memory is reserved for huge pages"};
  }
  return {.level = kOk,
          .value = fmt::format("{} of {} free, {} each", memory->huge_pages_free,
                               memory->huge_pages, Bytes(memory->huge_page_bytes)),
          .meaning = "programs that request them get them; other programs cannot use this memory"};
}

constexpr auto kSpaceRows = std::to_array<FindingRow>({
    {"memory", "available memory", AssessMemory},
    {"swap", "swap in use", AssessSwap},
    {"memory-limit", "memory limit", AssessMemoryLimit},
    {"transparent-huge-pages", "transparent huge pages", AssessTransparentPages},
    {"huge-page-pool", "huge page pool", AssessHugePool},
});

Assessment AssessDisk(const DiskSpace& disk) {
  if (!disk.free_bytes) return NotAvailable(disk.free_bytes.error());
  const bool shared_memory = disk.directory == "/dev/shm";
  const std::string value = Bytes(*disk.free_bytes) + " free";
  if (*disk.free_bytes < (shared_memory ? kLittleSharedMemory : kLittleDisk)) {
    return {.level = kWarning,
            .value = value,
            .meaning = shared_memory ? "too little for an engine's recordings"
                                     : "too little for traces and results",
            .advice = shared_memory ? "give the container more: --shm-size=1g"
                                    : "free some space, or write results elsewhere"};
  }
  return {.level = kOk,
          .value = value,
          .meaning = shared_memory ? "enough for an engine's recordings"
                                   : "enough for traces and results"};
}

}  // namespace

std::vector<Finding> ExamineSpace(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kSpace, kSpaceRows, machine, findings);
  for (const DiskSpace& disk : machine.conditions.disks) {
    const std::string directory =
        disk.directory == "." ? "current directory" : Printable(disk.directory.string());
    findings.push_back(
        Named(Group::kSpace, "disk " + directory, "space in " + directory, AssessDisk(disk)));
  }
  return findings;
}

}  // namespace tare::host
