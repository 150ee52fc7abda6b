// modelled_events.cc: maps each event to the part of the processor that it needs.
#include "model/core/modelled_events.h"

namespace tare::model {
namespace {

const char* Lacking(const Processor& processor, Event event) {
  const TlbSet& pages =
      processor.page_bytes == kLargePage ? processor.large_pages : processor.small_pages;
  const bool writes_back = processor.l1d.write == WritePolicy::kBack;
  switch (event) {
    case Event::kL1iMisses:
    case Event::kL1dLoadMisses:
    case Event::kL1dStoreMisses:
      return nullptr;
    case Event::kL2InstructionMisses:
    case Event::kL2LoadMisses:
    case Event::kL2StoreMisses:
      return processor.l2 ? nullptr : "the description has no L2";
    case Event::kL3InstructionMisses:
    case Event::kL3LoadMisses:
    case Event::kL3StoreMisses:
      return processor.l3 ? nullptr : "the description has no L3";
    case Event::kL1dWriteBacks:
      return writes_back ? nullptr : "the L1 data cache is not write-back";
    case Event::kL2WriteBacks:
      if (!processor.l2) return "the description has no L2";
      return processor.l2->write == WritePolicy::kBack ? nullptr : "L2 is not write-back";
    case Event::kL3WriteBacks:
      if (!processor.l3) return "the description has no L3";
      return processor.l3->write == WritePolicy::kBack ? nullptr : "L3 is not write-back";
    case Event::kItlbMisses:
    case Event::kInstructionWalks:
      return pages.instruction ? nullptr : "the description has no instruction TLB";
    case Event::kDtlbLoadMisses:
    case Event::kDtlbStoreMisses:
    case Event::kDataWalks:
      return pages.data ? nullptr : "the description has no data TLB";
    case Event::kPrefetches:
    case Event::kPrefetchesUsed: {
      const Prefetching& fetching = processor.prefetching;
      const bool any = fetching.next_line || fetching.instructions || fetching.stride_entries > 0;
      return any ? nullptr : "the description has no prefetcher";
    }
    case Event::kConditionalMispredictions:
      return processor.branching.direction != Direction::kNone
                 ? nullptr
                 : "the description has no branch predictor";
    case Event::kIndirectMispredictions:
      return processor.branching.target_entries > 0 ? nullptr
                                                    : "the description has no target buffer";
    case Event::kReturnMispredictions:
      return processor.branching.return_entries > 0 ? nullptr
                                                    : "the description has no return stack";
  }
  return nullptr;
}

}  // namespace

bool IsModelled(Event event, ModelInputs inputs) {
  if (inputs == ModelInputs::kAll) return true;
  switch (event) {
    case Event::kL1iMisses:
    case Event::kL2InstructionMisses:
    case Event::kL3InstructionMisses:
    case Event::kItlbMisses:
    case Event::kInstructionWalks:
    case Event::kConditionalMispredictions:
    case Event::kIndirectMispredictions:
    case Event::kReturnMispredictions:
      return false;
    default:
      return true;
  }
}

std::string WhyAbsent(const Processor& processor, const EventText& text, ModelInputs inputs) {
  // A sum is modelled if any of its events is, but all of its events must be possible in the input.
  std::string reason;
  for (const Event event : text.events) {
    if (!IsModelled(event, inputs)) return "the stream has neither code nor branches";
  }
  for (const Event event : text.events) {
    const char* lacking = Lacking(processor, event);
    if (lacking == nullptr) return "";
    if (reason.empty()) reason = lacking;
  }
  return reason;
}

}  // namespace tare::model
