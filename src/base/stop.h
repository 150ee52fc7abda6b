// stop.h: the user's request to stop (SIGINT, SIGTERM), and the error of work that it ended.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace tare {

// Polled by long work: whether the user asked it to stop. Empty if nobody can. Libraries get it
// from their caller, so that tests decide.
using StopAsked = std::function<bool()>;

// From this call on, the first SIGINT or SIGTERM is kept for IsStopAsked instead of ending the
// process. A second one ends the process as usual.
void WatchForStop();

bool IsStopAsked();

// The error of work that the user stopped, of kind kInterrupted: "stopped by the user". `saved`
// says what became of the work so far, if that is worth saying.
std::unexpected<Error> Stopped(std::string_view saved = {});

// The exit status of a command that ended with Stopped: 128 plus the signal, as in a shell. 130 for
// SIGINT, and if there was no signal; 143 for SIGTERM.
int StopStatus();

}  // namespace tare
