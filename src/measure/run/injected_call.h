// injected_call.h: system calls made in the name of a program that stands at its start. Everything
// here is async-signal-safe: the caller may be a fork of a process with threads.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "measure/run/registers.h"

namespace tare::run {

// 0, or an error number.
int ReadMemory(pid_t process, std::uint64_t from, std::span<std::byte> to);
int WriteMemory(pid_t process, std::uint64_t to, std::span<const std::byte> from);

// A stop of a traced thread. `event` is 0 for signals and system calls.
struct TraceStop {
  int signal = 0;
  int event = 0;
};
// Waits for the next stop. ESRCH when the process ends instead: its status is still there to be
// waited for.
int AwaitStop(pid_t thread, TraceStop& stop);

// The words that the kernel has laid on a new program's stack.
struct StartBlock {
  std::uint64_t start = 0;  // of argc: the stack pointer
  std::uint64_t end = 0;    // behind the auxiliary vector
  std::uint64_t vdso = 0;   // where the kernel's own code is mapped, or 0
};
int FindStartBlock(pid_t thread, StartBlock& block);

// The thread must stand at its stop of execve, traced by the calling thread. Nothing of the
// program's own is changed: the calls are made by an instruction of the kernel's code in the
// program. Signals wait meanwhile.
class InjectedCalls {
 public:
  explicit InjectedCalls(pid_t thread) : thread_(thread) {}
  // Afterwards the thread stands at the end of its execve. 0, or an error number; ENOSYS: the
  // kernel maps no code of its own.
  int Begin();
  int Call(std::uint64_t number, const std::array<std::uint64_t, 6>& arguments,
           std::uint64_t& answer);
  // Registers and signals are as if nothing had been.
  int End();

 private:
  int RunToCall();

  pid_t thread_;
  std::uint64_t site_ = 0;
  std::uint64_t mask_ = 0;
  bool stop_wanted_ = false;
  Registers at_rest_;
};

}  // namespace tare::run
