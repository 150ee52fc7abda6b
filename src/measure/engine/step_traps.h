// step_traps.h: what the kernel's reports of a stepped thread mean.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace tare::engine {

// kNone: the program itself asked for it, by a breakpoint instruction or kill.
enum class Trap { kNone, kStep, kHandlerEntry };
Trap TrapOf(pid_t thread);

// Whether a SIGTRAP waits to be delivered to the thread.
bool TrapPending(pid_t thread);

// Whether the process is a child of ours, because its parent died.
bool IsOrphan(pid_t id);

// Numbers of system calls.
bool ChangesMappings(std::uint64_t call);
bool MakesProcess(std::uint64_t call);
inline constexpr std::uint64_t kClone3 = 435;

}  // namespace tare::engine
