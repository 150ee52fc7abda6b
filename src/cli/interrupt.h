// interrupt.h: turns ^C into a flag that long work polls.
#pragma once

namespace tare::cli {

// From this call on, the first SIGINT or SIGTERM sets the flag; a second one ends the process as
// usual.
void WatchForInterrupt();

bool Interrupted();

}  // namespace tare::cli
