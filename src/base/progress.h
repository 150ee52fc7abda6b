// progress.h: how long work tells its caller how far it is, and learns whether to go on.
#pragma once

#include <functional>
#include <string_view>

namespace tare {

// Called with the fraction done (0 to 1) and what is being done. False asks the work to stop: it
// then returns an Error of kind kInterrupted and leaves nothing half-written.
using Progress = std::function<bool(double fraction, std::string_view what)>;

// For callers who neither watch nor stop.
inline bool NoProgress(double, std::string_view) { return true; }

// For a part of the work, from one fraction of the whole to another. `whole` must outlive it.
inline Progress PartOf(const Progress& whole, double from, double to) {
  return [&whole, from, to](double fraction, std::string_view what) {
    return whole(from + (to - from) * fraction, what);
  };
}

}  // namespace tare
