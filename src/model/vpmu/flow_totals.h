// flow_totals.h: what a flow adds up to at each sample, from the blocks that ran since the last
// one.
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
  // The number of the sample that is being filled: records whose `sample` differs are told by Ran.
  std::uint32_t sample() const { return sample_; }
  void Ran(std::uint32_t number) { ran_.push_back(number); }

  // Adds what the kinds of record that ran have counted since, and begins the next sample.
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
  std::vector<Seen> seen_;                       // by number of record
  std::vector<model::EventCounts> seen_events_;  // by number of block
  SampledTotals totals_;
};

}  // namespace tare::vpmu
