// machine.h: everything that is read about a machine before anything is measured on it.
#pragma once

#include "base/result.h"
#include "machine/host/conditions.h"
#include "machine/host/host_processor.h"
#include "machine/host/machine_identity.h"
#include "machine/host/system_files.h"
#include "machine/host/topology.h"

namespace tare::host {

struct Machine {
  Reading<Processor> processor;
  Identity identity;
  Result<Topology> topology;
  Conditions conditions;
};

// The topology is asked of hwloc on this machine only; for other roots it is an error.
Machine ReadMachine(const SystemFiles& files, const ConditionOptions& options);

}  // namespace tare::host
