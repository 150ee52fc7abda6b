// machine.cc: reading all parts of a Machine.
#include "machine/host/machine.h"

namespace tare::host {

Machine ReadMachine(const SystemFiles& files, const ConditionOptions& options) {
  Result<Topology> topology =
      files.IsThisMachine()
          ? ReadTopology()
          : Fail(ErrorKind::kUnsupported, "the topology can only be read on the running machine");
  return {.processor = ReadProcessor(files),
          .identity = ReadIdentity(files),
          .topology = std::move(topology),
          .conditions = ReadConditions(files, options)};
}

}  // namespace tare::host
