// rebinned_signals.h: a trace with records at larger distances, so that traces of different
// sampling intervals can be compared.
#pragma once

#include <cstdint>

#include "analysis/perturb/signals.h"

namespace tare::perturb {

// Records that end in the same multiple of `interval` become one: totals are added, of levels the
// last one counts. An incomplete last interval is left out. `interval` must not be 0.
TraceSignals Rebinned(const TraceSignals& trace, std::uint64_t interval);

}  // namespace tare::perturb
