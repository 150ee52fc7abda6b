// signal_text.h: signals in words.
#pragma once

#include <string>

namespace tare {

// "signal 11 (SIGSEGV)"; "signal 40" for one without a name.
std::string SignalText(int signal);

}  // namespace tare
