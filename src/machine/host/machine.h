// machine.h: all facts that are read about a machine before anything is measured on it.
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

// Queries hwloc for the topology only when `files` describes this machine; otherwise the topology
// is an error.
Machine ReadMachine(const SystemFiles& files, const ConditionOptions& options);

}  // namespace tare::host
