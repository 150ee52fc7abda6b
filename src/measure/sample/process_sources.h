// process_sources.h: what the kernel tells of a running process without stopping it.
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

// Each is made before the process has become the program, and read after `mark` was set; both
// outlive it.

// The count of one of the kernel's events at the end of the process, where it can be had.
using EventAtEnd = std::function<std::optional<std::int64_t>(std::string_view event)>;

// user-time, system-time, minor-faults, major-faults, resident-memory, threads. With `tree`, times
// with those of children that were waited for, and without faults, which events count better. What
// cannot be read any more at the end comes from `at_end`.
Source ProcessSource(pid_t process, const StartMark& mark, bool tree, EventAtEnd at_end);

// cpu-time, by the process's clock: for want of an event. What runs at the moment is in it up to
// the last tick of the kernel only.
Source ClockSource(pid_t process, const StartMark& mark);

// bytes-read, bytes-written, read-calls, write-calls, storage-bytes-read, storage-bytes-written:
// of the process, and of children that it has waited for.
Source IoSource(pid_t process, const StartMark& mark);

// voluntary-switches, involuntary-switches: of the threads there are at a record, and of others up
// to the last record that saw them.
Source SwitchSource(pid_t process, const StartMark& mark);

}  // namespace tare::sample
