// start_thread.h: starts a thread, or says why the system refuses one.
#pragma once

#include <functional>
#include <thread>

#include "base/result.h"

namespace tare {

// Fails if the limit of threads or memory is reached.
Result<std::thread> StartThread(std::function<void()> work);

// The same for a thread that takes no signals, because its creator waits for some of them.
Result<std::thread> StartThreadWithoutSignals(std::function<void()> work);

}  // namespace tare
