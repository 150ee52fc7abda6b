// model_event_cycles.cc: estimates cycles from the average cost of each event.
#include <algorithm>
#include <array>
#include <optional>

#include "model/core/processor.h"

namespace tare::model {
namespace {

// The misses of each level from L1 on. A level that does not exist has none.
using Missed = std::array<double, 3>;

double Total(const EventCounts& counts, Event one, std::optional<Event> other = std::nullopt) {
  return static_cast<double>(counts[one]) + (other ? static_cast<double>(counts[*other]) : 0.0);
}

// A store that is written through can miss only in an outer level; it causes no wait.
double Hits(double accesses, double misses) { return std::max(0.0, accesses - misses); }

double Waiting(const Processor& processor, const Missed& misses) {
  const CycleCosts& costs = processor.cycles;
  if (!processor.l2) return misses[0] * costs.memory;
  double cycles = Hits(misses[0], misses[1]) * costs.l2_hit;
  if (!processor.l3) return cycles + misses[1] * costs.memory;
  cycles += Hits(misses[1], misses[2]) * costs.l3_hit;
  return cycles + misses[2] * costs.memory;
}

}  // namespace

double EstimateCycles(const Processor& processor, std::uint64_t instructions,
                      const EventCounts& counts) {
  const CycleCosts& costs = processor.cycles;
  const Missed code = {Total(counts, Event::kL1iMisses), Total(counts, Event::kL2InstructionMisses),
                       Total(counts, Event::kL3InstructionMisses)};
  const Missed data = {Total(counts, Event::kL1dLoadMisses, Event::kL1dStoreMisses),
                       Total(counts, Event::kL2LoadMisses, Event::kL2StoreMisses),
                       Total(counts, Event::kL3LoadMisses, Event::kL3StoreMisses)};
  const double walks = Total(counts, Event::kInstructionWalks, Event::kDataWalks);
  const double tlb_misses = Total(counts, Event::kItlbMisses, Event::kDtlbLoadMisses) +
                            Total(counts, Event::kDtlbStoreMisses);
  const double mispredictions =
      Total(counts, Event::kConditionalMispredictions, Event::kIndirectMispredictions) +
      Total(counts, Event::kReturnMispredictions);
  return static_cast<double>(instructions) * costs.per_instruction + Waiting(processor, code) +
         Waiting(processor, data) * (1 - costs.overlap) +
         Hits(tlb_misses, walks) * costs.tlb_second + walks * costs.walk +
         mispredictions * costs.misprediction;
}

}  // namespace tare::model
