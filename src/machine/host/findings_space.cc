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

Judgement JudgeMemory(const Machine& machine) {
  const auto& memory = machine.conditions.memory;
  if (!memory) return NotAvailable(memory.error());
  const std::string value =
      fmt::format("{} of {}", Bytes(memory->available_bytes), Bytes(memory->total_bytes));
  if (static_cast<double>(memory->available_bytes) <
      kLittleMemory * static_cast<double>(memory->total_bytes)) {
    return {.level = kWarning,
            .value = value,
            .meaning = "the kernel must free pages while programs run",
            .advice = "stop what holds memory"};
  }
  return {.level = kOk, .value = value, .meaning = "there is room for the measured program"};
}

Judgement JudgeSwap(const Machine& machine) {
  const auto& memory = machine.conditions.memory;
  if (!memory) return NotAvailable(memory.error());
  if (memory->swap_used_bytes == 0) {
    return {.level = kOk, .value = "none", .meaning = "no page has been moved to disk"};
  }
  return {.level = kNote,
          .value = Bytes(memory->swap_used_bytes),
          .meaning = "pages on disk come back by slow page faults",
          .advice = "watch the major faults of the measured program"};
}

Judgement JudgeMemoryLimit(const Machine& machine) {
  const auto& group = machine.conditions.control_group;
  if (!group) return NotAvailable(group.error());
  const std::optional<std::uint64_t> limit = group->memory_bytes;
  if (!limit) {
    return {.level = kOk, .value = "none", .meaning = "no control group limits memory"};
  }
  return {.level = kNote,
          .value = Bytes(*limit),
          .meaning = "near it the kernel reclaims pages, beyond it programs are killed",
          .advice = "raise memory.max where the program needs more"};
}

Judgement JudgeTransparentPages(const Machine& machine) {
  const auto& setting = machine.conditions.transparent_huge_pages;
  if (!setting) return NotAvailable(setting.error());
  if (*setting == "always") {
    return {.level = kNote,
            .value = *setting,
            .meaning = "large areas get huge pages when the kernel finds some: it varies by run",
            .advice = "set it to madvise or never where page faults are compared"};
  }
  return {.level = kOk,
          .value = *setting,
          .meaning = *setting == "never" ? "every page is a small one"
                                         : "only programs that ask get huge pages"};
}

Judgement JudgeHugePool(const Machine& machine) {
  const auto& memory = machine.conditions.memory;
  if (!memory) return NotAvailable(memory.error());
  if (memory->huge_page_bytes == 0) return NotAvailable("the kernel has no pool of huge pages");
  if (memory->huge_pages == 0) {
    return {.level = kOk, .value = "none", .meaning = "no memory is set aside for huge pages"};
  }
  return {.level = kOk,
          .value = fmt::format("{} of {} free, {} each", memory->huge_pages_free,
                               memory->huge_pages, Bytes(memory->huge_page_bytes)),
          .meaning = "programs that ask get them; the rest of the memory is smaller by it"};
}

constexpr auto kRows = std::to_array<FindingRow>({
    {"memory", "available memory", JudgeMemory},
    {"swap", "swap in use", JudgeSwap},
    {"memory-limit", "memory limit", JudgeMemoryLimit},
    {"transparent-huge-pages", "transparent huge pages", JudgeTransparentPages},
    {"huge-page-pool", "huge page pool", JudgeHugePool},
});

Judgement JudgeDisk(const DiskSpace& disk) {
  if (!disk.free_bytes) return NotAvailable(disk.free_bytes.error());
  const bool shared_memory = disk.directory == "/dev/shm";
  const std::string value = Bytes(*disk.free_bytes) + " free";
  if (*disk.free_bytes < (shared_memory ? kLittleSharedMemory : kLittleDisk)) {
    return {.level = kWarning,
            .value = value,
            .meaning = shared_memory ? "too little for the records of an engine"
                                     : "too little for traces and results",
            .advice = shared_memory ? "give the container more: --shm-size=1g"
                                    : "free some, or write results elsewhere"};
  }
  return {.level = kOk,
          .value = value,
          .meaning =
              shared_memory ? "room for the records of an engine" : "room for traces and results"};
}

}  // namespace

std::vector<Finding> ExamineSpace(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kSpace, kRows, machine, findings);
  for (const DiskSpace& disk : machine.conditions.disks) {
    const std::string directory =
        disk.directory == "." ? "current directory" : Printable(disk.directory.string());
    findings.push_back(
        Named(Group::kSpace, "disk " + directory, "space in " + directory, JudgeDisk(disk)));
  }
  return findings;
}

}  // namespace tare::host
