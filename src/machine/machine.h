// machine.h: everything that is read about a machine before anything is measured on it.
#pragma once

#include "base/result.h"
#include "machine/conditions.h"
#include "machine/identity.h"
#include "machine/processor.h"
#include "machine/system_files.h"
#include "machine/topology.h"

namespace tare::machine {

struct Machine {
  Reading<Processor> processor;
  Identity identity;
  Result<Topology> topology;
  Conditions conditions;
};

// The topology is asked of hwloc on this machine only; for other roots it is an error.
Machine ReadMachine(const SystemFiles& files, const ConditionOptions& options);

}  // namespace tare::machine
