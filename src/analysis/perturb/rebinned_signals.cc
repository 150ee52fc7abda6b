// rebinned_signals.cc: adds up records by the interval in which they end.
#include "analysis/perturb/rebinned_signals.h"

#include "base/check.h"

namespace tare::perturb {

TraceSignals Rebinned(const TraceSignals& trace, std::uint64_t interval) {
  CHECK(interval > 0);
  TraceSignals rebinned = trace;
  rebinned.interval = interval;
  rebinned.times.clear();
  const std::uint64_t bins = trace.times.empty() ? 0 : trace.times.back() / interval;
  for (std::uint64_t bin = 1; bin <= bins; ++bin) rebinned.times.push_back(bin * interval);
  for (Signal& signal : rebinned.signals) {
    const std::vector<double> values = std::move(signal.values);
    signal.values.assign(bins, 0);
    std::size_t record = 0;
    double last = 0;
    for (std::uint64_t bin = 0; bin < bins; ++bin) {
      double sum = 0;
      // A record at the end of an interval belongs to it.
      for (; record < values.size() && trace.times[record] <= (bin + 1) * interval; ++record) {
        sum += values[record];
        last = values[record];
      }
      signal.values[bin] = signal.total ? sum : last;
    }
  }
  return rebinned;
}

}  // namespace tare::perturb
