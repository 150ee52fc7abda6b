// progress.h: how long-running work reports progress and learns whether to stop.
#pragma once

#include <functional>
#include <string_view>

namespace tare {

// Called with the fraction done (0 to 1) and a description of the current step. Returning false
// asks the work to stop; it then returns Stopped() of base/stop.h and leaves no partial files.
using Progress = std::function<bool(double fraction, std::string_view what)>;

// For callers that neither show progress nor stop the work.
inline bool NoProgress(double, std::string_view) { return true; }

// Reports the progress of one part as the range [from, to] of the whole. `whole` must outlive the
// result.
inline Progress PartOf(const Progress& whole, double from, double to) {
  return [&whole, from, to](double fraction, std::string_view what) {
    return whole(from + (to - from) * fraction, what);
  };
}

}  // namespace tare
