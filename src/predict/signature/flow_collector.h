// flow_collector.h: collects the use of memory of each block from the flow of the Valgrind engine.
#pragma once

#include <cstdint>
#include <vector>

#include "model/vpmu/flow_rotation.h"
#include "predict/signature/collect.h"

namespace tare::signature {

// What the flow of one process gave. The first part is the whole process.
struct CollectedFlow {
  std::uint64_t process = 0;
  std::uint64_t generation = 0;
  std::vector<CollectedPart> parts;  // without `recording`
  std::vector<BlockVector> vectors;
  double sampled_lines = 1;
  bool near_exact = true;
  bool confused_lines = false;
  bool cut_short = false;
};

// The accesses that the engine may omit: those that MemoryUse::Recent answers for. Threads with
// caches of their own need all accesses.
tare_flow_filter FilterOf(const CollectPlan& plan);

// `plan` and `flows` must outlive the sinks. Each sink adds an element to `flows` when it is
// closed.
vpmu::MakeFlowSink CollectFlows(const CollectPlan& plan, std::vector<CollectedFlow>& flows);

}  // namespace tare::signature
