// layout.cc: injects brk and mmap into the program, and copies the start of its stack down.
#include "measure/run/layout.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>

#include "measure/run/injected_call.h"

namespace tare::run {
namespace {

int MoveHeap(InjectedCalls& calls, std::uint64_t bytes) {
  std::uint64_t present = 0;
  if (const int failed = calls.Call(SYS_brk, {}, present)) return failed;
  std::uint64_t moved = 0;
  if (const int failed = calls.Call(SYS_brk, {present + bytes}, moved)) return failed;
  return moved == present + bytes ? 0 : ENOMEM;
}

int Map(InjectedCalls& calls, std::uint64_t at, std::uint64_t bytes, int how,
        std::uint64_t& place) {
  const auto flags = static_cast<std::uint64_t>(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how);
  return calls.Call(SYS_mmap, {at, bytes, PROT_NONE, flags, ~std::uint64_t{0}, 0}, place);
}

// A probe is larger than the gaps between the mappings of a new program, and smaller than what
// kernels align to huge pages.
constexpr std::uint64_t kProbe = 1 << 20;

// Every call costs two stops of the program, so there are as few as possible: one probe, which is
// then extended or made smaller. A probe below the dynamic loader shows that the kernel allocates
// downwards.
int MoveMappingsOfDynamic(InjectedCalls& calls, std::uint64_t bytes) {
  std::uint64_t first = 0;
  if (const int failed = Map(calls, 0, kProbe, 0, first)) return failed;
  const bool downwards = first < calls.Start().loader;
  std::uint64_t got = 0;
  if (bytes == kProbe) return 0;
  if (bytes < kProbe) {
    return calls.Call(SYS_munmap, {downwards ? first : first + bytes, kProbe - bytes}, got);
  }
  const std::uint64_t more = bytes - kProbe;
  const std::uint64_t wanted = downwards ? first - more : first + kProbe;
  if (const int failed = Map(calls, wanted, more, MAP_FIXED_NOREPLACE, got)) return failed;
  return got == wanted ? 0 : ENOMEM;
}

// Occupies the range that the program's first large mapping would have used. Without a loader, two
// probes find that range and the direction in which the kernel allocates.
int MoveMappings(InjectedCalls& calls, std::uint64_t bytes) {
  if (calls.Start().loader != 0) return MoveMappingsOfDynamic(calls, bytes);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t ignored = 0;
  if (const int failed = Map(calls, 0, kProbe, 0, first)) return failed;
  if (const int failed = Map(calls, 0, kProbe, 0, second)) return failed;
  for (const std::uint64_t probe : {first, second}) {
    if (const int failed = calls.Call(SYS_munmap, {probe, kProbe}, ignored)) return failed;
  }
  const std::uint64_t wanted = second < first ? first + kProbe - bytes : first;
  std::uint64_t got = 0;
  if (const int failed = Map(calls, wanted, bytes, MAP_FIXED_NOREPLACE, got)) return failed;
  return got == wanted ? 0 : ENOMEM;
}

// The kernel makes a new stack 128 KiB larger than what it puts there (setup_arg_pages in
// fs/exec.c), where the limit of the stack allows it. More room comes from a system call of the
// program that writes below the stack: the kernel expands a stack for the process's accesses, not
// for another process's (ptrace or /proc/PID/mem).
int MakeRoom(InjectedCalls& calls, pid_t thread, std::uint64_t bytes) {
  constexpr std::uint64_t kSpare = 1 << 14;  // for an engine that rebuilds the stack
  const std::uint64_t lowest = calls.Start().start - bytes - kSpare;
  std::array<std::byte, 1> byte;
  if (ReadMemory(thread, lowest, byte) == 0) return 0;
  std::uint64_t ignored = 0;
  return calls.Call(SYS_clock_gettime, {CLOCK_MONOTONIC, lowest}, ignored);
}

}  // namespace

int MoveMemory(pid_t thread, const Layout& layout) {
  InjectedCalls calls(thread);
  if (const int failed = calls.Begin()) return failed;
  int failed = 0;
  if (layout.stack_bytes != 0) failed = MakeRoom(calls, thread, layout.stack_bytes);
  if (failed == 0 && layout.heap_bytes != 0) failed = MoveHeap(calls, layout.heap_bytes);
  if (failed == 0 && layout.mapping_bytes != 0) failed = MoveMappings(calls, layout.mapping_bytes);
  const int ended = calls.End();
  return failed != 0 ? failed : ended;
}

int MoveStack(pid_t thread, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  StartBlock block;
  if (const int failed = FindStartBlock(thread, block)) return failed;
  std::array<std::byte, 4096> buffer;
  for (std::uint64_t at = block.start; at < block.end;) {
    const auto part = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), block.end - at)));
    if (const int failed = ReadMemory(thread, at, part)) return failed;
    if (const int failed = WriteMemory(thread, at - bytes, part)) return failed;
    at += part.size();
  }
  Registers registers;
  if (!registers.Read(thread)) return ESRCH;
  registers.SetStack(block.start - bytes);
  return registers.Write(thread) ? 0 : ESRCH;
}

Error CannotTrace(int error_number) {
  return {ErrorKind::kUnsupported,
          fmt::format("cannot move the program's stack, heap or mappings: ptrace is not allowed "
                      "here: {}",
                      std::generic_category().message(error_number))};
}

Error CannotMove(int error_number) {
  std::string why = std::generic_category().message(error_number);
  if (error_number == ENOSYS) why = "this kernel maps no vDSO into programs";
  if (error_number == ENOEXEC) why = "it is not a 64-bit program for this architecture";
  if (error_number == ENOMEM || error_number == EFAULT || error_number == EEXIST) {
    why = "there is no room for the offset";
  }
  return {ErrorKind::kUnsupported,
          fmt::format("cannot move the program's stack, heap or mappings: {}", why)};
}

}  // namespace tare::run
