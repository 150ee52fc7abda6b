// step_traps.h: classifies the ptrace stops of a stepped thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace tare::engine {

// kNone: the program caused the SIGTRAP, by a breakpoint instruction or kill(2).
enum class Trap { kNone, kStep, kHandlerEntry };
Trap TrapOf(pid_t thread);

// Whether a SIGTRAP is pending for the thread.
bool TrapPending(pid_t thread);

// Whether the process is a child of this one, because its parent died.
bool IsOrphan(pid_t id);

// System call numbers.
bool ChangesMappings(std::uint64_t call);
bool MakesProcess(std::uint64_t call);
inline constexpr std::uint64_t kClone3 = 435;

}  // namespace tare::engine
