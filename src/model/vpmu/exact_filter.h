// exact_filter.h: the filter of repeated accesses that leaves a processor's events unchanged.
#pragma once

#include "format/flow_wire.h"
#include "model/core/processor.h"

namespace tare::vpmu {

// `processor` must be valid. 0 entries: no filter is exact for this processor, because a repeated
// access may change one of its caches. docs/methods/virtual-pmu.md has the proof.
tare_flow_filter ExactFilter(const model::Processor& processor);

}  // namespace tare::vpmu
