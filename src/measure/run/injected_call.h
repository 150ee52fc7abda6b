// injected_call.h: system calls injected into a program that is stopped at its start. Everything
// here is async-signal-safe, because the caller may be a fork of a multithreaded process.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "measure/run/registers.h"

namespace tare::run {

// Return 0 or an error number.
int ReadMemory(pid_t process, std::uint64_t from, std::span<std::byte> to);
int WriteMemory(pid_t process, std::uint64_t to, std::span<const std::byte> from);

// A ptrace stop. `event` is 0 for signals and system calls.
struct TraceStop {
  int signal = 0;
  int event = 0;
};
// Waits for the next stop. ESRCH if the process ends instead; its status can still be waited for.
int AwaitStop(pid_t thread, TraceStop& stop);

// The start of a new program's stack, as the kernel builds it: argc, argv, envp and the auxiliary
// vector.
struct StartBlock {
  std::uint64_t start = 0;   // address of argc: the initial stack pointer
  std::uint64_t end = 0;     // after the auxiliary vector
  std::uint64_t vdso = 0;    // address of the vDSO (AT_SYSINFO_EHDR), or 0
  std::uint64_t loader = 0;  // address of the dynamic loader (AT_BASE), or 0
};
int FindStartBlock(pid_t thread, StartBlock& block);

// `thread` must be in its PTRACE_EVENT_EXEC stop, traced by the calling thread. The program's own
// memory is not changed: the calls use a system call instruction in the vDSO. Signals are blocked
// meanwhile.
class InjectedCalls {
 public:
  explicit InjectedCalls(pid_t thread) : thread_(thread) {}
  // Afterwards the thread is at the exit of execve. Returns 0 or an error number; ENOSYS: the
  // kernel maps no vDSO.
  int Begin();
  int Call(std::uint64_t number, const std::array<std::uint64_t, 6>& arguments,
           std::uint64_t& answer);
  // Restores the registers and the signal mask.
  int End();

  const StartBlock& Start() const { return start_; }

 private:
  int RunToCall();

  pid_t thread_;
  StartBlock start_;
  std::uint64_t site_ = 0;
  std::uint64_t mask_ = 0;
  bool stop_wanted_ = false;
  Registers at_rest_;
};

}  // namespace tare::run
