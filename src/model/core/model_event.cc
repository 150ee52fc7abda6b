// model_event.cc: the names of events, and sums of them.
#include "model/core/model_event.h"

namespace tare::model {
namespace {

constexpr std::array kL1i = {Event::kL1iMisses};
constexpr std::array kL1dLoad = {Event::kL1dLoadMisses};
constexpr std::array kL1dStore = {Event::kL1dStoreMisses};
constexpr std::array kL1d = {Event::kL1dLoadMisses, Event::kL1dStoreMisses};
constexpr std::array kL2Instruction = {Event::kL2InstructionMisses};
constexpr std::array kL2Data = {Event::kL2LoadMisses, Event::kL2StoreMisses};
constexpr std::array kL2 = {Event::kL2InstructionMisses, Event::kL2LoadMisses,
                            Event::kL2StoreMisses};
constexpr std::array kL3Instruction = {Event::kL3InstructionMisses};
constexpr std::array kL3Data = {Event::kL3LoadMisses, Event::kL3StoreMisses};
constexpr std::array kL3 = {Event::kL3InstructionMisses, Event::kL3LoadMisses,
                            Event::kL3StoreMisses};
constexpr std::array kL1dBack = {Event::kL1dWriteBacks};
constexpr std::array kL2Back = {Event::kL2WriteBacks};
constexpr std::array kL3Back = {Event::kL3WriteBacks};
constexpr std::array kItlb = {Event::kItlbMisses};
constexpr std::array kDtlb = {Event::kDtlbLoadMisses, Event::kDtlbStoreMisses};
constexpr std::array kInstructionWalk = {Event::kInstructionWalks};
constexpr std::array kDataWalk = {Event::kDataWalks};
constexpr std::array kPrefetched = {Event::kPrefetches};
constexpr std::array kUsedPrefetches = {Event::kPrefetchesUsed};
constexpr std::array kConditional = {Event::kConditionalMispredictions};
constexpr std::array kIndirect = {Event::kIndirectMispredictions};
constexpr std::array kReturn = {Event::kReturnMispredictions};
constexpr std::array kMispredicted = {Event::kConditionalMispredictions,
                                      Event::kIndirectMispredictions, Event::kReturnMispredictions};

constexpr std::array kTable = {
    EventText{"l1i-misses", "instruction fetches that missed the L1 instruction cache", kL1i, true},
    EventText{"l1d-load-misses", "loads that missed the L1 data cache", kL1dLoad, false},
    EventText{"l1d-store-misses", "stores that missed the L1 data cache", kL1dStore, false},
    EventText{"l1d-misses", "loads and stores that missed the L1 data cache", kL1d, true},
    EventText{"l2-instruction-misses", "instruction fetches that missed L2", kL2Instruction, true},
    EventText{"l2-data-misses", "loads and stores that missed L2", kL2Data, true},
    EventText{"l2-misses", "all accesses that missed L2", kL2, false},
    EventText{"l3-instruction-misses", "instruction fetches that missed L3", kL3Instruction, false},
    EventText{"l3-data-misses", "loads and stores that missed L3", kL3Data, false},
    EventText{"l3-misses", "all accesses that missed L3", kL3, true},
    EventText{"l1d-write-backs", "dirty lines evicted from the L1 data cache", kL1dBack, false},
    EventText{"l2-write-backs", "dirty lines evicted from L2", kL2Back, false},
    EventText{"l3-write-backs", "dirty lines evicted from L3", kL3Back, false},
    EventText{"itlb-misses", "misses of the first-level instruction TLB", kItlb, true},
    EventText{"dtlb-misses", "misses of the first-level data TLB", kDtlb, true},
    EventText{"instruction-walks", "page walks for instruction fetches", kInstructionWalk, false},
    EventText{"data-walks", "page walks for loads and stores", kDataWalk, false},
    EventText{"prefetches", "lines that a prefetcher filled", kPrefetched, false},
    EventText{"prefetches-used", "prefetched lines that were then accessed", kUsedPrefetches,
              false},
    EventText{"conditional-mispredictions", "mispredicted conditional branches", kConditional,
              false},
    EventText{"indirect-mispredictions", "mispredicted indirect jumps and calls", kIndirect, false},
    EventText{"return-mispredictions", "mispredicted returns", kReturn, false},
    EventText{"mispredictions", "all mispredicted branches", kMispredicted, true},
};

}  // namespace

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  return *this;
}

std::span<const EventText> EventTable() { return kTable; }

std::uint64_t Sum(const EventCounts& counts, const EventText& text) {
  std::uint64_t sum = 0;
  for (const Event event : text.events) sum += counts[event];
  return sum;
}

}  // namespace tare::model
