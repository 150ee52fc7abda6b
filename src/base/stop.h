// stop.h: the user's request to stop (SIGINT, SIGTERM, SIGHUP, SIGQUIT), and the error of work that
// it ended.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace tare {

// Polled by long work: whether the user asked it to stop. Empty if nobody can. Libraries get it
// from their caller, so that tests decide.
using StopAsked = std::function<bool()>;

// From this call on, the first SIGINT, SIGTERM, SIGHUP or SIGQUIT is kept for IsStopAsked instead
// of ending the process. One that comes more than a second later ends the process as usual; until
// then it is taken for the same request, since timeout(1) sends its signal twice. SIGHUP and
// SIGQUIT stay ignored where they are, as nohup(1) expects.
void WatchForStop();

bool IsStopAsked();

// The error of work that the user stopped, of kind kInterrupted: "stopped by the user". `saved`
// says what became of the work so far, if that is worth saying.
std::unexpected<Error> Stopped(std::string_view saved = {});

// The exit status of a command that ended with Stopped: 128 plus the signal, as in a shell. 130 for
// SIGINT, and if there was no signal; 143 for SIGTERM, 129 for SIGHUP, 131 for SIGQUIT.
int StopStatus();

}  // namespace tare
