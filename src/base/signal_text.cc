// signal_text.cc: names of signals by the C library.
#include "base/signal_text.h"

#include <fmt/format.h>

#include <cstring>

namespace tare {

std::string SignalText(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return fmt::format("signal {}{}", signal, name != nullptr ? fmt::format(" (SIG{})", name) : "");
}

}  // namespace tare
