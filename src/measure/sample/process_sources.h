// process_sources.h: sources that read a running process through /proc without stopping it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "measure/sample/source.h"
#include "measure/sample/start_mark.h"

namespace tare::sample {

// Each is created before the process calls execve and read after `mark` is set. `mark` must outlive
// it.

// The count of a kernel event at the end of the process, if available.
using EventAtEnd = std::function<std::optional<std::int64_t>(std::string_view event)>;

// user-time, system-time, minor-faults, major-faults, resident-memory, threads. With `tree`, times
// include children that were waited for, and faults are absent, because events count them better.
// Values that cannot be read after the end come from `at_end`.
Source ProcessSource(pid_t process, const StartMark& mark, bool tree, EventAtEnd at_end);

// cpu-time from the process's CPU clock, if there is no event. Includes running threads only up to
// the kernel's last tick.
Source ClockSource(pid_t process, const StartMark& mark);

// bytes-read, bytes-written, read-calls, write-calls, storage-bytes-read, storage-bytes-written, of
// the process and the children that it has waited for.
Source IoSource(pid_t process, const StartMark& mark);

// voluntary-switches, involuntary-switches: of the threads that exist at a record, and of ended
// ones up to the last record that saw them.
Source SwitchSource(pid_t process, const StartMark& mark);

}  // namespace tare::sample
