// energy_source.h: the machine's energy counters as a source of a trace.
#pragma once

#include "machine/host/energy.h"
#include "measure/sample/source.h"

namespace tare::sample {

// energy-ZONE in microjoules since the start, power-SENSOR in microwatts; group "system". Absent
// with the reason where the machine has no counters. The values are of the machine, not of the
// program alone.
Source EnergySource(const host::SystemFiles& files);

}  // namespace tare::sample
