// flow_totals.h: the totals of a flow at each sample, updated from the blocks that ran since the
// last one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/core/model_event.h"
#include "model/vpmu/block_steps.h"
#include "model/vpmu/consumer.h"

namespace tare::vpmu {

class FlowTotals {
 public:
  // The number of the current sample. Call Ran for records whose `sample` differs.
  std::uint32_t sample() const { return sample_; }
  void Ran(std::uint32_t number) { ran_.push_back(number); }

  // Adds the counts since the last sample of the kinds of record that ran, and starts the next
  // sample.
  const SampledTotals& Close(std::span<const RecordKind> kinds, std::span<const BlockFacts> facts,
                             std::span<const model::EventCounts> events);

 private:
  struct Seen {
    std::uint64_t executions = 0;
    std::uint64_t second = 0;
    std::uint64_t wrong = 0;
  };

  void AddCounts(const RecordKind& kind, const BlockFacts& facts, Seen& seen);
  void AddEvents(const model::EventCounts& now, model::EventCounts& seen);

  std::uint32_t sample_ = 1;
  std::vector<std::uint32_t> ran_;
  std::vector<Seen> seen_;                       // by record number
  std::vector<model::EventCounts> seen_events_;  // by block number
  SampledTotals totals_;
};

}  // namespace tare::vpmu
