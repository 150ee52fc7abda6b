// interrupt.h: ^C as a question that long work asks, not as sudden death.
#pragma once

namespace tare::cli {

// From now on the first SIGINT or SIGTERM sets the flag; a second one ends the program as usual.
void WatchForInterrupt();

bool Interrupted();

}  // namespace tare::cli
