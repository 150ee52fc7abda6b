// flow_totals.cc: adds the differences since the previous sample.
#include "model/vpmu/flow_totals.h"

namespace tare::vpmu {

const SampledTotals& FlowTotals::Close(std::span<const RecordKind> kinds,
                                       std::span<const BlockFacts> facts,
                                       std::span<const model::EventCounts> events) {
  seen_.resize(kinds.size());
  seen_events_.resize(events.size());
  for (const std::uint32_t number : ran_) {
    const RecordKind& kind = kinds[number];
    AddCounts(kind, facts[number], seen_[number]);
    AddEvents(events[kind.block], seen_events_[kind.block]);
  }
  ran_.clear();
  ++sample_;
  return totals_;
}

void FlowTotals::AddCounts(const RecordKind& kind, const BlockFacts& facts, Seen& seen) {
  const tare_wire_counters now = kind.Counters();
  const std::uint64_t executions = now.executions - seen.executions;
  const std::uint64_t operations = facts.repeated ? now.second - seen.second : executions;
  totals_.instructions += executions * facts.instructions;
  totals_.loads += operations * facts.loads;
  totals_.stores += operations * facts.stores;
  totals_.branches += executions * facts.branches;
  totals_.events.Add(model::Event::kConditionalMispredictions, kind.wrong - seen.wrong);
  seen = {now.executions, now.second, kind.wrong};
}

void FlowTotals::AddEvents(const model::EventCounts& now, model::EventCounts& seen) {
  for (std::size_t i = 0; i < model::kEvents; ++i) {
    const auto event = static_cast<model::Event>(i);
    totals_.events.Add(event, now[event] - seen[event]);
  }
  seen = now;
}

}  // namespace tare::vpmu
